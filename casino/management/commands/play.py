"""`manage.py play`: enter rounds from a file at a table of a demo house."""

import hashlib
import json
from argparse import ArgumentParser
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from casino.demo.nights.from_file import DealtRounds, table_of
from casino.demo.nights.people import crew, require_demo
from casino.management.commands.simulate import moment
from casino.serving.faults import refusals_end_it
from ledger.errors import BadAmount, Refusal
from ledger.journal.particulars import houses
from ledger.money import parse_amount
from tables.errors import BadTime
from tables.models import TableEvent


@dataclass
class PacedClock:
    """Real time, or, with `at`, a made-up time that advances by `pace` a round."""

    at: datetime | None
    pace: timedelta

    def now(self) -> datetime:
        return self.at or timezone.now()

    def pass_time(self, share: float) -> None:
        if self.at is not None:
            self.at += share * self.pace


class Command(BaseCommand):
    help = "Enter rounds from a file, one line each in the score format, at a table of a demo house."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rounds", metavar="FILE.jsonl", type=Path)
        parser.add_argument("--table", type=int, required=True, help="number of the table")
        parser.add_argument(
            "--start",
            type=moment,
            help="made-up time of the first round; without it, every round is played now",
        )
        parser.add_argument(
            "--pace", type=int, default=180, help="with --start: seconds from one round to the next (180)"
        )

    def handle(
        self, *args: Any, rounds: Path, table: int, start: datetime | None, pace: int, **options: Any
    ) -> None:
        try:
            lines = [line for line in rounds.read_text().splitlines() if line.strip()]
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(
                f"{rounds} cannot be read: {getattr(error, 'strerror', 'it is not text')}."
            ) from error
        clock = PacedClock(start, timedelta(seconds=pace))
        with refusals_end_it():
            entering = self.prepared(lines, table, clock)
        entered = before = refused = 0
        for number, line in enumerate(tqdm(lines, unit="round", disable=not self.stderr.isatty()), start=1):
            try:
                if entering.enter(number, line, lambda: clock.pass_time(0.8)):
                    entered += 1
                else:
                    before += 1
            except Refusal as error:
                refused += 1
                self.stderr.write(f"Line {number}: {error.message} ({error.code})")
            clock.pass_time(0.2)
        known = f", {before} entered before" if before else ""
        self.stdout.write(f"{entered} rounds entered at table {table}{known}, {refused} refused.")
        if refused:
            raise CommandError(f"{refused} of {len(lines)} lines were refused.")

    def prepared(self, lines: list[str], number: int, clock: PacedClock) -> DealtRounds:
        site = houses().first()
        require_demo(site)
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
        entering = DealtRounds(
            table=table_of(site, number),
            crew=crew(),
            prefix=f"play-{digest}",
            most_cents=max((highest_stack(line) for line in lines), default=0),
            now=clock.now,
        )
        last = TableEvent.objects.filter(session__table=entering.table).order_by("-recorded_at").first()
        if last is not None and clock.now() < last.recorded_at:
            raise BadTime(
                f"Something has happened at {entering.table} since then: start later.", field="start"
            )
        return entering


def highest_stack(line: str) -> int:
    """Return a line's highest stack in cents; 0 if it is unreadable, which entering the line reports."""
    try:
        return max(parse_amount(hand["stack"]) for hand in json.loads(line)["hands"])
    except (ValueError, TypeError, KeyError, AttributeError, BadAmount):
        return 0
