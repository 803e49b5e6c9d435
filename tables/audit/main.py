"""The verifier of an export: the whole audit log, with the tables replayed. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger.proof.audit import main as bundle
from ledger.records.findings import Finding
from tables.audit.replay import Replay, Sheets


class FromFirstRecord(Replay):
    """A replay that learns from the first record whether the log begins with the first leaf."""

    def __init__(self, sheets: Sheets) -> None:
        super().__init__(sheets, whole=True)
        self._begun = False

    def take(self, leaf: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        if not self._begun:
            self._begun, self._floor.whole = True, leaf <= 0
        return super().take(leaf, body)


def checks(sheets: Sheets) -> list[FromFirstRecord]:
    return [FromFirstRecord(sheets)]


def main(argv: Sequence[str] | None = None) -> int:
    """Verify the export on the command line. Return 0 right, 1 wrong, 2 not understood."""
    return bundle.main(argv, checks=checks)
