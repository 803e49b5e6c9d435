"""`manage.py migrate`: Django's own, for whoever does not say `prepare`. It looks first whether anything can be written."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections, transaction

from casino.serving.starting import refuse_unknown_database


class Command(migrate.Command):
    def get_check_kwargs(self, options: dict[str, Any]) -> Any:
        """Leave out the checks of the database: the triggers that they miss, or that a new version has otherwise, are made again."""
        asked: Any = super().get_check_kwargs(options)
        return {**asked, "databases": None}

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate a database that this program knows, once a transaction that writes could begin."""
        refuse_unknown_database(connections[options["database"]])
        with transaction.atomic(options["database"]):
            pass
        super().handle(*args, **options)
