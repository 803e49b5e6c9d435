"""From the text of whole hands to the strengths of their segments, all at once, for nearly all rounds.

All texts are joined, `Qs Qh 2c/5c 6d 7h 8s 9s/Ad...`: every third character is a rank, the next a suit, the
third a separator. The bytes are then one long integer, so one operation applies to every card: XOR with the
next byte is 0 for two cards of a suit, and four zero bytes are a flush. Each rank's neighbour goes into the
empty half of its byte, so five ranks are read in three steps: two choose a branch, two a twig, and the last a
leaf, the strength. A twig has two leaves for each rank: of one suit, or not."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from struct import Struct
from typing import Final, TypeVar

from tables.rules.game.cards import DECK, RANK_UNITS, RANKS, SUITS
from tables.rules.game.ranking import FRONT_STRENGTHS, FiveCardTable, Strengths, high_table, low_table
from tables.rules.game.sheet import Sheet

Tree = Sequence[Sequence[Sequence[int]]]  # [two ranks][two ranks][rank]

# The index of a rank or suit by its character; anything else sets the highest bit of rank << 2 | suit.
_RANK_PLACES: Final = bytes(RANKS.index(chr(code)) if chr(code) in RANKS else 32 for code in range(256))
_SUIT_PLACES: Final = bytes(SUITS.index(chr(code)) if chr(code) in SUITS else 128 for code in range(256))
_DECK_PLACES: Final = bytes(range(len(DECK)))

# The bytes read of a hand's thirteen: front 2 + 1 ranks, middle and back 2 + 2 + 1.
_RANKS_OF_HAND: Final = Struct("=BxBBxBxBBxBxB")
_FIRST_OF_TWO: Final = b"\xf0\0\0\xf0\0\xf0\0\0\xf0\0\xf0\0\0"
_HANDS: Final = range(len(DECK) // 13 + 1)
_LAST_OF_FIVE: Final = b"\0\0\0\0\0\0\0\x10\0\0\0\0\x10"
_NOT_OF_A_SUIT: Final = 16
# By number of hands: masks for a rank that takes in its neighbour, masks for the last card of a middle or
# back (not of one suit), and the separators.
_FIRSTS_OF_TWO: Final = [int.from_bytes(_FIRST_OF_TWO * hands, "little") for hands in _HANDS]
_LASTS_OF_FIVE: Final = [int.from_bytes(_LAST_OF_FIVE * hands, "little") for hands in _HANDS]
_BETWEEN_CARDS: Final = [(b"  /    /    /" * hands)[:-1] for hands in _HANDS]

_number: Final = int.from_bytes
_Branch = TypeVar("_Branch")


def _by_two_ranks(branch: Callable[[int], _Branch]) -> list[_Branch]:
    """Build a table by two ranks, the other in the upper half of the byte; `branch` gets their tally."""
    return [branch(RANK_UNITS[min(two & 15, 12)] + RANK_UNITS[two >> 4]) for two in range(len(RANKS) << 4)]


def _tree(table: FiveCardTable) -> Tree:
    """Return five cards' strengths by rank as a tree; 0 where no five cards have these ranks."""

    def leaves(strengths: Mapping[int, int], four: int) -> list[int]:
        return [strengths.get(four + unit, 0) for unit in RANK_UNITS]

    @cache
    def twig(four: int) -> tuple[int, ...]:
        of_a_suit = leaves(table.flushes, four)
        unused = [0] * (_NOT_OF_A_SUIT - len(of_a_suit))
        return (*of_a_suit, *unused, *leaves(table.ranks, four))

    @cache
    def branch(two: int) -> list[tuple[int, ...]]:
        return _by_two_ranks(lambda other: twig(two + other))

    return _by_two_ranks(branch)


_FRONTS: Final = _by_two_ranks(
    lambda two: [FRONT_STRENGTHS[two + unit] for unit in RANK_UNITS]
)  # [two ranks][rank]


@cache
def _trees(wheel: str, middle: str) -> tuple[Tree, Tree]:
    if middle == "low":
        return _tree(low_table()), _trees(wheel, "high")[1]
    high = _tree(high_table(wheel))
    return high, high


def make_ready(sheets: Iterable[Sheet]) -> None:
    """Build the trees, some 10 ms each, so that no settlement does it while it holds locks."""
    for sheet in sheets:
        _trees(sheet.wheel, sheet.middle)


def strengths_of_hands(sheet: Sheet, segments: Sequence[str]) -> list[Strengths] | None:
    """Return the strengths of hands of three texts each; None unless all are 13 known, different cards."""
    hands = len(segments) // 3
    cards = 13 * hands
    text = "/".join(segments).encode("ascii", "replace")  # one byte for each character, whatever it is
    if len(text) != 3 * cards - 1 or text[2::3] != _BETWEEN_CARDS[hands]:
        return None
    ranks = _number(text[::3].translate(_RANK_PLACES), "little")
    suits = _number(text[1::3].translate(_SUIT_PLACES), "little")
    # Removing n different cards from the deck leaves n fewer.
    places = (ranks << 2 | suits).to_bytes(cards, "little")
    if len(_DECK_PLACES.translate(None, places)) != len(DECK) - cards:
        return None
    middles, backs = _trees(sheet.wheel, sheet.middle)
    # A suit has two bits. Differences within five cards are collected in the first card's byte, then moved to
    # the last's.
    differ = suits ^ suits >> 8
    differ |= differ >> 8
    differ |= differ >> 16
    differ = (differ | differ >> 1) << 36 & _LASTS_OF_FIVE[hands]
    read = (ranks | ranks >> 4 & _FIRSTS_OF_TWO[hands] | differ).to_bytes(cards, "little")
    fronts = _FRONTS
    return [
        (fronts[f1][f2], middles[m1][m2][m3], backs[b1][b2][b3])
        for f1, f2, m1, m2, m3, b1, b2, b3 in _RANKS_OF_HAND.iter_unpack(read)
    ]
