"""Lookup tables for very many segments at once (R1-R4): cards as numbers in, grades out.

A card is its index in the deck, 0 to 51, ranks before suits. A **grade** is twice the index of a strength
among all strengths of three or five cards, so grades compare as strengths do, and grade + 1 lies above its
equals and below the next.

One table of all 2,598,960 five-card combinations needs sorted cards and misses the processor's cache. Here
three cards in any order look up one of 455 ranks in one of 5 colours (a suit, or mixed), two cards likewise,
and both together the grade: three lookups in tables of some hundred kilobytes, and no sorting."""

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
    """Grades of five cards: `fives[threes[...] + twos[...]]`. A grade is twice its index in `strengths`."""

    strengths: NDArray[np.int64]
    threes: NDArray[np.int32]
    twos: NDArray[np.int32]
    fives: Grades
    fronts: Grades

    def grade(self, strength: int) -> int:
        """Return the lowest grade of at least this strength; above all grades if none reaches it."""
        return 2 * int(np.searchsorted(self.strengths, strength))

    @property
    def categories(self) -> NDArray[np.int64]:
        """Return the category of every grade, odd ones too, as an index in CATEGORIES."""
        return np.repeat(self.strengths >> CATEGORY_SHIFT, 2)


class Grader:
    """Grades set hands in preallocated memory: allocating it for each call would take longer than grading."""

    def __init__(self, tables: GradeTables, *shape: int) -> None:
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
        """Return grades of front, middle and back, [3, ...], of hands [13, ...]; valid until the next."""
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
        """Look up three or two cards, in the narrowest types and never mixed: either would cost double."""
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
        # "raise" would make numpy copy the result once more; "clip" only keeps the index inside the table.
        table.take(self._index, out=out, mode="clip")


@cache
def grade_tables(wheel: str) -> GradeTables:
    """Return the tables with the wheel `lowest` or `second` (R2): 3.0 MB."""
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
    """Return the tallies of so many cards, and the index of each ordered combination's tally, by colour."""
    places = np.indices((_CARDS,) * count, np.int32).reshape(count, -1)
    units = np.array(RANK_UNITS)[places >> 2]
    tallies, ranks = np.unique(units.sum(axis=0), return_inverse=True)
    suits = places & 3
    colour = np.where((suits == suits[0]).all(axis=0), 1 + suits[0], 0)
    return tallies, (colour * len(tallies) + ranks).astype(np.int32)


def _graded(table: Mapping[int, int], tallies: NDArray[Any], strengths: NDArray[Any]) -> Grades:
    """Return the grades of these tallies; 0 for ranks that the table lacks."""
    keys = np.array(sorted(table))
    known = np.array([table[key] for key in keys.tolist()])
    at = np.minimum(np.searchsorted(keys, tallies), len(keys) - 1)
    grades = 2 * np.searchsorted(strengths, known[at])
    return np.where(keys[at] == tallies, grades, 0).astype(np.int16)
