"""Entries, transfers, counts and sign-offs are written once. The SQL is in ledger/db/sql/."""

from django.db import migrations

from ledger.db.append_only import in_migration


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_books")]

    operations = [
        in_migration("ledger_journalentry", "ledger_transfer", "ledger_count", "ledger_dropsignoff")
    ]
