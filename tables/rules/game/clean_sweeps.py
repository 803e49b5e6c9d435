"""Clean sweeps: which kinds thirteen cards make (R25, R26), and which of two is better (R24)."""

from collections.abc import Iterator
from itertools import combinations, groupby
from operator import itemgetter
from typing import Final, NamedTuple

from tables.rules.game.cards import (
    LOWEST_RANK,
    RANK_MASK,
    RANK_UNITS,
    SUIT_SHIFTS,
    SUITS_SHIFT,
    rank_counts,
    suit_counts,
    tally,
)
from tables.rules.game.ranking import (
    ACE,
    FIVE_OF_A_SUIT,
    FLUSH,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    FiveCardTable,
    category_of,
    front_strength,
    high_table,
)
from tables.rules.game.sheet import Sheet

Tallies = tuple[int, int, int]  # of front, middle and back; 0 for a segment that is not known

_STRAIGHTS: Final = (STRAIGHT, STRAIGHT_FLUSH, ROYAL_FLUSH)
_FLUSHES: Final = (FLUSH, STRAIGHT_FLUSH, ROYAL_FLUSH)


def _runs(length: int) -> dict[int, int]:
    """Map every straight of so many cards, as a tally of ranks, to its top card; the ace is also low."""
    units = (RANK_UNITS[-1], *RANK_UNITS)  # the ace before the deuce too
    return {sum(units[low : low + length]): low + length for low in range(len(units) - length + 1)}


_FRONT_STRAIGHTS: Final = _runs(3)
_FIVE_STRAIGHTS: Final = _runs(5)
_THREE_STRAIGHTS: Final = frozenset(
    back + middle + front
    for back in _FIVE_STRAIGHTS
    for middle in _FIVE_STRAIGHTS
    for front in _FRONT_STRAIGHTS
)
_THREE_FLUSHES: Final = frozenset({(0, 0, 0, 13), (0, 0, 3, 10), (0, 0, 5, 8), (0, 3, 5, 5)})
_THREE_OF_A_SUIT: Final = frozenset(
    3 << shift - SUITS_SHIFT for shift in SUIT_SHIFTS
)  # as a tally counts suits
_DRAGON: Final = sum(RANK_UNITS)


class CleanSweep(NamedTuple):
    """A clean sweep that counts: its kind, worth, index in the sheet's list, and cards."""

    kind: str
    points: int
    place: int
    cards: tuple[str, ...]
    tallies: Tallies  # of the segments, (0, 0, 0) if the hand was not set


def kinds_held(sheet: Sheet, total: int, tallies: Tallies) -> tuple[str, ...]:
    """Return the sheet's kinds that a hand makes, in the sheet's order (R25, R26). `total` is the tally of 13
    cards. With `basis = set` the caller makes sure that the hand is not foul."""
    by_segment = tallies if sheet.clean_sweep.basis == "set" else None
    return tuple(kind for kind in sheet.clean_sweep.kinds if _makes(kind, total, by_segment))


def _makes(kind: str, total: int, tallies: Tallies | None) -> bool:
    if kind == "three-straights":
        return _is_three_straights(total, tallies)
    if kind == "three-flushes":
        return _is_three_flushes(total, tallies)
    if kind in ("dragon", "super-dragon"):
        return total & RANK_MASK == _DRAGON and (kind == "dragon" or 13 in suit_counts(total))
    if kind in ("thirteen-colours", "twelve-colours"):
        clubs, diamonds, hearts, spades = suit_counts(total)
        return max(diamonds + hearts, clubs + spades) == (13 if kind == "thirteen-colours" else 12)
    counts = rank_counts(total)
    if kind == "six-pairs":
        return sum([count // 2 for count in counts]) == 6
    if kind == "no-broadway":
        return not any(counts[10 - LOWEST_RANK :])
    return not any(counts[11 - LOWEST_RANK : ACE - LOWEST_RANK])  # no-people: jack, queen, king


def _is_three_straights(total: int, tallies: Tallies | None) -> bool:
    if tallies is None:
        return total & RANK_MASK in _THREE_STRAIGHTS
    front, middle, back = (segment & RANK_MASK for segment in tallies)
    return front in _FRONT_STRAIGHTS and middle in _FIVE_STRAIGHTS and back in _FIVE_STRAIGHTS


def _is_three_flushes(total: int, tallies: Tallies | None) -> bool:
    if tallies is None:
        return tuple(sorted(suit_counts(total))) in _THREE_FLUSHES
    front, middle, back = (segment >> SUITS_SHIFT for segment in tallies)
    return front in _THREE_OF_A_SUIT and middle in FIVE_OF_A_SUIT and back in FIVE_OF_A_SUIT


def highest(sheet: Sheet, kinds: tuple[str, ...]) -> str:
    """Return the kind that counts: the highest-valued, of equal values the first listed (R22)."""
    return max(
        kinds, key=sheet.clean_sweep.kinds.__getitem__
    )  # `kinds` is in the list's order, and max keeps the first


def beats(sheet: Sheet, one: CleanSweep, other: CleanSweep) -> bool:
    """Return whether the first clean sweep is better (R24); neither is where they push."""
    compare = sheet.clean_sweep.compare
    if compare == "rank":
        return one.place < other.place
    if one.points != other.points or compare == "value":
        return one.points > other.points
    return one.kind == other.kind and _strength(sheet, one) > _strength(sheet, other)


def _strength(sheet: Sheet, sweep: CleanSweep) -> tuple[int, ...]:
    if sweep.kind == "six-pairs":
        counts = rank_counts(tally(sweep.cards))
        return tuple(rank for rank in range(12, -1, -1) for _ in range(counts[rank] // 2))
    if sweep.kind not in ("three-straights", "three-flushes"):
        return ()
    table = high_table(sheet.wheel)
    if sheet.clean_sweep.basis == "set":
        front, middle, back = sweep.tallies
        top = _front_strength(sweep.kind, front)
        return table.strength(back), table.strength(middle), -1 if top is None else top
    return best_split(sweep.kind, sweep.cards, table) or ()


def best_split(kind: str, cards: tuple[str, ...], table: FiveCardTable) -> tuple[int, int, int] | None:
    """Return strengths of back, middle and front in the best split (R25); None if there is none."""
    by_strength = itemgetter(0)
    backs = sorted(_choices(kind, cards, table), key=by_strength, reverse=True)
    for back, equals in groupby(backs, key=by_strength):
        rests = [rest for _, left in equals if (rest := _best_rest(kind, left, table))]
        if rests:
            return (back, *max(rests))
    return None


def _best_rest(kind: str, cards: tuple[str, ...], table: FiveCardTable) -> tuple[int, int] | None:
    rests = [
        (middle, front)
        for middle, left in _choices(kind, cards, table)
        if (front := _front_strength(kind, tally(left))) is not None
    ]
    return max(rests, default=None)


def _choices(
    kind: str, cards: tuple[str, ...], table: FiveCardTable
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each choice of five cards that make the straight or flush: strength, and the cards left."""
    wanted = _STRAIGHTS if kind == "three-straights" else _FLUSHES
    for five in combinations(cards, 5):
        strength = table.strength(tally(five))
        if category_of(strength) in wanted:
            yield strength, tuple(card for card in cards if card not in five)


def _front_strength(kind: str, front: int) -> int | None:
    """Return the strength of three cards as a straight (its top card) or a flush; None if neither."""
    if kind == "three-straights":
        return _FRONT_STRAIGHTS.get(front & RANK_MASK)
    return front_strength(front) if front >> SUITS_SHIFT in _THREE_OF_A_SUIT else None
