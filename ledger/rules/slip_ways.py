"""The ways of cage slips, and the kind of entry that each is posted as. Pure."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from ledger.chart import AccountKind, EntryKind

POSTED_AS: Final[Mapping[str, EntryKind]] = {
    "in": EntryKind.FLOAT_ISSUE,
    "out": EntryKind.FLOAT_RETURN,
    "to_drawer": EntryKind.DRAWER_ISSUE,
    "from_drawer": EntryKind.DRAWER_RETURN,
    "closing": EntryKind.DRAWER_CLOSE,
    "count": EntryKind.VAULT_COUNT,
    "unclaimed": EntryKind.UNCLAIMED_COUNT,
}

STAYS: Final[Mapping[str, AccountKind]] = {"count": AccountKind.VAULT, "unclaimed": AccountKind.UNCLAIMED}
"""The ways that count all of a place whose chips and cash stay there."""


def counted_for(counted_on: date, day: date) -> bool:
    """Return whether unclaimed chips that are held were counted for the closing of a gaming day: on that day
    or later. Those of the vault ask for no count of a day on which nothing moved."""
    return counted_on >= day
