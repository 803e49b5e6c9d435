"""`manage.py lift_lock`: lift a lock when nobody who may do it on the staff page can sign in."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from casino.sign_in import attempts, noting
from ledger.journal.acts import Act


class Command(BaseCommand):
    help = "Lift a lock, or a terminal's wait, that came from too many wrong passwords or PINs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="a username, or the terminal as the staff page names it")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        now = timezone.now()
        locks = [run for run in attempts.held_up(now) if name == attempts.name_of(run)]
        if not locks:
            raise CommandError(f"Nothing is locked at {name}.")
        act = Act(actor=None, now=now, terminal=noting.command_line())
        with transaction.atomic():
            for run in locks:
                attempts.lift(run, act)
        self.stdout.write(f"{name} may try again.")
