"""Lookup tables for very many segments at once (R1-R4): cards as numbers in, grades out.

A card is its place in the deck, 0 to 51, ranks before suits. A **grade** is a strength of `ranking` made small: twice
its place among all strengths that three or five cards can have, so that grades compare as strengths do, whatever is
compared with whatever, and one more than a grade is above its equals and below the next.

A table of all 2,598,960 combinations of five cards asks for the five in order, and misses the processor's cache. Here
nothing is sorted: three cards, in whatever order, look up which of 455 ranks in which of 5 colours they are (a suit, or
mixed), two cards likewise, and both together look up the grade. Three lookups in tables of a few hundred kilobytes
are quicker than one behind a sort.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tables.rules.game.cards import DECK, RANK_UNITS, SUITS
from tables.rules.game.ranking import CATEGORY_SHIFT, FRONT_STRENGTHS, high_table

Cards = NDArray[np.uint8]
Grades = NDArray[np.int16]

_CARDS: Final = len(DECK)
_COLOURS: Final = 1 + len(SUITS)  # mixed, or all of one suit


@dataclass(frozen=True, slots=True, eq=False)
class GradeTables:
    """Grades for one way of ranking five cards. `strengths` has the strength of every other grade, from 0 up.

    `threes` and `twos` hold what cards are as an index into `fives`, to be added up; `fronts` the grades of three cards.
    """

    strengths: NDArray[np.int64]
    threes: NDArray[np.int32]
    twos: NDArray[np.int32]
    fives: Grades
    fronts: Grades

    def grade(self, strength: int) -> int:
        """Return the lowest grade of at least this strength; one above all grades if there is none."""
        return 2 * int(np.searchsorted(self.strengths, strength))

    @property
    def categories(self) -> NDArray[np.int64]:
        """The category of every grade, odd ones too, as its place in CATEGORIES."""
        return np.repeat(self.strengths >> CATEGORY_SHIFT, 2)


class Grader:
    """Grades set hands in preallocated memory; allocating it for each call would take longer than the grading."""

    def __init__(self, tables: GradeTables, *shape: int) -> None:
        """A grader of hands in an array of this shape."""
        self._tables = tables
        self._cards = np.empty((13, *shape), np.uint8)
        self._pair = np.empty(shape, np.uint16)
        self._number = np.empty(shape, np.int32)
        self._third = np.empty(shape, np.int32)
        self._index = np.empty(shape, np.int64)
        self._of_three = np.empty(shape, np.int32)
        self._of_two = np.empty(shape, np.int32)
        self._grades = np.empty((3, *shape), np.int16)

    def grades(self, cards: Cards) -> Grades:
        """Return the grades of front, middle and back, [3, ...], for hands [13, ...]; valid until the next call.

        Repeated cards and numbers that are not cards give an arbitrary grade.
        """
        laid = self._cards
        laid[:] = cards
        self._look_up(self._tables.fronts, laid[0:3], self._grades[0])
        self._grade_five(laid[3:8], self._grades[1])
        self._grade_five(laid[8:13], self._grades[2])
        return self._grades

    def _grade_five(self, cards: Cards, out: Grades) -> None:
        self._look_up(self._tables.threes, cards[:3], self._of_three)
        self._look_up(self._tables.twos, cards[3:], self._of_two)
        np.add(self._of_three, self._of_two, out=self._index)
        self._tables.fives.take(self._index, out=out, mode="clip")

    def _look_up(self, table: NDArray[Any], cards: Cards, out: NDArray[Any]) -> None:
        """Look these cards up in a table of three or of two cards.

        Arithmetic is done in the narrowest type that holds it, and never between two types: either costs double.
        """
        pair, number = self._pair, self._number
        pair[:] = cards[0]
        pair *= _CARDS
        pair += cards[1]
        number[:] = pair
        if len(cards) == 3:
            self._third[:] = cards[2]
            number *= _CARDS
            number += self._third
        self._index[:] = number
        # With "raise" numpy would copy what it finds once more; "clip" only keeps it inside the table.
        table.take(self._index, out=out, mode="clip")


@cache
def grade_tables(wheel: str) -> GradeTables:
    """The tables with the wheel `lowest` or `second` (R2): 3.0 MB, made in a fraction of a second."""
    high = high_table(wheel)
    strengths = np.unique([*FRONT_STRENGTHS.values(), *high.ranks.values(), *high.flushes.values()])
    three_tallies, threes = _held(3)
    two_tallies, twos = _held(2)
    tallies = three_tallies[:, None] + two_tallies
    fives = np.empty((_COLOURS, len(three_tallies), _COLOURS, len(two_tallies)), np.int16)
    fives[:] = _graded(high.ranks, tallies, strengths)[:, None]
    flushes = _graded(high.flushes, tallies, strengths)
    for suit in range(1, _COLOURS):
        fives[suit, :, suit] = flushes
    fronts = _graded(FRONT_STRENGTHS, three_tallies, strengths)
    return GradeTables(
        strengths=strengths,
        threes=threes * np.int32(_COLOURS * len(two_tallies)),
        twos=twos,
        fives=fives.ravel(),
        fronts=fronts[threes % len(three_tallies)],
    )


def _held(count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The tallies that the ranks of so many cards can have, and what each of all combinations is, in any order:
    its place among those tallies, in the block of its colour.
    """
    places = np.indices((_CARDS,) * count, np.int32).reshape(count, -1)
    units = np.array(RANK_UNITS)[places >> 2]
    tallies, ranks = np.unique(units.sum(axis=0), return_inverse=True)
    suits = places & 3
    colour = np.where((suits == suits[0]).all(axis=0), 1 + suits[0], 0)
    return tallies, (colour * len(tallies) + ranks).astype(np.int32)


def _graded(table: Mapping[int, int], tallies: NDArray[Any], strengths: NDArray[Any]) -> Grades:
    """Return the grades of these tallies by a table of strengths; 0 for ranks that the table lacks."""
    keys = np.array(sorted(table))
    known = np.array([table[key] for key in keys.tolist()])
    at = np.minimum(np.searchsorted(keys, tallies), len(keys) - 1)
    grades = 2 * np.searchsorted(strengths, known[at])
    return np.where(keys[at] == tallies, grades, 0).astype(np.int16)
