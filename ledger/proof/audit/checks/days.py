"""Gaming days in the log: entries belong to the day they happened in, and a closed day gets no more. Pure."""

from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from typing import Any

from ledger.chart import OF_DOCUMENTS
from ledger.proof.audit.checks.taking_back import is_slip
from ledger.records.findings import Body, Problem
from ledger.records.house import CLOCKS
from ledger.rules.closing_balances import Balances, balances_after, first_difference
from ledger.rules.gaming_days import MOST_CLOCKS, Clock, bounds_of, clock_in
from ledger.rules.slip_ways import POSTED_AS
from ledger.rules.two_to_close import wrong_second

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
