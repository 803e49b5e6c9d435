"""`manage.py seed`: a demo house open since yesterday, with staff, tables, books and open questions."""

import time
from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from casino.demo import people
from casino.demo.nights.bank import go_beyond
from casino.demo.nights.evening import EVENINGS_GAMES, count_boxes, play_evening, sign_off_banks
from casino.demo.nights.house import OPENING_FLOAT, SimulatedHouse, close_shifts, count_vault, publish_rates
from casino.demo.nights.plan import play_night
from casino.models import Staff
from casino.serving.faults import refusals_end_it
from casino.sign_in import noting, tokens
from casino.staff.hiring import review_access
from ledger.cage.stocking import stock_cage
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.journal.days import day_bounds, gaming_day
from ledger.journal.particulars import houses
from ledger.proof.log import keeping_papers, sealing
from ledger.proof.log.forms import CSV, AskedPaper
from tables.errors import NotDemo
from tables.floor.games import games
from tables.floor.tables import write_table

NAME, LICENCE = "The Fifth Street Room", "GEGE-001234 (demo)"
TABLES, SHIFTS = 8, 3
DROP_TIMES = "06:00 14:00 22:00"
YESTERDAY = timedelta(hours=26)
# The cage is stocked a gaming day earlier, so that one day can be closed: a day plus the grace period.
FOUNDED = timedelta(hours=26)
# As many tables as there are built-in games that the evening does not play.
YESTERDAYS_TABLES, YESTERDAYS_HOURS = 6, 0.8
COUNTED = timedelta(hours=12)
EVENING_MINUTES = 52
TOKEN_FOR = timedelta(days=30)


class Command(BaseCommand):
    help = (
        "Fill an empty demo database: people, rates, tables, last night's play, and an evening that goes on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="which evening: the same every time (1)")

    def handle(self, *args: Any, seed: int, **options: Any) -> None:
        if not settings.DEMO:
            with refusals_end_it():
                raise NotDemo("Made-up people and play belong into a demo: set CASINO_DEMO=1.")
        if houses().exists():
            self.stdout.write("There is a house already; nothing was changed.")
            return
        began = time.monotonic()
        # All or nothing: the next start would take half a demo for a whole one.
        with transaction.atomic():
            self.fill(seed, timezone.now().replace(microsecond=0))
        sealing.seal(houses().get(), now=timezone.now())
        self.tell(f"ready after {time.monotonic() - began:.1f} s")

    def fill(self, seed: int, now: datetime) -> None:
        people.employ_people()
        site = apps.get_model("ledger", "Site").objects.create(
            name=NAME, licence=LICENCE, shifts=SHIFTS, box_seals=True, drop_times=DROP_TIMES, demo=True
        )
        for person in Staff.objects.order_by("pk"):  # as if everybody had set their own
            noting.note("pin_set", staff=person.pk)
        cashier, floor = (Staff.objects.get(username=name) for name in ("cashier", "floor"))
        start = now - YESTERDAY
        publish_rates(site, start)
        for number in range(1, TABLES + 1):
            write_table(site=site, number=number, act=Act(actor=None, now=start, key=f"seed-table-{number}"))
        stock_cage(
            site=site,
            pieces=OPENING_FLOAT,
            act=Act(actor=cashier, approver=floor, now=start - FOUNDED, key="seed-float"),
        )
        first = gaming_day(site, start - FOUNDED)
        over = day_bounds(site, first)[1] + closing.GRACE
        closed = Act(actor=cashier, approver=floor, now=over, key="seed-first-day")
        count_vault(site, closed.under("seed-first-count"))
        close_shifts(site, first, closed)
        closing.close_day(site=site, day=first, act=closed)
        self.tell("last night")
        house = SimulatedHouse(site=site, seed=seed, start=start, whole=True)
        others = [sheet for sheet in games() if sheet.code not in EVENINGS_GAMES]
        play_night(house, tables=YESTERDAYS_TABLES, hours=YESTERDAYS_HOURS, sheets=others)
        reviewed = Act(Staff.objects.get(username="compliance"), house.now, "seed-review")
        review_access(site=site, act=reviewed)
        counted = count_boxes(site=site, at=now - COUNTED, prefix="seed-count")
        counted = go_beyond(site=site, at=counted, prefix="seed")
        sign_off_banks(site=site, at=now, prefix="seed-bank")
        after = counted + timedelta(minutes=1)
        close_shifts(site, gaming_day(site, start), Act(cashier, after, "seed-night", approver=floor))
        count_vault(site, Act(actor=cashier, approver=floor, now=after, key="seed-count"))
        self.tell("this evening")
        play_evening(site=site, seed=seed, end=now, minutes=EVENING_MINUTES)
        asked = AskedPaper(keeping_papers.TEST, CSV, (first, first), players=False)
        compliance = Act(Staff.objects.get(username="compliance"), now, terminal="books")
        keeping_papers.ask(site=site, asked=asked, act=compliance)  # the server makes it once it runs
        self.tell_token(Act(Staff.objects.get(username="manager"), now, "seed-token"))

    def tell_token(self, act: Act) -> None:
        """Make the regulator's program a token, and print it: nobody is shown it again."""
        regulator, last = Staff.objects.get(username="regulator"), (act.now + TOKEN_FOR).date()
        _, secret = tokens.make(person_id=regulator.pk, name="Program of the bureau", last=last, act=act)
        self.tell(f"token of the regulator up to {last}, for docs/api.md: {secret}")

    def tell(self, what: str) -> None:
        self.stdout.write(f"  {what}")
        self.stdout.flush()
