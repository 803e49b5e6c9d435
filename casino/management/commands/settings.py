"""`manage.py settings`: generate the table of environment variables in docs/operations.md.

manage.py settings                               print the table
manage.py settings --write docs/operations.md    fill it in between the markers of that page
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from casino.management.commands import _pages as pages
from casino.serving import environment


class Command(BaseCommand):
    help = (
        "Writes the table of all variables of the environment: what each takes, its default and what it "
        "means."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", metavar="FILE.md", help="fill this page, instead of the terminal")

    def handle(self, *, write: str | None, **options: Any) -> None:
        if write is None:
            self.stdout.write(environment.table(), ending="")
            return
        pages.fill(write, filled)


def filled(page: str) -> str:
    return pages.between(page, "settings", environment.table())
