"""The commitments to what the log withholds: one for each text, and one in a record for all texts of a batch. Pure."""

from collections.abc import Iterable

from ledger.audit.tree import canonical


def commitment_of_batch(salt: str, commitments: Iterable[str]) -> str:
    """Return what the record of a batch says: the commitment to the list of those to its texts, in the order of writing."""
    return canonical.commitment(salt, canonical.text(list(commitments)))
