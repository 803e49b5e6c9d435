"""Shifts in the log: closed in order, once, after their end, with nothing of them open; and before their day
is. Pure. They are judged by the clock that the house has when they are closed, and by what began in the
given records."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from ledger.chart import EntryKind
from ledger.records.findings import Body, Problem
from ledger.records.house import CLOCKS
from ledger.rules.documents import ENDS, KINDS, holds_day
from ledger.rules.gaming_days import Clock, clock_in
from ledger.rules.shifts import bounds_of_shift, first_open, not_closed, shift_name, wrong_shift

_MINUTE = len("2026-11-01T09:00")
_OPEN = {"box": "box_not_pulled", "document": "not_ended", "drawer": "drawer_open"}
"""The codes of what is open when its shift is closed."""


class Shifts:
    """The shifts of a log. Of each open day it keeps the minutes in which something was entered."""

    def __init__(self) -> None:
        self._clock: Clock | None = None
        self._seen: dict[str, set[str]] = {}
        self._closed_to: dict[str, int] = {}
        self._open: dict[tuple[str, Any], tuple[datetime, str]] = {}
        self._documents: dict[int, Body] = {}
        self.closed = self.unknown = 0

    def entry(self, body: Body) -> None:
        self._seen.setdefault(body["gaming_day"], set()).add(body["occurred_at"][:_MINUTE])
        if body["kind"] == EntryKind.DRAWER_CLOSE:
            self._open.pop(("drawer", body["evidence"]["drawer"]), None)

    def take(self, body: Body) -> None:
        """Follow the clock, and what is open."""
        record, data = body["record"], body.get("data", {})
        match record, body.get("kind"):
            case "house_event", kind if kind in CLOCKS:
                self._clock = clock_in(data)
            case "house_event", "box_installed":
                self._begin(("box", data["box"]), body, f"Box {data['number']} was still at its table.")
            case "house_event", "box_pulled":
                self._open.pop(("box", data["box"]), None)
            case "drawer", _:
                self._begin((record, body["id"]), body, f"Drawer {body['number']} was still open.")
            case "document", kind if kind in KINDS:
                self._documents[body["id"]] = body
            case "document_step", _ if begun := self._documents.get(body["document"]):
                self._step(begun, body["step"])

    def _step(self, document: Body, step: str) -> None:
        kind, key = KINDS[document["kind"]], ("document", document["id"])
        if holds_day(kind, step):
            self._begin(key, document, f"{kind.title} {document['number']} was still under way.")
        else:
            self._open.pop(key, None)
        if step in ENDS and not kind.after(step):
            del self._documents[document["id"]]

    def close(self, body: Body, days_closed_to: str) -> Iterator[Problem]:
        """Judge the closing of a shift; `days_closed_to` is the last day closed."""
        self.closed += 1
        day, number, clock = date.fromisoformat(body["gaming_day"]), body["number"], self._clock
        closed_to = self._closed_to.get(body["gaming_day"], 0)
        self._closed_to[body["gaming_day"]] = max(closed_to, number)
        if clock is None:
            self.unknown += 1
            return
        if body["gaming_day"] <= days_closed_to:
            closed_to = clock.shifts
        open_ = self._first_open(body["gaming_day"], clock, closed_to)
        at = datetime.fromisoformat(body["closed_at"])
        wrong = wrong_shift(day, number, clock, closed_to=closed_to, open_=open_, at=at)
        if wrong is not None:
            yield wrong
            return
        end = bounds_of_shift(day, number, clock)[1]
        for (what, _), (begun, sentence) in self._open.items():
            if begun < end:
                yield _OPEN[what], sentence

    def unclosed(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: its shifts that saw an entry, but the last, have been closed."""
        closed_to, clock = self._closed_to.get(day, 0), self._clock
        open_ = None if clock is None else self._first_open(day, clock, closed_to)
        if clock is not None and open_ is not None:
            yield "shift_not_closed", not_closed(day, shift_name(open_, clock))
        for past in [known for known in self._seen if known <= day]:
            del self._seen[past]
        for past in [known for known in self._closed_to if known <= day]:
            del self._closed_to[past]

    def _begin(self, key: tuple[str, Any], body: Body, sentence: str) -> None:
        self._open[key] = datetime.fromisoformat(body["recorded_at"]), sentence

    def _first_open(self, day: str, clock: Clock, closed_to: int) -> int | None:
        if clock.shifts == 1:
            return None
        seen = (datetime.fromisoformat(f"{minute}Z") for minute in self._seen.get(day, ()))
        return first_open(seen, date.fromisoformat(day), clock, closed_to)
