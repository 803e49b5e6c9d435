"""Two hands segment by segment: who wins what, and what that and the bonuses are worth (R10-R14).

Points are looked up by the bonuses of both hands; lines are written only when they are read."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from tables.rules.game.ranking import ROYAL_FLUSH, STRAIGHT_FLUSH, Strengths, category_of
from tables.rules.game.sheet import SEGMENTS, Sheet

BonusPoints = tuple[int, int, int, int]  # for front, middle, back and the broken hand

BONUS_REASONS: Final = ("bonus_front", "bonus_middle", "bonus_back", "bonus_broken")
BROKEN: Final = 3  # index of the broken bonus, after the three segments
NO_BONUSES: Final = (0, 0, 0, 0)
PUSH, FIRST, SECOND = range(3)  # who wins a segment


class Line(NamedTuple):
    to_seat: int
    reason: str
    points: int


Lines = tuple[Line, ...]
Laid = tuple[Strengths, BonusPoints]  # what is compared of a hand: its strengths, and its bonuses that count
_Share = tuple[int, str, int]  # FIRST or SECOND, reason, points
# The points of a segment, by the bonuses of the first and the second hand, and by who wins it.
Outcomes = dict[int, dict[int, tuple[int, int, int]]]


class Tables(NamedTuple):
    """What two hands can owe each other, in points in favour of the first (R14); `ends` by three winners."""

    front: Outcomes
    middle: Outcomes
    back: Outcomes
    ends: dict[tuple[int, int, int], int] | None


@lru_cache(maxsize=1 << 8)
def outcome_tables(sheet: Sheet) -> Tables:
    front, middle, back = (
        _outcomes(sheet, place, points)
        for place, points in enumerate((sheet.front_points, sheet.middle_points, sheet.back_points))
    )
    winners = product((PUSH, FIRST, SECOND), repeat=len(SEGMENTS))
    ends = {(f, m, b): _net(_end(sheet, (f, m, b))) for f, m, b in winners}
    return Tables(front, middle, back, ends if any(ends.values()) else None)


def _outcomes(sheet: Sheet, place: int, points: Sequence[int]) -> Outcomes:
    held = {0, *points, *(2 * bonus for bonus in points if sheet.bonus.double_same_category)}

    def outcome(one: int, other: int, winner: int) -> int:
        return _net(_segment(sheet, place, one, other, winner))

    return {
        one: {
            other: (outcome(one, other, PUSH), outcome(one, other, FIRST), outcome(one, other, SECOND))
            for other in held
        }
        for one in held
    }


def _net(shares: Iterable[_Share]) -> int:
    return sum(points if hand == FIRST else -points for hand, _, points in shares)


def lines(
    sheet: Sheet, seats: tuple[int, int], held: BonusPoints, their_held: BonusPoints, *winners: int
) -> Lines:
    """Return what the players of two hands owe each other, line by line."""
    found: Lines = ()
    for place, winner in enumerate(winners):
        found += _segment_lines(sheet, seats, place, held[place], their_held[place], winner)
    rest = [*_bonuses(BROKEN, held[BROKEN], their_held[BROKEN]), *_end(sheet, winners)]
    return found + _to_seats(seats, rest)


@lru_cache(maxsize=1 << 14)
def _segment_lines(
    sheet: Sheet, seats: tuple[int, int], place: int, held: int, their_held: int, winner: int
) -> Lines:
    return _to_seats(seats, _segment(sheet, place, held, their_held, winner))


def _to_seats(seats: tuple[int, int], shares: Iterable[_Share]) -> Lines:
    return tuple([Line(seats[hand != FIRST], reason, points) for hand, reason, points in shares])


def _segment(sheet: Sheet, place: int, held: int, their_held: int, winner: int) -> list[_Share]:
    """Return the shares of a segment in which the two hands hold these bonuses (R10, R13)."""
    bonus = sheet.bonus
    if bonus.cancel and held and their_held:
        held = their_held = 0
    if bonus.to == "winner":
        held, their_held = held if winner == FIRST else 0, their_held if winner == SECOND else 0
    shares = _bonuses(place, held, their_held)
    replaced = bonus.mode == "replace" and (held if winner == FIRST else their_held)
    if winner != PUSH and not replaced:
        shares.append((winner, SEGMENTS[place], 1))
    return shares


def _bonuses(place: int, held: int, their_held: int) -> list[_Share]:
    shares = ((FIRST, BONUS_REASONS[place], held), (SECOND, BONUS_REASONS[place], their_held))
    return [share for share in shares if share[2]]


def _end(sheet: Sheet, winners: Sequence[int]) -> list[_Share]:
    """Return the shares for more than half of the segments, and for all of them (R11, R12)."""
    return [
        (hand, reason, points)
        for needed, reason, points in ((2, "majority", sheet.majority), (3, "scoop", sheet.scoop))
        for hand in (FIRST, SECOND)
        if points and winners.count(hand) >= needed
    ]


def doubled(sheet: Sheet, one: Laid, other: Laid) -> Laid:
    """Double the bonuses by which the first hand beats a segment of the same category; no ties (R10, R13)."""
    strengths, held = one
    front, middle, back = (
        2 * points
        if strength > theirs and _category(sheet, place, strength) == _category(sheet, place, theirs)
        else points
        for place, (strength, points, theirs) in enumerate(zip(strengths, held, other[0], strict=False))
    )
    return strengths, (front, middle, back, held[BROKEN])


def _category(sheet: Sheet, place: int, strength: int) -> int:
    """Return the category for doubling: a royal flush without its own bonus is a straight flush (R13)."""
    category = category_of(strength)
    own = "royal-flush" in (sheet.bonus.middle if place == 1 else sheet.bonus.back)
    return STRAIGHT_FLUSH if category == ROYAL_FLUSH and not own else category
