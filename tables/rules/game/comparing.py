"""Two hands segment by segment: who wins what, and what that and their bonuses are worth (R10-R14).

Every pair of hands that is not foul, given up or a clean sweep comes through here, so that a round of four hands does
it six times. A game knows few outcomes of a segment; the lines of each are made once for two seats and kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations, product
from typing import Final, NamedTuple

from tables.rules.game.ranking import ROYAL_FLUSH, STRAIGHT_FLUSH, category_of
from tables.rules.game.sheet import SEGMENTS, Sheet

BonusPoints = tuple[int, int, int, int]  # for front, middle, back and the broken hand

BONUS_REASONS: Final = ("bonus_front", "bonus_middle", "bonus_back", "bonus_broken")
BROKEN: Final = 3  # place of the broken bonus behind those of the three segments
NO_BONUSES: Final = (0, 0, 0, 0)
BONUSES_FROM: Final = 3  # where a laid hand has its bonuses


class Line(NamedTuple):
    """Points that one hand's player collects from the other's, and for what."""

    to_seat: int
    reason: str
    points: int


Verdict = tuple[
    int, tuple[Line, ...]
]  # points, netted in favour of the first of two hands (R14), and their lines
NOTHING: Final[Verdict] = (0, ())
# What is compared of a hand: its strengths and its bonuses that count, in one row, because it is read for every pair.
Laid = tuple[int, int, int, int, int, int, int]
Way = tuple[int, int, tuple[int, int]]  # of a payment: from a seat to a seat, and the positions of both hands
# What can come of a segment: by the bonuses that one hand and the other hold there, what they owe each other for a push,
# a win of the first and a win of the other, at the places 0, 1 and -1.
_Outcomes = dict[int, dict[int, tuple[Verdict, Verdict, Verdict]]]


def netted(seat: int, lines: list[Line]) -> Verdict:
    """The lines that have points, and what they come to as this seat sees it (R14)."""
    told = tuple(line for line in lines if line.points)
    return sum(line.points if line.to_seat == seat else -line.points for line in told), told


class Comparison:
    """All that hands at two seats can owe each other in one game.

    Outcomes are worked out when they first come up: a game has few of them, and a night meets them over and over.
    """

    def __init__(self, sheet: Sheet, seat: int, other: int) -> None:
        self._sheet, self._seat, self._other = sheet, seat, other
        self._front: _Outcomes = {}
        self._middle: _Outcomes = {}
        self._back: _Outcomes = {}
        self._has_ends = bool(sheet.majority or sheet.scoop)
        self._ends = {won: self._end(won) for won in product((1, 0, -1), repeat=len(SEGMENTS))}

    def verdict(self, one: Laid, other: Laid, tie: int) -> Verdict:
        """What these two hands owe each other, no bonus being doubled.

        `tie` is what comes of equal segments: 1 where the first hand wins them, -1 the other, 0 for a push (R10).
        """
        front, middle, back, in_front, in_middle, in_back, broken = one
        their_front, their_middle, their_back, f, m, b, their_broken = other
        front_won = 1 if front > their_front else -1 if front < their_front else tie
        middle_won = 1 if middle > their_middle else -1 if middle < their_middle else tie
        back_won = 1 if back > their_back else -1 if back < their_back else tie
        try:
            front_points, front_lines = self._front[in_front][f][front_won]
            middle_points, middle_lines = self._middle[in_middle][m][middle_won]
            back_points, back_lines = self._back[in_back][b][back_won]
        except KeyError:
            self._work_out(one, other)
            return self.verdict(one, other, tie)
        points = front_points + middle_points + back_points
        lines = front_lines + middle_lines + back_lines
        if broken or their_broken:
            more, also = self._broken(broken, their_broken)
            points, lines = points + more, lines + also
        if self._has_ends:
            more, also = self._ends[front_won, middle_won, back_won]
            points, lines = points + more, lines + also
        return points, lines

    def verdict_with_doubling(self, one: Laid, other: Laid, tie: int) -> Verdict:
        """What these two hands owe each other where the sheet doubles bonuses."""
        return self.verdict(_doubled(self._sheet, one, other), _doubled(self._sheet, other, one), tie)

    def _work_out(self, one: Laid, other: Laid) -> None:
        for place, outcomes in enumerate((self._front, self._middle, self._back)):
            held, their_held = one[BONUSES_FROM + place], other[BONUSES_FROM + place]
            known = outcomes.setdefault(held, {})
            if their_held not in known:
                push, won, lost = (self._segment(place, held, their_held, outcome) for outcome in (0, 1, -1))
                known[their_held] = push, won, lost

    def _segment(self, place: int, held: int, their_held: int, outcome: int) -> Verdict:
        """What a segment is worth that the first hand won (1), or the other (-1), or neither (0) (R10, R13)."""
        bonus, reason = self._sheet.bonus, BONUS_REASONS[place]
        if bonus.cancel and held and their_held:
            held = their_held = 0
        if bonus.to == "winner":
            held, their_held = held if outcome > 0 else 0, their_held if outcome < 0 else 0
        lines = []
        if held:
            lines.append(Line(self._seat, reason, held))
        if their_held:
            lines.append(Line(self._other, reason, their_held))
        replaced = bonus.mode == "replace" and (held if outcome > 0 else their_held)
        if replaced:
            outcome = 0
        if outcome:
            lines.append(Line(self._seat if outcome > 0 else self._other, SEGMENTS[place], 1))
        return held - their_held + outcome, tuple(lines)

    def _broken(self, held: int, their_held: int) -> Verdict:
        """The bonuses for broken hands, always to their holders (R13)."""
        reason = BONUS_REASONS[BROKEN]
        return netted(self._seat, [Line(self._seat, reason, held), Line(self._other, reason, their_held)])

    def _end(self, won: tuple[int, ...]) -> Verdict:
        """What comes on top for more than half of the segments, and for all of them (R11, R12)."""
        lines = []
        for needed, reason, points in (
            (2, "majority", self._sheet.majority),
            (3, "scoop", self._sheet.scoop),
        ):
            for outcome, seat in ((1, self._seat), (-1, self._other)):
                if won.count(outcome) >= needed:
                    lines.append(Line(seat, reason, points))
        return netted(self._seat, lines)


Compare = Callable[[Laid, Laid, int], Verdict]
Pair = tuple[int, int, Compare, int, Way, Way]


@lru_cache(maxsize=1 << 14)
def pairs(sheet: Sheet, seats: tuple[int, ...], button: int) -> list[Pair]:
    """The pairs in the order of R31 between hands of these seats, which stand by position.

    Each with the places of its two hands, what compares them and who of them wins ties, and the ways of a payment to
    the first and to the second. Two hands of one player are no pair (R35).
    """
    wins_ties = button if sheet.ties == "button" else None
    return [
        (
            first,
            second,
            _compare(sheet, seats[first], seats[second]),
            (seats[first] == wins_ties) - (seats[second] == wins_ties),
            (seats[second], seats[first], (second + 1, first + 1)),
            (seats[first], seats[second], (first + 1, second + 1)),
        )
        for first, second in combinations(range(len(seats)), 2)
        if seats[first] != seats[second]
    ]


@lru_cache(maxsize=1 << 10)
def _compare(sheet: Sheet, seat: int, other: int) -> Compare:
    comparison = Comparison(sheet, seat, other)
    return comparison.verdict_with_doubling if sheet.bonus.double_same_category else comparison.verdict


def _doubled(sheet: Sheet, one: Laid, other: Laid) -> Laid:
    """A hand with twice the bonuses by which it beats a segment of the same category (R13).

    A tie that the button wins never doubles (R10).
    """
    front, middle, back = (
        2 * points
        if strength > theirs and _category(sheet, place, strength) == _category(sheet, place, theirs)
        else points
        for place, (strength, points, theirs) in enumerate(
            zip(one[:BONUSES_FROM], one[BONUSES_FROM:], other, strict=False)
        )
    )
    return (*one[:BONUSES_FROM], front, middle, back, one[BONUSES_FROM + BROKEN])


def _category(sheet: Sheet, place: int, strength: int) -> int:
    """The category for doubling: a royal flush is a straight flush where it has no bonus of its own (R13)."""
    category = category_of(strength)
    own = "royal-flush" in (sheet.bonus.middle if place == 1 else sheet.bonus.back)
    return STRAIGHT_FLUSH if category == ROYAL_FLUSH and not own else category
