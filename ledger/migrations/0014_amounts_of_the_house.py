from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0013_tests_of_controls"),
    ]

    operations = [
        migrations.AddField(
            model_name="site",
            name="confirm_from_cents",
            field=models.PositiveIntegerField(
                default=0,
                help_text="from so much on the window asks once more; 0: as the file of the jurisdiction says",
            ),
        ),
        migrations.AddField(
            model_name="site",
            name="patron_from_cents",
            field=models.PositiveIntegerField(
                default=0,
                help_text="from so much in a gaming day on the patron is named; 0: as the file of the"
                " jurisdiction",
            ),
        ),
    ]
