"""`manage.py migrate`: Django's own, for whoever does not say `prepare`. It looks first whether anything can be written."""

from typing import Any

from django.core.management.commands import migrate
from django.db import transaction


class Command(migrate.Command):
    def get_check_kwargs(self, options: dict[str, Any]) -> Any:
        """Leave out the checks of the database: the triggers that they miss, or that a new version has otherwise, are made again."""
        asked: Any = super().get_check_kwargs(options)
        return {**asked, "databases": None}

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, once a transaction that writes could begin."""
        with transaction.atomic(options["database"]):
            pass
        super().handle(*args, **options)
