"""The ways of cage slips, and the kind of entry that each is posted as. Pure."""

from collections.abc import Mapping
from typing import Final

from ledger.chart import EntryKind

POSTED_AS: Final[Mapping[str, EntryKind]] = {
    "in": EntryKind.FLOAT_ISSUE,
    "out": EntryKind.FLOAT_RETURN,
    "to_drawer": EntryKind.DRAWER_ISSUE,
    "from_drawer": EntryKind.DRAWER_RETURN,
    "closing": EntryKind.DRAWER_CLOSE,
    "count": EntryKind.VAULT_COUNT,
}
