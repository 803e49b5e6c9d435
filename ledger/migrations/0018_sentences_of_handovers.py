from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0017_orders_of_the_floor"),
    ]

    operations = [
        migrations.AlterField(
            model_name="withheld",
            name="what",
            field=models.CharField(
                choices=[
                    ("exclusion_look", "Exclusion Look"),
                    ("exclusion_added", "Exclusion Added"),
                    ("exclusion_lifted", "Exclusion Lifted"),
                    ("exclusion_answer", "Exclusion Answer"),
                    ("exclusion_opened", "Exclusion Opened"),
                    ("person_answer", "Person Answer"),
                    ("handed_over", "Handed Over"),
                ],
                max_length=30,
            ),
        ),
    ]
