"""`manage.py prepare`: bring the database up to date; in a demo, fill an empty one with an evening of play."""

from argparse import ArgumentParser
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from casino.demo import people
from casino.house import first_start
from casino.roles import APPS
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.journal.particulars import Particulars


class Command(BaseCommand):
    help = "Bring the database up to date. Run it before the first start and after every upgrade."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--site and --licence found the establishment of a real room; a demo founds its own."""
        parser.add_argument("--site", help="name of the establishment, where there is none yet")
        parser.add_argument("--licence", default="", help="its licence")
        parser.add_argument("--zone", default="America/Los_Angeles", help="its time zone, as Europe/Vienna")

    def handle(self, *args: Any, site: str | None, licence: str, zone: str, **options: Any) -> None:
        """Migrate; then found the demo or the named establishment, once."""
        refuse_unknown_database()
        call_command("migrate", verbosity=0, interactive=False)
        sites = apps.get_model("ledger", "Site").objects
        if sites.exists():
            if site:
                raise CommandError("There is an establishment already.")
            return
        if settings.DEMO:
            self.stdout.write("Playing the demo evening (first start only) ...")
            self.stdout.flush()
            # All or nothing: an interrupted first start begins anew.
            with transaction.atomic():
                people.employ_people()
                call_command("seed")
        elif site:
            found(Particulars(site, licence, "california", zone, day_starts_at=6, authorised_tables=10))


def refuse_unknown_database() -> None:
    """Refuse a database that another version of the program has changed in ways that this one does not know."""
    loader = MigrationLoader(connection)
    unknown = [
        key for key in loader.applied_migrations if key[0] in APPS and key not in loader.disk_migrations
    ]
    if unknown:
        app, name = min(unknown)
        raise CommandError(
            f"Another version of this program made this database ({app} {name} is unknown here). Start that version, "
            "or begin with an empty database: for a demo, move the folder of CASINO_VAR away."
        )


def found(particulars: Particulars) -> None:
    """Found the house that the options describe; CommandError where they do not make one."""
    try:
        first_start.found_house(particulars=particulars, act=Act(actor=None, now=timezone.now()))
    except Refusal as refused:
        raise CommandError(f"{refused.message} ({refused.code})") from refused
