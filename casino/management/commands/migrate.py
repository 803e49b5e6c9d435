"""`manage.py migrate`: Django's own, but it first checks that the database can be written."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections, transaction
from django.db.migrations.recorder import MigrationRecorder

from casino.serving.starting import refuse_unknown_database


def _write_nothing(recorder: MigrationRecorder) -> None:
    """Update a row that does not exist: a read-only database refuses it. SQLite begins a transaction here."""
    if recorder.has_table():
        recorder.migration_qs.filter(pk=0).update(app="")


class Command(migrate.Command):
    def get_check_kwargs(self, options: dict[str, Any]) -> Any:
        """Skip the database checks: migrating creates the triggers whose absence they report."""
        asked: Any = super().get_check_kwargs(options)
        return {**asked, "databases": None}

    def handle(self, *args: Any, **options: Any) -> None:
        database = connections[options["database"]]
        refuse_unknown_database(database)
        with transaction.atomic(options["database"]):
            _write_nothing(MigrationRecorder(database))
        super().handle(*args, **options)
