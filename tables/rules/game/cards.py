"""Cards as text and as numbers.

A card is written rank then suit, `As Td 2c`. Inside, it is a **card number**, made so that the sum over some
cards says how many there are of each rank and of each suit:

    bits 0-31   one digit to base 5 per rank (no rank has more than four cards), deuces lowest
    bits 32-47  one digit to base 16 per suit (no hand has more than thirteen cards), c d h s

A sum over at most 13 cards is their **tally**, the key of every table in `ranking`; an unknown segment has
tally 0.
"""

from collections.abc import Iterable
from typing import Final

from tables.rules.errors import BadCard

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
LOWEST_RANK: Final = 2  # ranks count 2 to 14, the ace being 14

RANK_UNITS: Final[tuple[int, ...]] = tuple(5**place for place in range(len(RANKS)))
SUITS_SHIFT: Final = 32
SUIT_SHIFTS: Final[tuple[int, ...]] = tuple(SUITS_SHIFT + 4 * place for place in range(len(SUITS)))
RANK_MASK: Final = 2**SUITS_SHIFT - 1

CARD_NUMBERS: Final[dict[str, int]] = {
    rank + suit: rank_unit + (1 << shift)
    for rank, rank_unit in zip(RANKS, RANK_UNITS, strict=True)
    for suit, shift in zip(SUITS, SUIT_SHIFTS, strict=True)
}
DECK: Final = tuple(CARD_NUMBERS)


def quoted(text: object) -> str:
    """Return text from outside for a message: at most twenty characters, escaped unless plain ASCII."""
    if type(text) is not str:
        return "a value that is no text"
    return text if text.isascii() and text.isprintable() and 0 < len(text) <= 20 else ascii(text[:20])


def check_cards(cards: Iterable[str], *, owner: str = "", field: str | None = None) -> None:
    """Raise BadCard for the first text that is not a card. `owner` opens the message, as in `seat 3: `."""
    for card in cards:
        if card not in CARD_NUMBERS:
            raise BadCard(f"{owner}{quoted(card)} is not a card", field=field)


def tally(cards: Iterable[str]) -> int:
    return sum(map(CARD_NUMBERS.__getitem__, cards))


def rank_counts(cards_tally: int) -> list[int]:
    """Return the number of cards of each rank, deuces first: 13 counts."""
    ranks = cards_tally & RANK_MASK
    return [ranks // unit % 5 for unit in RANK_UNITS]


def suit_counts(cards_tally: int) -> list[int]:
    """Return the number of cards of each suit, in the order c d h s."""
    return [cards_tally >> shift & 15 for shift in SUIT_SHIFTS]
