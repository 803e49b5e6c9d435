"""From the text of whole hands to the strengths of their segments, all at once.

`cards` and `ranking` say what cards and strengths are; this is the quick way there, which nearly every round takes.
Nothing is decided here: the tables are filled from those of `ranking`.

All texts are joined, `Qs Qh 2c/5c 6d 7h 8s 9s/Ad...`. Every third character is a rank, the next a suit, the third stands
between: three slices hold all there is to check and to look up. Bytes in a row are also one long number, and what is
done to that is done to every card: where a card is followed by one of its suit, their suits differ by nothing; and where
its neighbour's rank is put into the empty half of its byte, five ranks are read in three steps, of which the first
chooses a branch, the second a twig, and the last the leaf that is their strength.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from struct import Struct
from typing import Final, TypeVar

from tables.rules.game.cards import DECK, RANK_UNITS, RANKS, SUITS
from tables.rules.game.ranking import FRONT_STRENGTHS, Strengths, high_table, low_table
from tables.rules.game.sheet import Sheet

Tree = Sequence[Sequence[Sequence[int]]]  # [two ranks][two ranks][rank]

# The places of ranks and suits by their character. Whatever is none sets the highest bit of rank << 2 | suit.
_RANK_PLACES: Final = bytes(RANKS.index(chr(code)) if chr(code) in RANKS else 32 for code in range(256))
_SUIT_PLACES: Final = bytes(SUITS.index(chr(code)) if chr(code) in SUITS else 128 for code in range(256))
_DECK_PLACES: Final = bytes(range(len(DECK)))

# A hand's thirteen ranks: the front in two and one, the middle and the back in two, two and one.
_RANKS_OF_HAND: Final = Struct("=BxBBxBxBBxBxB")
_FIRST_OF_TWO: Final = b"\xf0\0\0\xf0\0\xf0\0\0\xf0\0\xf0\0\0"
_HANDS: Final = range(len(DECK) // 13 + 1)
# For so many hands: where a rank takes in its neighbour's, whether the suits within each middle and each back differ,
# and what stands between the cards.
_FIRSTS_OF_TWO: Final = [int.from_bytes(_FIRST_OF_TWO * hands, "little") for hands in _HANDS]
_CHANGES_OF_SUIT: Final = [Struct("=" + "3xIxIx" * hands) for hands in _HANDS]
_BETWEEN_CARDS: Final = [(b"  /    /    /" * hands)[:-1] for hands in _HANDS]

_number: Final = int.from_bytes
_Branch = TypeVar("_Branch")


def _by_two_ranks(branch: Callable[[int], _Branch]) -> list[_Branch]:
    """What there is by two ranks, the other in the upper half of the byte; `branch` makes it from their tally."""
    return [branch(RANK_UNITS[min(two & 15, 12)] + RANK_UNITS[two >> 4]) for two in range(len(RANKS) << 4)]


def _tree(strengths: Mapping[int, int]) -> Tree:
    """Five cards' strengths by the tally of their ranks, as a tree; 0 where no five cards have these ranks."""

    @cache
    def twig(four: int) -> tuple[int, ...]:
        return tuple([strengths.get(four + unit, 0) for unit in RANK_UNITS])

    @cache
    def branch(two: int) -> list[tuple[int, ...]]:
        return _by_two_ranks(lambda other: twig(two + other))

    return _by_two_ranks(branch)


_FRONTS: Final = _by_two_ranks(
    lambda two: [FRONT_STRENGTHS[two + unit] for unit in RANK_UNITS]
)  # [two ranks][rank]


@cache
def _trees(wheel: str, middle: str) -> tuple[Tree, Tree, Tree, Tree]:
    """Of the middle, then of the back: where not all five cards are of one suit, and where they are."""
    if middle == "low":
        return _tree(low_table().ranks), _tree(low_table().flushes), *_trees(wheel, "high")[2:]
    high = _tree(high_table(wheel).ranks), _tree(high_table(wheel).flushes)
    return *high, *high


def strengths_of_hands(sheet: Sheet, segments: Sequence[str]) -> list[Strengths] | None:
    """The strengths of whole hands, each given by three texts: its front, its middle and its back.

    None where these are not 3, 5 and 5 cards with a blank between two, or where a card occurs twice. Which one that
    is, is for others to find out.
    """
    hands = len(segments) // 3
    cards = 13 * hands
    text = "/".join(segments).encode("ascii", "replace")  # as many bytes as characters, whatever they are
    if len(text) != 3 * cards - 1 or text[2::3] != _BETWEEN_CARDS[hands]:
        return None
    ranks = _number(text[::3].translate(_RANK_PLACES), "little")
    suits = _number(text[1::3].translate(_SUIT_PLACES), "little")
    # Struck from the deck, so many different cards leave so many fewer there.
    places = (ranks << 2 | suits).to_bytes(cards, "little")
    if len(_DECK_PLACES.translate(None, places)) != len(DECK) - cards:
        return None
    middles, middle_flushes, backs, back_flushes = _trees(sheet.wheel, sheet.middle)
    twos = (ranks | ranks >> 4 & _FIRSTS_OF_TWO[hands]).to_bytes(cards, "little")
    changes = iter(_CHANGES_OF_SUIT[hands].unpack((suits ^ suits >> 8).to_bytes(cards, "little")))
    fronts, strengths = _FRONTS, []
    # Without `strict`, which would cost a tenth of all this: both sides have as many hands.
    for (f1, f2, m1, m2, m3, b1, b2, b3), middle_changes, back_changes in zip(  # noqa: B905
        _RANKS_OF_HAND.iter_unpack(twos), changes, changes
    ):
        strengths.append(
            (
                fronts[f1][f2],
                (middles if middle_changes else middle_flushes)[m1][m2][m3],
                (backs if back_changes else back_flushes)[b1][b2][b3],
            )
        )
    return strengths
