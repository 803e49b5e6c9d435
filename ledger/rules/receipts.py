"""Which entries have a numbered receipt: those that move cash across the window, and change. Pure."""

from collections.abc import Iterable
from typing import Final

from ledger.chart import AccountKind, EntryKind

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
