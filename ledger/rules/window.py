"""The pieces handed over at the window, the patron, and which entries have a numbered receipt: those that
move cash across the window, and change. Pure."""

from collections.abc import Collection, Container, Iterable
from typing import Final

from ledger.chart import AccountKind, EntryKind
from ledger.errors import ConfirmAmount
from ledger.money import dollars, dollars_in_words
from ledger.rules.cash_of_day import PLAYER, Body, CashOfDay, reached
from ledger.rules.denominations import Pieces, value_text

AT_THE_WINDOW: Final = (EntryKind.CHIP_SALE, EntryKind.CHIP_REDEMPTION, EntryKind.CHIP_CHANGE)
"""The acts at the window that are entered by pieces, and that name the patron from an amount on."""


def wrong_pieces(cents: int, came: Pieces, went: Pieces | None = None) -> str:
    """Return why these pieces do not make up `cents`, or "". `went` are the pieces that go out in a change:
    they must be worth as much in chips and as much in cash as those that came in."""
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
            return f"In {asset}, {dollars(comes)} comes in and {dollars(goes)} goes out: both must be equal."
    together = came.chips_cents + came.cash_cents
    return "" if together == cents else f"What came in is {dollars(together)}, not {dollars(cents)}."


def require_meant(cents: int, confirmed: int | None, confirm_from: int) -> None:
    """Raise ConfirmAmount for an amount of `confirm_from` or more that was not `confirmed`."""
    if cents >= confirm_from and confirmed != cents:
        words = dollars_in_words(cents)
        raise ConfirmAmount(f"Is it {words}? Then press the button with the amount.", field="amount")


def unknown_chips(pieces: Pieces, values: Collection[int]) -> str:
    """Return which chips a house with these denominations does not have, or ""."""
    other = next((value for value in pieces.chips if value not in values), None)
    return "" if other is None else f"The house had no chips of {value_text(other)}."


def is_stranger(patron: int | None, register: Container[int]) -> bool:
    """Return whether a named patron is missing from the register of players."""
    return patron is not None and patron not in register


def wrong_patron(cash: CashOfDay, body: Body) -> tuple[str, str] | None:
    """Add an act at the window to the cash of its day; return a code and a sentence if its patron is wrong,
    else None. Cash in and cash out of one person add up from the first cent."""
    said = body["evidence"]
    seen = cash.of_receipt(said["seen"]) if "seen" in said else None
    if "seen" in said and seen is None:
        return "not_seen", f"Receipt {said['seen']} is none of a patron of this gaming day."
    crossing, player = cash.take(body), said.get("player")
    most = reached(cash.sums(crossing.person), crossing) if crossing else 0
    if lacks_patron(max(most, said["cents"]), said["patron_from"], player) or (
        seen is not None and seen[0] == PLAYER and player is None
    ):
        return "patron_missing", (
            f"From {dollars(said['patron_from'])} in a gaming day on, say who it is: a name, a card number or"
            " a description."
        )
    if most > said.get("report_above", most) and not said.get("identified"):
        return "not_identified", (
            f"With this, their cash of this gaming day comes to {dollars(most)}, above"
            f" {dollars(said['report_above'])}: a currency report is due. See their identification first."
        )
    return None


def lacks_patron(cents: int, asked_from: int, patron: int | None) -> bool:
    """Return whether this amount needs a patron and names none."""
    return cents >= asked_from and patron is None


OF_RECEIPTS: Final = (
    *(EntryKind.CHIP_SALE, EntryKind.CHIP_REDEMPTION),
    *(EntryKind.CHIP_CHANGE, EntryKind.COLLECTION),
)
_ACROSS: Final = frozenset(
    ((AccountKind.PUBLIC, AccountKind.DRAWER), (AccountKind.DRAWER, AccountKind.PUBLIC))
)


def has_receipt(kind: str, ends: Iterable[tuple[str, str]]) -> bool:
    """Return whether an entry has a receipt, by the kinds of account that its transfers go from and to."""
    return kind == EntryKind.CHIP_CHANGE or (kind in OF_RECEIPTS and any(pair in _ACROSS for pair in ends))
