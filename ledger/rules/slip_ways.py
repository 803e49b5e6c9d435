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


def overtaken(way: str, *, moved: bool, newer: bool = True) -> str:
    """Return the code with which a second count is refused if what the slip counts `moved` since the first,
    or "". Version 0.2.0 asked it of no drawer (`newer`)."""
    if not moved:
        return ""
    return "vault_moved" if way in STAYS else "drawer_moved" if way == "closing" and newer else ""


def counted_at_once(way: str, waiting: Collection[str], *, newer: bool = True) -> bool:
    """Return whether a count that closes a drawer is begun while one does that waits. `waiting` are the ways
    of the slips of that drawer which have not ended. Version 0.2.0 did not ask it."""
    return newer and way == "closing" and way in waiting


RECOUNTED_WITHIN: Final = timedelta(days=31)
"""How long reserve sets stand without a count of them. No law names it: every night is too much for what lies
sealed, and a broken seal that nobody reads for longer is found by nobody who remembers."""


def recount_due(counted_on: date, day: date) -> bool:
    """Return whether reserve sets are to be counted again by a gaming day; their sealing is a count too."""
    return day - counted_on > RECOUNTED_WITHIN


def counted_for(counted_on: date, day: date) -> bool:
    """Return whether unclaimed chips that are held were counted for the closing of a gaming day: on that day
    or later. Those of the vault ask for no count of a day on which nothing moved."""
    return counted_on >= day
