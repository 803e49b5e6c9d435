from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_initial")]

    operations = [
        migrations.RemoveField("checkpoint", "verifier_key"),
        migrations.AddField(
            "checkpoint",
            "key_fingerprint",
            models.CharField(default="", max_length=64),
            preserve_default=False,
        ),
    ]
