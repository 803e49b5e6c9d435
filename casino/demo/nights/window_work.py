"""The patrons at the window at the end of a simulated night: a stranger who buys twice, and a player whose
cash of the day must be reported. All chips come back."""

from functools import partial
from typing import Any

from casino.demo.nights.house import SimulatedHouse
from ledger.cage import window
from ledger.journal.acts import Act
from tables.reports.patrons_cash import patron_of_receipt
from tables.seats.players import Person, know_player

UNKNOWN = Person(description="red cap, grey beard")
ROLLER = Person(name="Victor Lam")
JUST_BELOW_CENTS, LARGE_CENTS = 290_000, 600_000


def serve_patrons(house: SimulatedHouse) -> None:
    """Play both. The house asks who the first one is when the second purchase makes it $5,800."""
    first = _sell(house, JUST_BELOW_CENTS)
    second = _sell(house, JUST_BELOW_CENTS, UNKNOWN, seen=first.receipt.number)
    red_cap = patron_of_receipt(house.site, second.receipt.number, house.now)
    for _ in range(2):
        _sell(house, LARGE_CENTS, ROLLER)
    _redeem(house, 2 * LARGE_CENTS, ROLLER)
    _redeem(house, 2 * JUST_BELOW_CENTS, red_cap)


def _sell(house: SimulatedHouse, cents: int, who: Any = None, **said: Any) -> Any:
    house.fill_drawer(chips=cents)
    return house.at_window(window.sell_chips, cents, _patron(house, who, **said))[0]


def _redeem(house: SimulatedHouse, cents: int, who: Any) -> None:
    house.fill_drawer(cash=cents)
    house.at_window(window.redeem_chips, cents, _patron(house, who))


def _patron(house: SimulatedHouse, who: Any, **said: Any) -> window.Patron:
    act = Act(house.crew.cashier, house.now)
    return window.Patron(enter=who and partial(_entry, who, house.site, act), **said)


def _entry(who: Any, site: Any, act: Act) -> int:
    """Return the number in the register of a person, or of an entry that is known."""
    number: int = know_player(who, site=site, act=act).pk if isinstance(who, Person) else who.pk
    return number
