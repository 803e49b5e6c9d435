"""`manage.py migrate`: Django's own, for whoever does not say `prepare`. It looks first whether anything can be written."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections, transaction
from django.db.migrations.recorder import MigrationRecorder

from casino.serving.starting import refuse_unknown_database


def _write_nothing(recorder: MigrationRecorder) -> None:
    """Ask for a row that is not there to be changed, which a database refuses that can only be read. SQLite begins a transaction
    there."""
    if recorder.has_table():
        recorder.migration_qs.filter(pk=0).update(app="")


class Command(migrate.Command):
    def get_check_kwargs(self, options: dict[str, Any]) -> Any:
        """Leave out the checks of the database: the triggers that they miss, or that a new version has otherwise, are made again."""
        asked: Any = super().get_check_kwargs(options)
        return {**asked, "databases": None}

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate a database that this program knows, once a transaction that writes could begin."""
        database = connections[options["database"]]
        refuse_unknown_database(database)
        with transaction.atomic(options["database"]):
            _write_nothing(MigrationRecorder(database))
        super().handle(*args, **options)
