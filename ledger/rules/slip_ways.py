"""The ways of cage slips, and the kind of entry that each is posted as. Pure."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from ledger.chart import AccountKind, EntryKind

POSTED_AS: Final[Mapping[str, EntryKind]] = {
    "opening": EntryKind.FLOAT_ISSUE,
    "in": EntryKind.FLOAT_ISSUE,
    "out": EntryKind.FLOAT_RETURN,
    "to_drawer": EntryKind.DRAWER_ISSUE,
    "from_drawer": EntryKind.DRAWER_RETURN,
    "closing": EntryKind.DRAWER_CLOSE,
    "count": EntryKind.VAULT_COUNT,
    "unclaimed": EntryKind.UNCLAIMED_COUNT,
    "reserve": EntryKind.RESERVE_COUNT,
}

STAYS: Final[Mapping[str, AccountKind]] = {
    "count": AccountKind.VAULT,
    "unclaimed": AccountKind.UNCLAIMED,
    "reserve": AccountKind.RESERVE,
}
"""The ways that count all of a place whose chips and cash stay there."""


OLDER: Final = frozenset(("in", "out"))
"""The ways out of the house and into it of version 0.2.0: documents are the only ones now."""
NEWER: Final = frozenset(("cash_order", "capital_out", "reserve_set", "reserve_release"))
"""The documents that version 0.2.0 had not: whoever uses one has no older way any more."""
ON_DOCUMENT: Final = (
    "The vault is opened once. What comes in or leaves later does so on a document: a chip purchase, a cash"
    " order, a deposit, capital withdrawn, a destruction."
)


def needs_document(way: str, *, stocked: bool, newer: bool = True) -> bool:
    """Return whether a slip of this way goes past the documents; `stocked` says whether anything moved the
    vault before, `newer` whether its house has begun to use what version 0.2.0 had not."""
    return (way in OLDER and newer) or (way == "opening" and stocked)


def counted_for(counted_on: date, day: date) -> bool:
    """Return whether unclaimed chips that are held were counted for the closing of a gaming day: on that day
    or later. Those of the vault ask for no count of a day on which nothing moved."""
    return counted_on >= day
