"""A round's hands by position, and the pairs that meet, in order (R30, R31, R35)."""

from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import Any

from tables.rules.game.comparing import FIRST, PUSH, SECOND
from tables.rules.game.sheet import Sheet
from tables.rules.table.dealing import SEATS, compares_first

Way = tuple[int, int, tuple[int, int]]  # of a payment: from seat, to seat, and the positions of both hands
# Indexes of two hands, their seats, who wins ties, and the ways of a payment to the first and to the second.
Pair = tuple[int, int, tuple[int, int], int, Way, Way]


@lru_cache(maxsize=1 << 14)
def seating(
    sheet: Sheet, entered: tuple[int, ...], button: int
) -> tuple["itemgetter[tuple[Any, ...]]", tuple[Pair, ...]]:
    """Return the getter that puts hands in order of position, and the pairs in the order of R31."""
    start = compares_first(entered, button, sheet.first)
    order = sorted(range(len(entered)), key=lambda place: (entered[place] - start) % len(SEATS))
    if len(entered) == 4 and entered[order[0]] == entered[order[1]]:
        order[1], order[2] = order[2], order[1]  # two hands each: A1, B1, A2, B2 (R35)
    seats = [entered[place] for place in order]
    wins_ties = button if sheet.ties == "button" else None
    pairs = tuple(
        (
            first,
            second,
            (seats[first], seats[second]),
            FIRST if seats[first] == wins_ties else SECOND if seats[second] == wins_ties else PUSH,
            (seats[second], seats[first], (second + 1, first + 1)),
            (seats[first], seats[second], (first + 1, second + 1)),
        )
        for first, second in combinations(range(len(seats)), 2)
        if seats[first] != seats[second]  # two hands of one player are no pair
    )
    return itemgetter(*order), pairs
