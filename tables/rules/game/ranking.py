"""Rank segments: five cards by R1, R2 and R6, three by R3, all on one scale (R4).

A **strength** is an int; the greater one is the better segment, also between three and five cards. In
hexadecimal: the category, then up to five ranks (2 to E) by importance, 0 for none, so a front that runs out
of cards is below five cards that go on:

0x1CA000 Q Q T in front 0x1CA940 Q Q T 9 4 in the middle

Strength 0 stands for a segment that is not known. In `low` tables strengths are negated, so the greater one
wins there too. Which segments a hand may lay is in `setting`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple

from tables.rules.game.cards import LOWEST_RANK, RANK_MASK, RANK_UNITS, SUITS_SHIFT

Strengths = tuple[int, int, int]  # of front, middle and back; 0 for a segment that is not known

CATEGORIES: Final = tuple(
    "high-card pair two-pairs trips straight flush full-house quads straight-flush royal-flush".split()
)
(HIGH_CARD, PAIR, TWO_PAIRS, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH, ROYAL_FLUSH) = range(
    len(CATEGORIES)
)

_CATEGORY_OF_COUNTS: Final = {
    (1, 1, 1): HIGH_CARD,
    (2, 1): PAIR,
    (3,): TRIPS,
    (1, 1, 1, 1, 1): HIGH_CARD,
    (2, 1, 1, 1): PAIR,
    (2, 2, 1): TWO_PAIRS,
    (3, 1, 1): TRIPS,
    (3, 2): FULL_HOUSE,
    (4, 1): QUADS,
}
ACE: Final = 14
FIVE_OF_A_SUIT: Final = frozenset(5 << 4 * place for place in range(4))  # as a tally counts suits
WHEEL: Final = (14, 5, 4, 3, 2)
CATEGORY_SHIFT: Final = 20
FIRST_RANK_SHIFT: Final = 16  # a strength shifted by this is its category and most important rank


class FiveCardTable(NamedTuple):
    """Strengths of five cards by the tally of their ranks: `table[of_one_suit][ranks]`."""

    ranks: dict[int, int]
    flushes: dict[int, int]

    def strength(self, tally: int) -> int:
        return self[tally >> SUITS_SHIFT in FIVE_OF_A_SUIT][tally & RANK_MASK]


def category_of(strength: int) -> int:
    """Return the category as an index in CATEGORIES."""
    return abs(strength) >> CATEGORY_SHIFT


def category_name(strength: int) -> str | None:
    """Return the category in the words of the score format; None for strength 0."""
    return CATEGORIES[abs(strength) >> CATEGORY_SHIFT] if strength else None


def _packed(category: int, ranks: Sequence[int]) -> int:
    strength = category
    for place in range(5):
        strength = strength << 4 | (ranks[place] if place < len(ranks) else 0)
    return strength


def _by_groups(ranks: Iterable[int]) -> int:
    """Return the strength by equal ranks alone: quads before trips before pairs, then high before low."""
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    category = _CATEGORY_OF_COUNTS[tuple(count for count, _ in groups)]
    return _packed(category, [rank for _, rank in groups])


def _straight_order(ranks: tuple[int, ...], wheel: str) -> tuple[int, ...] | None:
    """Return what orders a straight among straights (R2), or None; the second-best wheel is (13, 8)."""
    if ranks == WHEEL:
        return {"lowest": (5,), "second": (13, 8)}.get(wheel)
    return ranks[:1] if ranks[0] - ranks[4] == 4 else None


def _tally_of_ranks(ranks: Iterable[int]) -> int:
    return sum(RANK_UNITS[rank - LOWEST_RANK] for rank in ranks)


def _build(wheel: str, sign: int) -> FiveCardTable:
    all_ranks = range(ACE, LOWEST_RANK - 1, -1)
    by_ranks = {
        _tally_of_ranks(ranks): sign * _by_groups(ranks)
        for ranks in combinations_with_replacement(all_ranks, 5)
        if ranks[0] != ranks[4]
    }
    flushes = {}
    for ranks in combinations(all_ranks, 5):
        ranks_tally = _tally_of_ranks(ranks)
        order = _straight_order(ranks, wheel)
        if order is None:
            flushes[ranks_tally] = sign * _packed(FLUSH, ranks)
        else:
            by_ranks[ranks_tally] = sign * _packed(STRAIGHT, order)
            category = ROYAL_FLUSH if order == (ACE,) else STRAIGHT_FLUSH
            flushes[ranks_tally] = sign * _packed(category, order)
    return FiveCardTable(by_ranks, flushes)


@cache
def high_table(wheel: str) -> FiveCardTable:
    """Return the table of five cards by R1, with the wheel `lowest` or `second` (R2)."""
    return _build(wheel, 1)


@cache
def low_table() -> FiveCardTable:
    """Return the deuce-to-seven table: the lower poker hand is the greater strength, aces high (R6)."""
    return _build("never", -1)


# Three cards (R3), by the ranks in their tally.
FRONT_STRENGTHS: Final[dict[int, int]] = {
    _tally_of_ranks(ranks): _by_groups(ranks)
    for ranks in combinations_with_replacement(range(ACE, LOWEST_RANK - 1, -1), 3)
}


def front_strength(tally: int) -> int:
    return FRONT_STRENGTHS[tally & RANK_MASK]
