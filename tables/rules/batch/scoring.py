"""Score many rounds at once with NumPy, with the same answers as `rounds`: points by pair, and money.

For sheets whose words are all in `_KNOWN`; others are refused (`batch_unfit`). Arrays have rounds as their
first axis outside, and as their last inside, where one step covers many rounds.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tables.rules.batch.tables import Cards, Grader, Grades, GradeTables, grade_tables
from tables.rules.errors import BatchUnfit
from tables.rules.game.cards import DECK, RANKS
from tables.rules.game.ranking import (
    CATEGORIES,
    CATEGORY_SHIFT,
    FIRST_RANK_SHIFT,
    FLUSH,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
)
from tables.rules.game.sheet import SEGMENTS, Sheet

Flags = NDArray[np.bool_]
Ints = NDArray[Any]  # int8, int16 or int32

NONE: Final = -1  # no button among the hands, or no clean sweep
MOST_CENTS: Final = 10**12  # of limits: above it, cents might not fit into 64 bits
_ROUNDS_AT_ONCE: Final = 8192  # so many fit into a processor's second-level cache

_EACH_RANK_ONCE: Final = sum(1 << 4 * rank for rank in range(len(RANKS)))
_ARE_STRAIGHTS: Final = np.isin(np.arange(len(CATEGORIES)), (STRAIGHT, STRAIGHT_FLUSH, ROYAL_FLUSH))
_ARE_FLUSHES: Final = np.isin(np.arange(len(CATEGORIES)), (FLUSH, STRAIGHT_FLUSH, ROYAL_FLUSH))

# The words that a sheet scored here may use; keys not listed are free, or figures.
_KNOWN: Final[dict[str, tuple[object, ...]]] = {
    "hands_per_player": (1,),
    "middle": ("high",),
    "majority": (0,),
    "scoop": (0,),
    "race_to": (0,),
    "bonus.to": ("holder",),
    "bonus.mode": ("add",),
    "bonus.double_same_category": (False,),
    "bonus.cancel": (False,),
    "bonus.declared": (False,),
    "bonus.one_per_hand": (False,),
    "bonus.broken": (False,),
    "foul.plays": (False,),
    "surrender.allowed": (False,),
}
_KNOWN_OF_CLEAN_SWEEPS: Final[dict[str, tuple[object, ...]]] = {
    "clean_sweep.basis": ("set",),
    "clean_sweep.compare": ("value", "rank"),
}


class Rounds(NamedTuple):
    """Rounds of 2 to 4 hands, one a player, by position (R30), each set with 3, 5 and 5 cards.

    cards: uint8 [rounds, hands, 13], front, middle, back, as indexes in DECK; any 13 for a mis-set hand
    button: int8 [rounds], index of the button holder's hand, or NONE
    misset, fantasy_land: bool [rounds, hands]
    declares: int8 [rounds, hands], index of the kind of clean sweep in the sheet's list, or NONE

    The caller makes sure that no card occurs twice.
    """

    cards: Cards
    button: Ints
    misset: Flags
    fantasy_land: Flags
    declares: Ints


class Points(NamedTuple):
    """The points of many rounds, before stacks are considered.

    pairs: int16 or int32 [rounds, pairs], net in favour of the pair's first, by R31, without clean sweeps
    swept: intp [some], the rounds with a clean sweep that counts
    sweeps: int32 [some, hands, hands], what each holder (first) collects there from another hand
    foul, fantasy_land_next: bool [rounds, hands]
    clean_sweep: int8 [rounds, hands], index of the kind that counts, or NONE
    bonuses: int16 or int32 [rounds, hands, 3], front, middle and back
    refused: bool [rounds], a clean sweep was falsely declared: left to the plain engine (R22)
    """

    pairs: Ints
    swept: NDArray[np.intp]
    sweeps: Ints
    foul: Flags
    clean_sweep: Ints
    bonuses: Ints
    fantasy_land_next: Flags
    refused: Flags


class Money(NamedTuple):
    """The money of many rounds, int64 cents.

    net: [rounds, hands]; pairs: [rounds, pairs], paid in favour of the pair's first
    sweeps: [some, hands, hands], paid to the holder (first), for the rounds of `Points.swept`
    """

    net: NDArray[np.int64]
    pairs: NDArray[np.int64]
    sweeps: NDArray[np.int64]


def require_fit(sheet: Sheet) -> None:
    """Raise BatchUnfit, naming the key, for a sheet with rules that this module does not know."""
    known = _KNOWN | _KNOWN_OF_CLEAN_SWEEPS if sheet.clean_sweep.kinds else _KNOWN
    for key, values in known.items():
        if attrgetter(key)(sheet) not in values:
            raise BatchUnfit(f"{sheet.code}: {key}: only the plain engine scores games like this", field=key)


@dataclass(frozen=True, slots=True, eq=False)
class _SheetTables:
    """A sheet's bonuses by grade, for front, middle and back, and the least grades for fantasy land (R41)."""

    grades: GradeTables
    bonuses: tuple[Ints, Ints, Ints]
    enter: tuple[int, int, int] | None
    stay: tuple[int, int, int] | None


@lru_cache(maxsize=16)
def _tables(sheet: Sheet) -> _SheetTables:
    require_fit(sheet)
    grades = grade_tables(sheet.wheel)
    categories = grades.strengths >> CATEGORY_SHIFT
    held = [
        np.array(sheet.front_points)[grades.strengths >> FIRST_RANK_SHIFT],
        np.array(sheet.middle_points)[categories],
        np.array(sheet.back_points)[categories],
    ]
    most = sum(int(points.max()) for points in held) + sheet.foul.points + len(SEGMENTS)
    points_type = np.int16 if most <= np.iinfo(np.int16).max else np.int32
    front, middle, back = (np.repeat(points.astype(points_type), 2) for points in held)
    enter, stay = (
        least and (grades.grade(least[0]), grades.grade(least[1]), grades.grade(least[2]))
        for least in (sheet.enter_strengths, sheet.stay_strengths)
    )
    return _SheetTables(grades, (front, middle, back), enter, stay)


def score_rounds(sheet: Sheet, rounds: Rounds) -> Points:
    """Return the points of every round (R10, R13, R20-R24, R41). Raises BatchUnfit for other rules."""
    tables = _tables(sheet)
    count, hands, _ = rounds.cards.shape
    if count and rounds.cards.max() >= len(DECK):
        raise ValueError(f"a card is a number below {len(DECK)}")
    sweeps, refused = _clean_sweeps(sheet, tables, rounds)
    points_type = tables.bonuses[0].dtype
    pairs = np.empty((hands * (hands - 1) // 2, count), points_type)
    foul = np.empty((hands, count), np.bool_)
    fantasy_land_next = np.empty((hands, count), np.bool_)
    bonuses = np.empty((3, hands, count), points_type)
    for start in range(0, count, _ROUNDS_AT_ONCE):
        part = slice(start, min(start + _ROUNDS_AT_ONCE, count))
        if start == 0 or part.stop - part.start < _ROUNDS_AT_ONCE:
            grader = Grader(tables.grades, hands, part.stop - part.start)
            points = _PairPoints(sheet, points_type, hands, part.stop - part.start)
        grades = grader.grades(rounds.cards[part].transpose(2, 1, 0))
        sweeping = sweeps[:, part] != NONE
        foul[:, part] = rounds.misset[part].T | _out_of_order(sheet, grades)
        for segment, table in enumerate(tables.bonuses):
            table.take(grades[segment], out=bonuses[segment, :, part], mode="clip")
        bonuses[:, :, part] *= ~foul[:, part]
        fantasy_land_next[:, part] = _fantasy_land(tables, grades, rounds.fantasy_land[part].T)
        fantasy_land_next[:, part] &= ~foul[:, part]
        if sheet.ties == "button":
            grades += rounds.button[part] == np.arange(hands)[:, None]
        points.fill(pairs[:, part], grades, bonuses[:, :, part], foul[:, part], sweeping)
    swept = np.flatnonzero((sweeps != NONE).any(axis=0))
    return Points(
        pairs=pairs.T,
        swept=swept,
        sweeps=_sweep_points(sheet, sweeps[:, swept], bonuses[:, :, swept].sum(axis=0)),
        foul=foul.T,
        clean_sweep=sweeps.T,
        bonuses=bonuses.transpose(2, 1, 0),
        fantasy_land_next=fantasy_land_next.T,
        refused=refused,
    )


def _out_of_order(sheet: Sheet, grades: Grades) -> Flags:
    front, middle, back = grades
    below: Flags = back <= middle if sheet.equal_segments == "foul" else back < middle
    below |= middle <= front
    return below


def _fantasy_land(tables: _SheetTables, grades: Grades, already_in: Flags) -> Flags:
    if tables.enter is None or tables.stay is None:
        return np.zeros(grades.shape[1:], np.bool_)
    return np.where(already_in, _at_least(grades, tables.stay), _at_least(grades, tables.enter))


def _at_least(grades: Grades, least: tuple[int, int, int]) -> Flags:
    front, middle, back = least
    reached: Flags = grades[0] >= front
    reached |= grades[1] >= middle
    reached |= grades[2] >= back
    return reached


class _PairPoints:
    def __init__(self, sheet: Sheet, points_type: Any, hands: int, count: int) -> None:
        self._sheet = sheet
        self._pairs = list(combinations(range(hands), 2))
        self._above = np.empty((3, count), np.bool_)
        self._below = np.empty((3, count), np.bool_)
        self._won = np.empty(count, np.int8)
        self._owed = np.empty(count, points_type)
        self._points_type = points_type

    def fill(self, pairs: Ints, grades: Grades, bonuses: Ints, foul: Flags, sweeping: Flags) -> None:
        """Write the points of every pair (R10, R13, R20, R21); equal grades are ties."""
        rule = self._sheet.foul
        penalty = self._points_type.type(rule.points)
        held = bonuses[0] + bonuses[1]
        held += bonuses[2]
        fouls = foul.astype(self._points_type)
        regular = (~(foul | sweeping)).astype(self._points_type)
        # What a hand collects from a foul one, its clean sweep aside.
        collects = regular * penalty
        if rule.pays_bonuses:
            collects += held * regular
        if rule.against_clean_sweep == "value_and_penalty":
            collects += sweeping * penalty
        for points, (one, other) in zip(pairs, self._pairs, strict=True):
            np.subtract(held[one], held[other], out=points)
            points += self._segments_won(grades[:, one], grades[:, other])
            points *= regular[one]
            points *= regular[other]
            points += np.multiply(collects[one], fouls[other], out=self._owed)
            points -= np.multiply(collects[other], fouls[one], out=self._owed)

    def _segments_won(self, one: Grades, other: Grades) -> Ints:
        above = np.greater(one, other, out=self._above).view(np.int8)
        below = np.less(one, other, out=self._below).view(np.int8)
        won: Ints = np.subtract(above[0], below[0], out=self._won)
        for segment in (1, 2):
            won += above[segment]
            won -= below[segment]
        return won


# -- clean sweeps --------------------------------------------------------------------------------------------


def _clean_sweeps(sheet: Sheet, tables: _SheetTables, rounds: Rounds) -> tuple[Ints, Flags]:
    """Return each hand's clean sweep, int8 [hands, rounds], and the rounds with a false declaration (R22)."""
    count, hands = rounds.declares.shape
    sweeps = np.full((hands, count), NONE, np.int8)
    refused = np.zeros(count, np.bool_)
    at, hand = np.divmod(np.flatnonzero(rounds.declares != NONE), hands)
    if not len(at):
        return sweeps, refused
    cards = np.ascontiguousarray(rounds.cards[at, hand].T)
    grades = Grader(tables.grades, len(at)).grades(cards)
    proper = ~(rounds.misset[at, hand] | _out_of_order(sheet, grades))
    kinds = sheet.clean_sweep.kinds
    held = _kinds_held(tuple(kinds), cards, tables.grades.categories[grades[1:]]) & proper
    declared = held[rounds.declares[at, hand], np.arange(len(at))]
    # The highest-valued kind counts; of equal values, the first in the list.
    by_value = np.array(sorted(range(len(kinds)), key=[-points for points in kinds.values()].__getitem__))
    sweeps[hand, at] = np.where(declared, by_value[held[by_value].argmax(axis=0)], NONE)
    refused[at[~declared]] = True
    return sweeps, refused


def _kinds_held(kinds: tuple[str, ...], cards: Cards, categories: Ints) -> Flags:
    """Return which kinds (rows) each hand makes (R26). `categories` are those of middle and back."""
    ranks, suits = cards >> 2, cards & 3
    # The number of cards of each rank, four bits a rank.
    counts = (np.int64(1) << (ranks.astype(np.int64) << 2)).sum(axis=0)
    return np.array([_makes(kind, ranks, suits, counts, categories) for kind in kinds])


def _makes(kind: str, ranks: Ints, suits: Ints, counts: Ints, categories: Ints) -> Flags:
    made: Any
    if kind == "super-dragon":
        made = (counts == _EACH_RANK_ONCE) & (suits == suits[0]).all(axis=0)
    elif kind == "dragon":
        made = counts == _EACH_RANK_ONCE
    elif kind == "six-pairs":
        # Two or three cards of a rank set its second bit, four only its third.
        twos, fours = np.bitwise_count(np.stack([counts >> 1, counts >> 2]) & _EACH_RANK_ONCE)
        made = twos + 2 * fours == 6
    elif kind == "three-straights":
        made = _ARE_STRAIGHTS[categories].all(axis=0) & _in_line(ranks[:3])
    elif kind == "three-flushes":
        made = _ARE_FLUSHES[categories].all(axis=0) & (suits[:3] == suits[0]).all(axis=0)
    elif kind in ("thirteen-colours", "twelve-colours"):
        red = ((suits == 1) | (suits == 2)).sum(axis=0)
        made = np.maximum(red, len(suits) - red) == (13 if kind == "thirteen-colours" else 12)
    elif kind == "no-broadway":
        made = (ranks < RANKS.index("T")).all(axis=0)
    else:  # no-people
        made = ((ranks < RANKS.index("J")) | (ranks > RANKS.index("K"))).all(axis=0)
    return np.asarray(made)


def _in_line(ranks: Ints) -> Flags:
    low, middle, high = np.sort(ranks, axis=0)
    follows: Flags = (middle == low + 1) & ((high == middle + 1) | ((low == 0) & (high == RANKS.index("A"))))
    return follows


def _sweep_points(sheet: Sheet, sweeps: Ints, bonuses: Ints) -> Ints:
    """Return what each clean sweep collects from each other hand, int32 [rounds, hands, hands]."""
    hands, count = sweeps.shape
    rule = sheet.clean_sweep
    worth = np.array([*rule.kinds.values(), 0], np.int32)[sweeps]  # NONE (-1) takes the last
    # Of two clean sweeps the higher rating collects: by value, or by order of the list.
    rating = worth if rule.compare == "value" else np.where(sweeps == NONE, 0, len(rule.kinds) - sweeps)
    collected = np.zeros((count, hands, hands), np.int32)
    for holder in range(hands):
        alone = worth[holder] + (bonuses[holder] if rule.with_bonuses else 0)
        for other in range(hands):
            if other != holder:
                beats = np.where(rating[holder] > rating[other], worth[holder], 0)
                collected[:, holder, other] = np.where(sweeps[other] == NONE, alone, beats)
        collected[:, holder] *= (sweeps[holder] != NONE)[:, None]
    return collected


# -- money ---------------------------------------------------------------------------------------------------


def settle_rounds(
    sheet: Sheet, points: Points, stacks: NDArray[np.int64], limits: NDArray[np.int64]
) -> Money:
    """Return payments in the order of R31, capped by table stakes (R32-R34); stacks and limits in cents."""
    if len(limits) and limits.max() > MOST_CENTS:
        raise BatchUnfit(f"{sheet.code}: limits above {MOST_CENTS} cents are the plain engine's")
    purses = _Purses(sheet.stakes, stacks.T)
    hands = len(purses.stacks)
    sweeps = np.zeros(points.sweeps.shape, np.int64)
    if len(points.swept):
        swept = _Purses(sheet.stakes, purses.stacks[:, points.swept])
        for holder in range(hands):
            for step in range(1, hands):
                other = (holder + step) % hands
                due = points.sweeps[:, holder, other] * limits[points.swept]
                sweeps[:, holder, other] = swept.pay(holder, other, due)
        purses.present[:, points.swept] = swept.present
    pairs = np.empty(points.pairs.shape[::-1], np.int64)
    for paid, due, (one, other) in zip(pairs, points.pairs.T, combinations(range(hands), 2), strict=True):
        paid[:] = purses.pay(one, other, due * limits)
    return Money((purses.present - purses.stacks).T, pairs.T, sweeps)


class _Purses:
    def __init__(self, rule: str, stacks: NDArray[np.int64]) -> None:
        self._rule = rule
        self.stacks = np.ascontiguousarray(stacks)
        self.present = self.stacks.copy()

    def pay(self, one: int, other: int, due: NDArray[np.int64]) -> NDArray[np.int64]:
        """Pay what is due to `one` (negative: to `other`) up to table stakes (R33); return what was paid."""
        most = np.minimum(self.present[other], self._may_win(one))
        least = -np.minimum(self.present[one], self._may_win(other))
        paid = np.clip(due, least, most)
        self.present[one] += paid
        self.present[other] -= paid
        return paid

    def _may_win(self, hand: int) -> NDArray[np.int64]:
        stack, present = self.stacks[hand], self.present[hand]
        if self._rule == "starting_stack":
            return np.asarray(2 * stack - present)
        if self._rule == "running_stack":
            return np.asarray(present)
        return np.full_like(stack, np.iinfo(np.int64).max if self._rule == "uncapped_win" else 0)
