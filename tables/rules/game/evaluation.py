"""From the text of whole hands to the strengths of their segments, all at once.

`cards` and `ranking` say what cards and strengths are; this is the quick way there, which nearly every round takes.
Nothing is decided here: the tables are filled from those of `ranking`.

All texts are joined, `Qs Qh 2c/5c 6d 7h 8s 9s/Ad...`. Every third character is a rank, the next a suit, the third stands
between: three slices hold all there is to check and to look up. Ranks are then read two at a time, as one number, and
five ranks lead to a strength in three steps: two of them choose a branch, two more a twig, the last one the leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from struct import Struct
from typing import Final, TypeVar

from tables.rules.game.cards import DECK, RANK_UNITS, RANKS, SUITS
from tables.rules.game.ranking import FRONT_STRENGTHS, Strengths, high_table, low_table
from tables.rules.game.sheet import Sheet

Tree = Sequence[Sequence[Sequence[int]]]  # [two ranks][place of two ranks][rank]

# The places of ranks and suits by their character. Whatever is none sets the highest bit of rank << 2 | suit.
_RANK_PLACES: Final = bytes(RANKS.index(chr(code)) if chr(code) in RANKS else 32 for code in range(256))
_SUIT_PLACES: Final = bytes(SUITS.index(chr(code)) if chr(code) in SUITS else 128 for code in range(256))
_DECK_PLACES: Final = bytes(range(len(DECK)))
_ONE_SUIT: Final = frozenset(bytes([suit]) * 5 for suit in range(len(SUITS)))

# A hand's thirteen ranks: the front in two and one, the middle and the back in two, two and one. Of the suits only
# those of middle and back matter, for so many hands.
_RANKS_OF_HAND: Final = Struct("=HBHHBHHB")
_SUITS_OF_HANDS: Final = [Struct("3x5s5s" * hands) for hands in range(len(DECK) // 13 + 1)]
_BETWEEN_CARDS: Final = [(b"  /    /    /" * hands)[:-1] for hands in range(len(DECK) // 13 + 1)]

_TWOS: Final = tuple(combinations_with_replacement(range(len(RANKS)), 2))
_TALLIES_OF_TWOS: Final = tuple(RANK_UNITS[one] + RANK_UNITS[other] for one, other in _TWOS)
# The place in _TWOS of two ranks read as one number, in whichever order; 0 where a number is no two ranks.
_PLACES_OF_TWOS: Final = [
    _TWOS.index((min(two & 255, two >> 8), max(two & 255, two >> 8))) if two & 255 < len(RANKS) else 0
    for two in range(len(RANKS) << 8)
]
_Branch = TypeVar("_Branch")


def _by_number(by_place: list[_Branch]) -> list[_Branch]:
    return [by_place[place] for place in _PLACES_OF_TWOS]


def _tree(strengths: Mapping[int, int]) -> Tree:
    """Five cards' strengths by the tally of their ranks, as a tree; 0 where no five cards have these ranks."""
    twigs = {
        four: tuple(strengths.get(four + unit, 0) for unit in RANK_UNITS)
        for four in {two + other for two in _TALLIES_OF_TWOS for other in _TALLIES_OF_TWOS}
    }
    return _by_number([tuple(twigs[two + other] for other in _TALLIES_OF_TWOS) for two in _TALLIES_OF_TWOS])


_FRONTS: Final = _by_number(
    [[FRONT_STRENGTHS[two + unit] for unit in RANK_UNITS] for two in _TALLIES_OF_TWOS]
)  # [two ranks][rank]


@cache
def _high_trees(wheel: str) -> tuple[Tree, Tree]:
    table = high_table(wheel)
    return _tree(table.ranks), _tree(table.flushes)


@cache
def _low_trees() -> tuple[Tree, Tree]:
    return _tree(low_table().ranks), _tree(low_table().flushes)


def strengths_of_hands(sheet: Sheet, segments: Sequence[str]) -> list[Strengths] | None:
    """The strengths of whole hands, each given by three texts: its front, its middle and its back.

    None where these are not 3, 5 and 5 cards with a blank between two, or where a card occurs twice. Which one that
    is, is for others to find out.
    """
    hands = len(segments) // 3
    text = "/".join(segments).encode("ascii", "replace")  # as many bytes as characters, whatever they are
    if text[2::3] != _BETWEEN_CARDS[hands]:
        return None
    ranks = text[::3].translate(_RANK_PLACES)
    suits = text[1::3].translate(_SUIT_PLACES)
    # The bytes of all cards' places in the deck, made at once: bytes in a row are one long number.
    places = int.from_bytes(ranks, "little") << 2 | int.from_bytes(suits, "little")
    # Struck from the deck, so many different cards leave so many fewer there.
    if len(_DECK_PLACES.translate(None, places.to_bytes(13 * hands, "little"))) != len(DECK) - 13 * hands:
        return None
    backs, back_flushes = middles, middle_flushes = _high_trees(sheet.wheel)
    if sheet.middle == "low":
        middles, middle_flushes = _low_trees()
    fronts, place_of, one_suit = _FRONTS, _PLACES_OF_TWOS, _ONE_SUIT
    fives = iter(_SUITS_OF_HANDS[hands].unpack(suits))
    strengths = []
    # Without `strict`, which would cost a tenth of all this: both sides have as many hands.
    for (f1, f2, m1, m2, m3, b1, b2, b3), middle, back in zip(  # noqa: B905
        _RANKS_OF_HAND.iter_unpack(ranks), fives, fives
    ):
        strengths.append(
            (
                fronts[f1][f2],
                (middle_flushes if middle in one_suit else middles)[m1][place_of[m2]][m3],
                (back_flushes if back in one_suit else backs)[b1][place_of[b2]][b3],
            )
        )
    return strengths
