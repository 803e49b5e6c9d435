"""The verifier that goes with an export: everything of the audit log, and the rounds and fees worked out again. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger.audit import main as bundle
from ledger.audit.findings import Check, Finding
from tables.audit.charges import ChargesCheck
from tables.audit.rounds import RoundsCheck
from tables.audit.seats import SeatsCheck

Sheets = Mapping[tuple[str, int], bytes]


def checks(sheets: Sheets, *, whole: bool = True) -> list[Check]:
    """The checks that know the game; `sheets` by code and version. `whole`: the records begin with the first leaf."""
    return [
        RoundsCheck(sheets, whole=whole),
        ChargesCheck(whole=whole),
        SeatsCheck(sheets, whole=whole),
    ]


class FromFirstRecord:
    """The same checks, of records of which only the first one tells whether they begin with the first leaf."""

    def __init__(self, sheets: Sheets) -> None:
        self._sheets = sheets
        self._checks = checks(sheets)
        self._begun = False
        self.checked: dict[str, int] = {}

    def take(self, place: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        """What is wrong with this record, seen after those before it."""
        if not self._begun:
            self._begun = True
            if place > 0:
                self._checks = checks(self._sheets, whole=False)
        return [finding for check in self._checks for finding in check.take(place, body)]

    def finish(self) -> Iterable[Finding]:
        """What is wrong with the whole, and what was checked."""
        found = [finding for check in self._checks for finding in check.finish()]
        for check in self._checks:
            self.checked |= check.checked
        return found


def main(argv: Sequence[str] | None = None) -> int:
    """Verify the export that the command line names; 0 right, 1 wrong, 2 not understood."""
    return bundle.main(argv, checks=lambda sheets: [FromFirstRecord(sheets)])
