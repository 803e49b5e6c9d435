"""`manage.py lift_lock`: for the day on which nobody who could lift a lock at the desk can sign in."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from casino.sign_in import attempts
from ledger.journal.acts import Act


class Command(BaseCommand):
    help = "Lift every lock on a person, or on a terminal or address, that too many wrong passwords or PINs have put there."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose."""
        parser.add_argument("name", help="a username, or the terminal as the staff page names it")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        """Lift them; CommandError where nothing is locked."""
        locks = [run for run in attempts.locked_runs() if name in (str(run.person), run.terminal)]
        if not locks:
            raise CommandError(f"Nothing is locked at {name}.")
        act = Act(actor=None, now=timezone.now(), terminal="command line")
        with transaction.atomic():
            for run in locks:
                attempts.lift(run, act)
        self.stdout.write(f"{name} may try again.")
