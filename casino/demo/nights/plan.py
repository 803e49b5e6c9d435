"""Plan and run a whole simulated night, and return its figures."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

from django.db.models import Count, Sum

from casino.demo.nights.custody import AT_TABLES, run_errands
from casino.demo.nights.house import SimulatedHouse, free_tables, publish_rates, usual_game, usual_rate
from casino.demo.nights.playing import SimulatedTable
from ledger.cage import window
from ledger.journal.acts import Act
from ledger.journal.balances import asset_sums
from ledger.journal.records import evidence_in, record_of
from tables.floor.games import house_sheets
from tables.models import Charge, CorrectionRequest, FeePayment, Round
from tables.reports.patrons_cash import patron_of_receipt
from tables.rules.game.rounds import parse_round, score
from tables.rules.game.sheet import Sheet
from tables.seats.players import Person, know_player

UNKNOWN = Person(description="red cap, grey beard")
ROLLER = Person(name="Victor Lam")
JUST_BELOW_CENTS, LARGE_CENTS = 290_000, 600_000


def serve_patrons(house: SimulatedHouse) -> None:
    """Play a stranger who buys twice, and is asked who it is when that makes $5,800, and a player whose cash
    must be reported. All chips come back."""
    first, _ = house.sell(JUST_BELOW_CENTS, _patron(house, None))
    second, _ = house.sell(JUST_BELOW_CENTS, _patron(house, UNKNOWN, seen=first.receipt.number))
    red_cap = patron_of_receipt(house.site, second.receipt.number, house.now)
    for _ in range(2):
        house.sell(LARGE_CENTS, _patron(house, ROLLER))
    house.redeem(2 * LARGE_CENTS, _patron(house, ROLLER))
    house.redeem(2 * JUST_BELOW_CENTS, _patron(house, red_cap))


def _patron(house: SimulatedHouse, who: Any, **said: Any) -> window.Patron:
    act = Act(house.crew.cashier, house.now)
    return window.Patron(enter=who and partial(_entry, who, house.site, act), **said)


def _entry(who: Any, site: Any, act: Act) -> int:
    """Return the number in the register of a person, or of an entry that is known."""
    number: int = know_player(who, site=site, act=act).pk if isinstance(who, Person) else who.pk
    return number


# All tables open within this many seconds.
OPENING_SECONDS = 1500
# Time after the last round for cashing out and the cage.
CLOSING = timedelta(hours=1)


def play_night(
    house: SimulatedHouse,
    *,
    tables: int,
    hours: float,
    leave_open: bool = False,
    sheets: Sequence[Sheet] = (),
) -> None:
    """Play a night at so many tables for so many hours; the same seed plays the same night. In the end
    everybody cashes out and the tables close, unless `leave_open`. Tables play `sheets` in this order, by
    default the game that `usual_game` gives each."""
    site, seed, start = house.site, house.seed, house.now
    house.errands = [*AT_TABLES] if house.whole else []
    rates = publish_rates(site, start)
    end = start + timedelta(hours=hours)
    openings = Random(f"{seed}/openings")
    for place, table in enumerate(free_tables(site, tables, start)):
        night = SimulatedTable(
            house=house,
            sheet=sheets[place % len(sheets)] if sheets else usual_game(seed, place),
            table=table,
            rate=usual_rate(rates, place),
            place=place,
            places=tables,
            until=None if leave_open else end,
        )
        opening = min(openings.randint(0, OPENING_SECONDS), round(hours * 900))
        house.expect(night.evening(), start + timedelta(seconds=opening if place else 0))
    house.run(end if leave_open else end + CLOSING)
    if not leave_open:
        serve_patrons(house)
        if house.whole:
            run_errands(house)
        house.pay_tokes()
        house.close_drawer()


def figures(house: SimulatedHouse) -> SimpleNamespace:
    """Return a night's totals from the books, in cents. `sums`, over all accounts by asset, must be zero."""
    entries = house.site.entries.filter(key__startswith=f"{house.prefix}-")
    rounds = Round.objects.filter(key__startswith=f"{house.prefix}-")
    charges = Charge.objects.filter(session__in=rounds.values("session")).aggregate(
        count=Count("pk"), cents=Sum("cents", default=0)
    )
    taken = FeePayment.objects.filter(entry__in=entries).aggregate(
        count=Count("pk"), cents=Sum("charge__cents", default=0)
    )
    known = house_sheets().library
    hands = [
        hand
        for record in entries.filter(kind="round").values_list(record_of("pk"), flat=True).iterator()
        for hand in score(parse_round(evidence_in(record)["input"], known)).hands
    ]
    asked = CorrectionRequest.objects.filter(round__in=rounds, hands__isnull=False)
    return SimpleNamespace(
        rounds=rounds.filter(state=Round.State.SETTLED).count(),
        voided=rounds.filter(state=Round.State.VOID).count(),
        entries=entries.count(),
        charged=charges["count"],
        charged_cents=charges["cents"],
        taken=taken["count"],
        taken_cents=taken["cents"],
        corrections=asked.filter(state=CorrectionRequest.State.APPROVED).count(),
        refused=asked.filter(state=CorrectionRequest.State.REFUSED).count(),
        fouls=sum(hand.foul for hand in hands),
        sweeps=sum(hand.sweep is not None for hand in hands),
        fantasy_lands=sum(hand.fantasy_land_next for hand in hands),
        sums=asset_sums(house.site),
    )
