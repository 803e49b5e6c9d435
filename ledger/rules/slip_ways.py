"""The ways of cage slips, and the kind of entry that each is posted as. Pure."""

from collections.abc import Collection, Mapping
from datetime import date, timedelta
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
"""The ways of version 0.2.0 out of the house and into it; now documents are used instead."""
NEWER: Final = frozenset(("cash_order", "capital_out", "reserve_set", "reserve_release"))
"""The documents that version 0.2.0 lacked: a house that uses one no longer has the older ways."""
ON_DOCUMENT: Final = (
    "The vault is opened once. What comes in or leaves later does so on a document: a chip purchase, a cash"
    " order, a deposit, capital withdrawn, a destruction."
)


def needs_document(way: str, *, stocked: bool, newer: bool = True) -> bool:
    """Return whether this needs a document and not a slip of this way. `stocked`: something moved the vault
    before; `newer`: the house uses something that version 0.2.0 lacked."""
    return (way in OLDER and newer) or (way == "opening" and stocked)


def overtaken(way: str, *, moved: bool, newer: bool = True) -> str:
    """Return the code of the refusal of a second count if its place was `moved` since the first, or "".
    Version 0.2.0 did not refuse that for drawers (`newer`)."""
    if not moved:
        return ""
    return "vault_moved" if way in STAYS else "drawer_moved" if way == "closing" and newer else ""


def counted_at_once(way: str, waiting: Collection[str], *, newer: bool = True) -> bool:
    """Return whether a closing count of a drawer is begun while another one waits. `waiting` are the ways of
    the drawer's slips that have not ended. Version 0.2.0 did not refuse that."""
    return newer and way == "closing" and way in waiting


RECOUNTED_WITHIN: Final = timedelta(days=31)
"""How long reserve sets go without a count. No law sets it: sealed sets need no count every night, but a seal
that was broken long ago is found by nobody who remembers."""


def recount_due(counted_on: date, day: date) -> bool:
    """Return whether reserve sets are to be counted again by a gaming day; their sealing is a count too."""
    return day - counted_on > RECOUNTED_WITHIN


def counted_for(counted_on: date, day: date) -> bool:
    """Return whether the held unclaimed chips were counted for the closing of a gaming day: on that day or
    later. The vault needs no count for a day on which nothing moved it."""
    return counted_on >= day
