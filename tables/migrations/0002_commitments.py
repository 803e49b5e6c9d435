from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="playerchange",
            name=name,
            field=models.CharField(max_length=64, blank=name == "follows", default=""),
            preserve_default=False,
        )
        for name in ("salt", "commitment", "follows")
    ]
