"""`manage.py simulate`: nights of made-up play in a demo house, through the same verbs as the screens."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from casino.demo.nights.evening import morning
from casino.demo.nights.house import SimulatedHouse
from casino.demo.nights.plan import CLOSING, figures, play_night
from casino.serving.faults import refusals_end_it
from ledger.journal.particulars import houses
from ledger.money import dollars

MORNING, EACH_BOX = timedelta(minutes=45), timedelta(minutes=30)
"""How long the work after a night takes: for the house, and for the boxes of each table."""


def moment(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no time like 2026-11-20T18:00+00:00") from error
    if at.tzinfo is None:
        raise ArgumentTypeError(f"{text!r} does not say its zone: write 2026-11-20T18:00+00:00")
    return at


class Progress:
    def __init__(self, command: BaseCommand, start: datetime, hours: float) -> None:
        self.command = command
        self.start = start
        self.minutes = round(hours * 60)
        self.bar = tqdm(total=self.minutes, unit="min", desc="Playing", disable=not command.stderr.isatty())
        self.told = 0

    def __call__(self, now: datetime) -> None:
        minute = min(round((now - self.start).total_seconds() / 60), self.minutes)
        self.bar.update(minute - self.bar.n if not self.bar.disable else 0)
        if self.bar.disable and minute // 60 > self.told:
            self.told = minute // 60
            self.command.stdout.write(f"{self.told} of {self.minutes / 60:g} hours played")


class Command(BaseCommand):
    help = "Play a night of made-up rounds at tables of a demo room. The same seed plays the same night."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tables", type=int, default=6, help="how many tables are opened (6)")
        parser.add_argument("--hours", type=float, default=8, help="how long they play (8)")
        parser.add_argument("--seed", type=int, default=1, help="which night: the same one every time (1)")
        parser.add_argument(
            "--start", type=moment, help="when it began, as 2026-11-20T18:00-08:00 (so that it ends now)"
        )
        parser.add_argument(
            "--leave-open",
            action="store_true",
            help="leave the tables in the middle of play when the time is up",
        )

    def handle(
        self,
        *args: Any,
        tables: int,
        hours: float,
        seed: int,
        start: datetime | None,
        leave_open: bool,
        **options: Any,
    ) -> None:
        if tables < 1 or not 0 < hours <= 24:
            raise CommandError("A night has at least one table and at most 24 hours.")
        began = time.monotonic()
        after = timedelta() if leave_open else CLOSING + MORNING + tables * EACH_BOX
        start = start or timezone.now().replace(microsecond=0) - timedelta(hours=hours) - after
        progress = Progress(self, start, hours)
        with closing(progress.bar), refusals_end_it():
            house = SimulatedHouse(site=houses().first(), seed=seed, start=start, watch=progress, whole=True)
            play_night(house, tables=tables, hours=hours, leave_open=leave_open)
            if not leave_open:
                morning(house, max(start + timedelta(hours=hours) + CLOSING, house.now))
        self.report(house, time.monotonic() - began)

    def report(self, house: SimulatedHouse, seconds: float) -> None:
        result = figures(house)
        sums = ", ".join(f"{asset} {dollars(cents)}" for asset, cents in sorted(result.sums.items()))
        self.stdout.write(
            f"{result.rounds} rounds settled and {result.voided} voided in {seconds:.1f} s ({result.entries} "
            f"journal entries)\nFees: {result.charged} charged, {dollars(result.charged_cents)}; "
            f"{result.taken} taken, {dollars(result.taken_cents)}\nHands: {result.fouls} fouls, "
            f"{result.sweeps} clean sweeps, {result.fantasy_lands} fantasy lands earned\nCorrections: "
            f"{result.corrections} approved, {result.refused} refused\nSum of all accounts: {sums}"
        )
