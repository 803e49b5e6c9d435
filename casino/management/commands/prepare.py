"""`manage.py prepare`: bring the database up to date; in a demo, fill an empty one with an evening's play."""

import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from django.utils import timezone

from casino.demo import people
from casino.house import first_start
from casino.serving import environment, starting
from casino.serving.faults import refusals_end_it
from ledger.journal.acts import Act
from ledger.journal.particulars import Particulars, checked, checked_origin, houses

# True for a role that may create tables and belongs to the owner of each existing one.
MAY_UPGRADE = """
SELECT has_schema_privilege(current_schema(), 'CREATE') AND NOT EXISTS (
    SELECT FROM pg_tables WHERE schemaname = current_schema() AND NOT pg_has_role(tableowner, 'MEMBER'))
"""


class Command(BaseCommand):
    help = "Bring the database up to date. Run it before the first start and after every upgrade."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--site", help="name of the house, where there is none yet")
        parser.add_argument("--licence", default="", help="its licence")
        parser.add_argument("--log", default="", help="the name of its audit log, as tables.example.com/log")
        parser.add_argument("--zone", default="America/Los_Angeles", help="its time zone, as Europe/Vienna")

    def handle(self, *args: Any, site: str | None, licence: str, zone: str, log: str, **options: Any) -> None:
        given = Particulars(site, licence, "california", zone, 6, 10) if site and not settings.DEMO else None
        origin = log or first_start.usual_origin()
        if given is not None:
            with refusals_end_it():
                checked(given)
                checked_origin(origin)
        starting.reach_database()
        starting.refuse_unknown_database(connection)
        starting.refuse_real_house()
        environment.close_to_others(settings.VAR_DIR, but=settings.CHECKPOINTS)
        with starting.only_server():
            if starting.needs_upgrade():
                refuse_upgrade()
                take_time()
            self.upgrade(given, origin)

    def upgrade(self, given: Particulars | None, origin: str) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        if houses().exists():
            if given is not None:
                raise CommandError("There is a house already.")
            return
        if settings.DEMO:
            self.stdout.write("Playing the demo evening (first start only) ...")
            self.stdout.flush()
            # All or nothing: an interrupted first start begins again.
            with transaction.atomic():
                people.employ_people()
                call_command("seed")
        elif given is not None:
            with refusals_end_it():
                act = Act(actor=None, now=timezone.now())
                first_start.found_house(particulars=given, origin=origin, act=act)


def take_time() -> None:
    """Lift the server's time limit on statements for an upgrade."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")


def refuse_upgrade() -> None:
    """Refuse an upgrade that could not be finished, before anything is changed."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(MAY_UPGRADE)
            (may,) = cursor.fetchone()
        if not may:
            raise CommandError(
                "This role of the database may not change its tables: run `manage.py prepare` as their owner"
                " (docs/operations.md, Database roles)."
            )
        return
    path = Path(connection.settings_dict["NAME"])
    needed = (
        2 * path.stat().st_size if path.exists() else 0
    )  # tables are rewritten, and the write-ahead log grows as long
    if shutil.disk_usage(path.parent).free < needed:
        raise CommandError(
            f"An upgrade needs {needed >> 20} megabytes free in {path.parent}: make room, then run it again."
        )
