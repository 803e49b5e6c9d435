"""Each session knows the newest moment recorded at it, so that no act is dated before it (R65)."""

from django.db import migrations, models

NEWEST = """
UPDATE tables_tablesession SET latest_at = COALESCE(
  (SELECT MAX(recorded_at) FROM tables_tableevent WHERE session_id = tables_tablesession.id), opened_at
)
"""


class Migration(migrations.Migration):
    dependencies = [("tables", "0002_one_event_per_key")]

    operations = [
        migrations.AddField(
            "tablesession",
            "latest_at",
            models.DateTimeField(
                help_text="the newest moment recorded at the table; no act is dated before it (R65)",
                null=True,
            ),
        ),
        migrations.RunSQL(NEWEST, migrations.RunSQL.noop),
        migrations.AlterField(
            "tablesession",
            "latest_at",
            models.DateTimeField(
                help_text="the newest moment recorded at the table; no act is dated before it (R65)"
            ),
        ),
    ]
