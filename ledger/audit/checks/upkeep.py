"""What was done with the books themselves, each event held against those before it: what was opened that the log withholds. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final

from ledger.audit.checks.record_forms import INT, TEXT, Fields, wrong_data
from ledger.audit.findings import Body, Problem

FORMS: Final[Mapping[str, Fields]] = {
    "withheld_opened": {"record": INT, "reason": TEXT, "key": TEXT},
}
"""What each kind of event about the books says, and nothing else."""


class Upkeep:
    """The events about the books of a log. `whole`: it begins with the first leaf."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._withheld = 0  # the newest record that withholds something

    def withheld(self, body: Body) -> None:
        """Take a record that withholds something."""
        self._withheld = max(self._withheld, body["id"])

    def take(self, body: Body) -> Iterator[Problem]:
        """Judge an event of the house; those that are not about the books are none of its business."""
        form = FORMS.get(body["kind"])
        if form is not None and (wrong := wrong_data(form, body) or self._wrong(body)):
            yield "upkeep_differs", wrong

    def _wrong(self, body: Body) -> str:
        data = body["data"]
        match body["kind"]:
            case "withheld_opened" if not 0 < data["record"] <= self._withheld and self._whole:
                return f"No record {data['record']} had withheld anything by then."
        return ""
