"""Entries, cage slips and documents in the order of leaves: none has a time unlike those around it. Pure. A
clock that is put back moves everything after it; a record that stands out alone was dated by somebody."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from ledger.records.findings import Body, Finding, name_of

_NAMED: Final = frozenset(("entry", "cage_slip", "cage_slip_result", "document", "document_step"))
COUNTING: Final = frozenset(
    (
        *("box_received", "count_sheet", "count", "count_note", "struck_count"),
        *("count_sheet_signed", "count_sheet_received", "sign_off"),
    )
)
_IN_ORDER: Final = _NAMED | COUNTING | {"table_event", "charge", "down", "bank_sign_off"}
_SLACK: Final = timedelta(minutes=1)
"""No act waits longer than this between its time and its leaf."""


_AROUND: Final = timedelta(minutes=15)
"""A record about the clock holds for this long before and after it."""
_MOST: Final = 100
"""The most records of one moment that are named."""


class Order:
    """The moments of the records so far; successive records of one moment count as one. Findings come at the
    end, because a later record may say that the clock was ahead or jumped."""

    def __init__(self) -> None:
        self._before = self._here = self._ahead_until = self._doubted = ""
        self._named: list[tuple[int, str]] = []
        self._apart: list[tuple[str, Finding]] = []

    def take(self, leaf: int, body: Body) -> None:
        if body["record"] == "house_event":
            self._hear(body["kind"], body["data"])
        elif body["record"] in _IN_ORDER:
            if body["recorded_at"] != self._here:
                self._go_on(body["recorded_at"])
            if body["record"] in _NAMED and len(self._named) < _MOST:
                self._named.append((leaf, name_of(body)))

    def finish(self) -> Iterator[Finding]:
        yield from (finding for at, finding in self._apart if not self._is_known(at))

    def _go_on(self, at: str) -> None:
        before, here = self._before, self._here
        if before and _stands_apart(before, here, at):
            sentence = f"It was recorded at {here}, between records of {before} and {at}."
            self._apart += [(here, Finding("other_time", sentence, *one)) for one in self._named]
        else:
            self._before = here
        self._here, self._named = at, []

    def _hear(self, kind: str, data: Body) -> None:
        if kind == "clock_doubted":
            self._doubted = data["clock"]
        elif kind == "time_confirmed":
            self._ahead_until = max(self._ahead_until, data["ahead_until"] or "")
        else:
            return
        self._apart = [one for one in self._apart if not self._is_known(one[0])]

    def _is_known(self, at: str) -> bool:
        near = bool(self._doubted) and abs(_moment(self._doubted) - _moment(at)) <= _AROUND
        return near or (bool(self._ahead_until) and _moment(at) <= _moment(self._ahead_until))


def _stands_apart(before: str, here: str, after: str) -> bool:
    """Return whether the middle one of three moments is further from both others than they are from each
    other, while the time goes on from the first to the last."""
    if before <= here <= after:
        return False
    first, middle, last = map(_moment, (before, here, after))
    apart = min(abs(middle - first), abs(middle - last))
    return -_SLACK <= last - first < apart and apart > _SLACK


def _moment(at: str) -> datetime:
    return datetime.fromisoformat(at)
