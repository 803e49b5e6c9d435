"""Gaming days and their shifts in the log: entries belong to the day they happened in, a closed day gets
no more, and shifts are closed in order, once, after their end and before their day. Pure."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from ledger.chart import OF_DOCUMENTS, EntryKind
from ledger.proof.audit.checks.taking_back import is_slip
from ledger.records.findings import Body, Problem
from ledger.records.house import CLOCKS
from ledger.rules.bank_signing import wrong_second
from ledger.rules.closing_balances import Balances, balances_after, first_difference
from ledger.rules.documents import ENDS, KINDS, holds_day
from ledger.rules.gaming_days import MOST_CLOCKS, Clock, bounds_of, clock_in
from ledger.rules.shifts import bounds_of_shift, first_open, not_closed, shift_name, wrong_shift
from ledger.rules.slip_ways import POSTED_AS

Sums = dict[str, dict[str, dict[str, int]]]
"""Kind of account, asset, `in` or `out`: cents."""

_OF_ANOTHER_ROW = frozenset({"collection", "drop", "waiver"})
"""Entries dated by their charge or box; a reversal slip is dated by its first entry."""
_OF_TABLES = frozenset({"collection", "waiver", "toke"})
"""The time of their reversal is judged at the tables."""
_WHEN_RECORDED = frozenset((*map(str, POSTED_AS.values()), *map(str, OF_DOCUMENTS)))
"""Entries of things counted or taken on the spot: they happen when they are recorded."""
_OWN_MOMENTS = {
    **dict.fromkeys(
        ("cage_slip_result", "document_step", "count_note", "box_received", "struck_count"), "at"
    ),
    **dict.fromkeys(("cage_slip", "count"), "counted_at"),
    **dict.fromkeys(("sign_off", "bank_sign_off", "count_sheet_signed"), "signed_at"),
    "count_sheet": "begun_at",
    "count_sheet_received": "received_at",
    "drawer": "opened_at",
    **dict.fromkeys(("closed_day", "closed_shift"), "closed_at"),
}
_DATED = frozenset({"cage_slip", "document", "document_step", "drawer"})


class GamingDays:
    """The gaming days of a log. The sums of an open day are kept until it is closed.

    `whole`: records begin with the first leaf. `since`: the first gaming day with all its entries; without
    it, no day of a part can be judged by its totals. `closed_to` is the last closed day, empty before the
    first. `earliest` is the time of the earliest record. `begun`: the closing of `since` itself is here, or
    something dated or closed before that day. `unbalanced` is a day whose balances could not be computed,
    because no closing before it is here. `unknown_clocks` counts clocks in a time zone missing on this
    machine; days are then not derived from times."""

    def __init__(self, *, whole: bool, since: str | None = None) -> None:
        self._whole = whole
        self._since = "" if whole else since
        self._clocks: list[Clock] = []
        self._moved: dict[str, dict[tuple[str, str, int, str, int], int]] = {}
        self._balances: Balances | None = [] if whole else None
        self._counts: dict[str, int] = {}
        self._drops: dict[int, str] = {}
        self._signers: dict[str, set[int]] = {}
        self.earliest = "9999"
        self.closed_to = ""
        self.begun = whole
        self.unbalanced = ""
        self.dated = self.closed = self.closed_before = self.unknown_clocks = 0

    @property
    def open_from(self) -> str | None:
        """The first day with entries that was not closed; None if all were."""
        return min((day for day in self._counts if day > self.closed_to), default=None)

    def see(self, recorded_at: str) -> None:
        if recorded_at < self.earliest:
            self.earliest = recorded_at

    def take(self, body: Body) -> Iterator[Problem]:
        if body["record"] == "closed_day":
            yield from self._close(body)
        elif body["record"] == "sign_off":
            if (day := self._drops.pop(body["entry"], None)) is not None:
                self._signers.setdefault(day, set()).add(body["signed_by"])
        elif body["record"] == "house_event" and body["kind"] in CLOCKS:
            yield from self._set_clock(body["data"])

    def row(self, body: Body) -> Iterator[Problem]:
        """Judge the dates of a row of the books without an entry: it happened when it was recorded, and its
        gaming day is that of the moment."""
        recorded, own = body["recorded_at"], _OWN_MOMENTS.get(body["record"])
        if own is not None and body[own] != recorded:
            yield "other_time", f"It happened at {body[own]}, and was recorded at {recorded}."
        day = None
        if body["record"] in _DATED:
            day = body["gaming_day"]
        elif body.get("kind") == "box_installed":
            day = body["data"]["gaming_day"]
        if day is not None and self._clocks and not self._is_in(recorded, day):
            yield "wrong_day", f"It was recorded at {recorded}, which is not in gaming day {day}."

    def entry(self, body: Body) -> list[Problem]:
        day, found = body["gaming_day"], list[Problem]()
        if day <= self.closed_to:
            sentence = f"It is dated {day}, and gaming days up to {self.closed_to} had been closed."
            found.append(("day_closed", sentence))
        elif body["kind"] in _OF_ANOTHER_ROW or is_slip(body):
            if body["occurred_at"] != body["recorded_at"] and body["evidence"].get("of") not in _OF_TABLES:
                found.append(("other_time", "It happened at another time than it was recorded."))
        elif self._clocks:
            self.dated += 1
            happened = body["occurred_at"]
            if self._whole and happened != body["recorded_at"] and happened < self.earliest:
                sentence = f"It happened at {body['occurred_at']}, before the first record of the house."
                found.append(("wrong_day", sentence))
            elif not self._is_dated(body):
                sentence = f"It happened at {body['occurred_at']}, which is not in gaming day {day}."
                found.append(("wrong_day", sentence))
        if body["kind"] in _WHEN_RECORDED and body["occurred_at"] != body["recorded_at"] and not found:
            found.append(("other_time", "It happened at another time than it was recorded."))
        if body["kind"] == "drop":
            self._drops[body["id"]] = day
        if not self.begun:
            self.begun = self.closed_to < day < (self._since or "")
        self._counts[day] = self._counts.get(day, 0) + 1
        moved = self._moved.setdefault(day, {})
        for line in body["transfers"]:
            way = (line["asset"], line["from_kind"], line["from"], line["to_kind"], line["to"])
            moved[way] = moved.get(way, 0) + line["cents"]
        return found

    def _is_dated(self, body: Body) -> bool:
        """Return whether an entry is dated in its day or, if that is closed, in the day of recording."""
        day, happened = body["gaming_day"], body["occurred_at"]
        if self._is_in(happened, day):
            return True
        return self._is_in(body["recorded_at"], day) and self._may_be_closed(happened)

    def _may_be_closed(self, at: str) -> bool:
        """Return whether the day of a moment had been closed by any clock, or in a part, may have been."""
        if not self.closed_to:
            return not self._whole
        return any(at < _bounds(self.closed_to, clock)[1] for clock in self._clocks)

    def _close(self, body: Body) -> Iterator[Problem]:
        day = body["gaming_day"]
        if day <= self.closed_to:
            yield "day_closed", f"It closes {day} after {self.closed_to} had been closed."
            return
        if self._clocks and all(body["closed_at"] < _bounds(day, clock)[1] for clock in self._clocks):
            yield "before_its_time", f"It closes gaming day {day} before its end."
        yield from self.second(body)
        judged = self._since is not None and day >= self._since
        difference = self._balance(day, body["balances"], judged=judged)
        if judged:
            self.closed += 1
            recorded, entries = body["entries"], self._counts.get(day, 0)
            if recorded != entries:
                yield (
                    "wrong_total",
                    f"It says that gaming day {day} has {recorded} entries; there are {entries}.",
                )
            elif body["totals"] != _sums(self._moved.get(day, {})):
                sentence = (
                    f"What it says of gaming day {day} is not what the log's entries of that day add up to."
                )
                yield "wrong_total", sentence
            elif difference:
                sentence = f"Not what its entries come to: at the end of gaming day {day} {difference}."
                yield "wrong_balance", sentence
        else:
            self.closed_before += 1
        self.begun |= day <= (self._since or "")
        self.closed_to = day
        for past in [known for known in self._counts if known <= day]:
            del self._counts[past], self._moved[past]
            self._signers.pop(past, None)

    def second(self, body: Body, what: str = "gaming day") -> Iterator[Problem]:
        """Judge the two people who close a day or a shift of it."""
        signers = {
            one for day, signed in self._signers.items() if day <= body["gaming_day"] for one in signed
        }
        wrong = wrong_second(closer=body["closed_by"], second=body["closed_with"], signers=signers, what=what)
        if wrong:
            yield "second_person", wrong

    def _balance(self, day: str, recorded: Any, *, judged: bool) -> str:
        """Compute the balances at the end of a day; return their difference to the record, in words."""
        if self._balances is None:
            self._balances = balances_after(recorded, ())
            self.unbalanced = self.unbalanced or (day if judged else "")
            return ""
        days = [past for past in self._moved if past <= day]
        moves = ((*way, cents) for past in days for way, cents in self._moved[past].items())
        self._balances = balances_after(self._balances, moves)
        return first_difference(recorded, self._balances)

    def _set_clock(self, data: Mapping[str, Any]) -> Iterator[Problem]:
        clock = clock_in(data)
        if clock is None:
            self.unknown_clocks += 1
        elif clock not in self._clocks:
            if len(self._clocks) < MOST_CLOCKS:
                self._clocks.append(clock)
            else:
                yield "too_many_clocks", f"The house had {MOST_CLOCKS} clocks: days are not judged by more."

    def _is_in(self, at: str, day: str) -> bool:
        """Return whether a moment is in a day by any clock so far. Times of one format compare as strings."""
        return any(start <= at < end for start, end in (_bounds(day, clock) for clock in self._clocks))


def _sums(moved: Mapping[tuple[str, str, int, str, int], int]) -> Sums:
    sums: Sums = {}
    for (asset, source, _, target, _), cents in moved.items():
        for kind, way in ((target, "in"), (source, "out")):
            sums.setdefault(kind, {}).setdefault(asset, {"in": 0, "out": 0})[way] += cents
    return sums


@lru_cache(maxsize=256)
def _bounds(day: str, clock: Clock) -> tuple[str, str]:
    start, end = (f"{at:%Y-%m-%dT%H:%M:%S.%fZ}" for at in bounds_of(date.fromisoformat(day), clock))
    return start, end


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
