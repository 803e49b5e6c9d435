"""A small house in which everything has happened,
verified before somebody changes a row behind the triggers."""

from tests.support import busy
from tests.support.kept import kept
from tests.support.states import left


@kept
def busy_house(stocked_site, employ, players, floor, floor2, dealer, cashier, counter1, counter2, manager):
    """A small house in which everything has happened that leaves a row."""
    crew = (floor, floor2, dealer, cashier, counter1, counter2, manager, employ("compliance", "compliance"))
    return busy.play(stocked_site, {person.username: person for person in crew}, players).site


@kept
def busy_state(busy_house):
    """What was verified before somebody changes anything."""
    return left(busy_house, busy.NOW)
