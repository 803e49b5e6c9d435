from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0004_own_pages_of_the_waiting")]

    operations = [
        migrations.CreateModel(
            name="TabletContact",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("heard_at", models.DateTimeField()),
                ("silent_from", models.DateTimeField(blank=True, null=True)),
                ("silent_until", models.DateTimeField(blank=True, null=True)),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=models.deletion.PROTECT,
                        related_name="tablet_contacts",
                        to="tables.tablesession",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(silent_from__isnull=True, silent_until__isnull=True)
                        | models.Q(silent_until__gt=models.F("silent_from")),
                        name="silence_of_a_tablet_is_whole",
                    )
                ],
            },
        ),
    ]
