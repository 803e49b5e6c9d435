"""`manage.py settings`: the table of variables in docs/operations.md, made from the one that settings are read by.

manage.py settings                               the table to the terminal
manage.py settings --write docs/operations.md    between the markers of that page, whose other words stay
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from casino.management.commands import _pages as pages
from casino.serving import environment


class Command(BaseCommand):
    help = "Writes the table of all variables of the environment: what each takes, its default and what it means."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The option of the command."""
        parser.add_argument("--write", metavar="FILE.md", help="fill this page, instead of the terminal")

    def handle(self, *, write: str | None, **options: Any) -> None:
        """Print the table, or fill the page; CommandError where it cannot be read."""
        if write is None:
            self.stdout.write(environment.table(), ending="")
            return
        pages.fill(write, filled)


def filled(page: str) -> str:
    """The page with a fresh table between its markers."""
    return pages.between(page, "settings", environment.table())
