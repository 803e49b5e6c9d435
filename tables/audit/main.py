"""The verifier that goes with an export: everything of the audit log, and what happened at the tables replayed. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger.audit import main as bundle
from ledger.audit.findings import Finding
from tables.audit.replay import Replay, Sheets


class FromFirstRecord(Replay):
    """A replay of records of which only the first one tells whether they begin with the first leaf."""

    def __init__(self, sheets: Sheets) -> None:
        super().__init__(sheets, whole=True)
        self._begun = False

    def take(self, leaf: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        """What is wrong with this record, seen after those before it."""
        if not self._begun:
            self._begun, self._floor.whole = True, leaf <= 0
        return super().take(leaf, body)


def checks(sheets: Sheets) -> list[FromFirstRecord]:
    """Return the checks that need the sheets."""
    return [FromFirstRecord(sheets)]


def main(argv: Sequence[str] | None = None) -> int:
    """Verify the export that the command line names; 0 right, 1 wrong, 2 not understood."""
    return bundle.main(argv, checks=checks)
