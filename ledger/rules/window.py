"""What was handed over at the window, by denomination, and whom it was handed to. Pure."""

from collections.abc import Collection, Container
from typing import Final

from ledger.chart import EntryKind
from ledger.money import dollars
from ledger.rules.denominations import Pieces, value_text

AT_THE_WINDOW: Final = (EntryKind.CHIP_SALE, EntryKind.CHIP_REDEMPTION, EntryKind.CHIP_CHANGE)
"""What a patron does at the window that is entered in pieces, and names the patron from an amount on."""


def wrong_pieces(cents: int, came: Pieces, went: Pieces | None = None) -> str:
    """Return why these pieces are not those of `cents`, or "": chips that were sold or redeemed, or, in a
    change, what came in and what `went` out for it, as much in chips and as much in cash."""
    if went is None:
        if came.cash:
            return "Of a sale or a redemption, only the chips are entered by denomination."
        if came.chips_cents != cents:
            return f"The chips come to {dollars(came.chips_cents)}, not to {dollars(cents)}."
        return ""
    for asset, comes, goes in (
        ("chips", came.chips_cents, went.chips_cents),
        ("cash", came.cash_cents, went.cash_cents),
    ):
        if comes != goes:
            return f"In {asset}, {dollars(comes)} comes in and {dollars(goes)} goes out: change is as much."
    together = came.chips_cents + came.cash_cents
    return "" if together == cents else f"What came in is {dollars(together)}, not {dollars(cents)}."


def unknown_chips(pieces: Pieces, values: Collection[int]) -> str:
    """Return which chips a house with these denominations does not have, or ""."""
    other = next((value for value in pieces.chips if value not in values), None)
    return "" if other is None else f"The house had no chips of {value_text(other)}."


def is_stranger(patron: int | None, register: Container[int]) -> bool:
    """Return whether a patron who is named is nobody in the register of players."""
    return patron is not None and patron not in register


def lacks_patron(cents: int, asked_from: int, patron: int | None) -> bool:
    """Return whether the patron of so large an amount is not named."""
    return cents >= asked_from and patron is None
