from typing import Any

from django.core.management.base import CommandError
from django.db import migrations


def refuse_older_records(apps: Any, schema_editor: Any) -> None:
    """Refuse a database whose records are of an older form: they cannot be written anew, for they are sealed."""
    if apps.get_model("ledger", "AuditRecord").objects.exists():
        raise CommandError(
            "The records in this database are of an older form, which this version does not read. Start the version that "
            "made it, or begin with an empty database: for a demo, move the folder of CASINO_VAR away."
        )


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_initial")]

    operations = [
        migrations.RunPython(refuse_older_records, migrations.RunPython.noop),
        migrations.RemoveField(model_name="journalentry", name="evidence"),
    ]
