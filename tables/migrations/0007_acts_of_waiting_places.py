"""A place on a waiting list keeps every act's key, not only the last one's."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0006_running_the_floor")]

    operations = [
        migrations.AddField(
            model_name="waitingplace", name="acts", field=models.JSONField(blank=True, default=list)
        ),
        migrations.RemoveField(model_name="waitingplace", name="last_key"),
    ]
