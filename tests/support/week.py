"""A week of a demo house with everything in it: each night played to its end, its boxes counted and all
differences signed off, and its day closed in the next one."""

import io
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from zoneinfo import ZoneInfo

import time_machine

from casino.demo.nights.evening import morning, sign_off_banks
from casino.demo.nights.house import OPENING_FLOAT, SimulatedHouse, close_shifts, count_vault, publish_rates
from casino.demo.nights.plan import play_night
from casino.demo.people import employ_people
from casino.models import Staff
from casino.serving import system
from casino.sign_in import terminals
from casino.staff import hiring
from casino.staff.hiring import review_access
from ledger.cage import boxes, exclusions
from ledger.cage.stocking import stock_cage
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.journal.days import day_bounds
from ledger.journal.particulars import change_house, particulars_of
from ledger.models import Site
from ledger.proof.log import sealing, testing_controls
from tables.collection.rates import RateEntry, publish_rate, rates_in_force

FIRST = date(2026, 3, 6)
"""In the night after its second day the clocks go forward."""
ZONE = ZoneInfo("America/Los_Angeles")


class Week:
    """The house, its staff by name, and the gaming days, all of which are closed in the end."""

    def __init__(self, *, days, tables, hours):
        self.days = [FIRST + timedelta(days=number) for number in range(days)]
        self.tables, self.hours, self.numbers = tables, hours, count(1)
        self.now = datetime.combine(FIRST, time(16), ZONE).astimezone(UTC)
        with time_machine.travel(self.now, tick=False):
            self.site = Site.objects.create(
                name="The Fifth Street Room",
                licence="GEGE-001234",
                shifts=3,
                box_seals=True,
                drop_times="06:00 14:00 22:00",
                demo=True,
            )
            employ_people()
            system.state(now=self.now)
        self.people = {one.username: one for one in Staff.objects.all()}
        publish_rates(self.site, self.now)
        stock_cage(site=self.site, pieces=OPENING_FLOAT, act=self.act("cashier", "floor"))
        self.at_the_desk()

    @property
    def period(self):
        return self.days[0], self.days[-1]

    def act(self, who, second=None, **more):
        second = self.people[second] if second else None
        return Act(
            self.people[who], self.now, f"week-{next(self.numbers)}", "desk 1", approver=second, **more
        )

    def at_the_desk(self):
        """What the house does once before it opens: a terminal, a new dealer, two on the exclusion list."""
        manager, compliance = self.act("manager"), self.act("compliance")
        terminals.enrol(name="Table 1", act=manager)
        hiring.hire(
            username="newcomer",
            full_name="Nell Newcomer",
            badge="LA-9001",
            badge_expires=date(2027, 1, 1),
            roles=frozenset(["dealer"]),
            act=manager.under("hired"),
        )
        for name in ("Mallory Reed", "Rex Black"):
            said = {"name": name, "reference": "GEGE-7", "effective_from": FIRST}
            listed = exclusions.add_exclusion(site=self.site, **said, act=compliance.under(name))
        lifted = compliance.under("lifted").because("An appeal was granted")
        exclusions.lift_exclusion(exclusion_id=listed.pk, act=lifted)

    def play(self):
        for number, day in enumerate(self.days, 1):
            self.now = datetime.combine(day, time(18), ZONE).astimezone(UTC)
            self.change(number)
            self.night(number)
            self.end(day)
        sealing.seal(self.site, now=self.now, whole=True)
        return self

    def change(self, number):
        """The second day has a new rate from the last on, the third one shift less; on the last one rights
        are reviewed, and controls tested over what is closed."""
        if number == 2:
            was = rates_in_force(self.site, self.now)[0]
            entry = RateEntry(was.limit_cents, was.fee_cents + 100, "BGC-12", self.days[-1])
            publish_rate(site=self.site, option=was.option, entry=entry, act=self.act("manager"))
        if number == 3:
            fewer = replace(particulars_of(self.site), shifts=2)
            change_house(site=self.site, particulars=fewer, act=self.act("manager"))
        if number == len(self.days):
            review_access(site=self.site, act=self.act("compliance"))
            closed, act = (self.days[0], self.days[-2]), self.act("compliance")
            testing_controls.write_test(
                io.BytesIO(), site=self.site, days=closed, progress=lambda done, of: None, act=act
            )

    def night(self, number):
        house = SimulatedHouse(site=self.site, seed=number, start=self.now, whole=True)
        play_night(house, tables=self.tables, hours=self.hours)
        self.now = morning(house, max(house.now, self.now + timedelta(hours=self.hours + 1)))

    def end(self, day):
        """Sign off every difference, and close the day as soon as it may be."""
        self.now += timedelta(minutes=1)
        for box in self.site.boxes.filter(pulled_at__isnull=False, sign_off=None):
            boxes.sign_off(box=box, cause="A chip was missing", act=self.act("cashier", "manager"))
        sign_off_banks(site=self.site, at=self.now, prefix=f"week-{day}")
        self.now = day_bounds(self.site, day)[1] + closing.GRACE
        close_shifts(self.site, day, self.act("cashier", "floor"))
        count_vault(self.site, self.act("cashier", "floor"))
        closing.close_day(site=self.site, day=day, act=self.act("cashier", "floor"))
