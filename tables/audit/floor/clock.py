"""A table's clock by the log: its downs and stops, each checked against those before (R61, R65), and its
rates. Pure. After a wrong record both its word and the expected value may be built on, so that nothing is
reported twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from tables.audit.floor.house import moment, same_moment
from tables.audit.floor.sitting import Body, Mark
from tables.rules.table.downs import Stop, down_ends

# -- rates (R60, R64) ----------------------------------------------------------------------------------------


class ReplayedRate(NamedTuple):
    """A rate that a table has, or has announced, with its limit and the maximum buy-in; cents."""

    id: int
    option: Any
    version: int
    fee_cents: int
    limit_cents: int
    max_buy_in_cents: int

    @property
    def named(self) -> dict[str, Any]:
        return {"id": self.id, "option": self.option, "version": self.version}


def rates_in(data: Body) -> tuple[ReplayedRate, ...]:
    """Return the rate in an event; two possible ones if its limit is not the rate's."""
    rate, most = data["rate"], data["max_buy_in_cents"]
    limits = dict.fromkeys((data["limit_cents"], rate["limit_cents"]))
    if (
        type(most) is not int
        or type(rate["fee_cents"]) is not int
        or any(type(one) is not int for one in limits)
    ):
        raise TypeError("a rate is in whole cents")
    names = rate["id"], rate["option"], rate["version"], rate["fee_cents"]
    return tuple(ReplayedRate(*names, limit, most) for limit in limits)


class RateChange(NamedTuple):
    """A change of rate that takes effect with the down that must begin next: its number, and when."""

    mark: Mark
    down: int
    at: str


# -- downs and stops -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class ReplayedDown:
    """A down: its index, id and rounds (start, id). Number and start have two values if the record was wrong.
    `rates` has the rate it is charged at; several if that is not known (R64)."""

    place: int
    id: int
    numbers: set[int]
    starts: set[datetime]
    rounds: list[tuple[datetime, int]] = field(default_factory=list)
    rates: Sequence[ReplayedRate] = ()

    def likeness(self, id_: object, number: object, start: datetime) -> int:
        return (self.id == id_) + (number in self.numbers) + (start in self.starts)


@dataclass(slots=True)
class TableClock:
    """The clock of one table. `lost`: when it stood still is not known, so nothing is computed from it."""

    downs: list[ReplayedDown] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    lost: bool = False

    @property
    def latest(self) -> ReplayedDown | None:
        return self.downs[-1] if self.downs else None

    @property
    def stopped(self) -> bool:
        return bool(self.stops) and self.stops[-1].end is None

    def down_of(self, id_: object, number: object, start: datetime) -> ReplayedDown | None:
        """Return the down that most of these three name, or None. Nearly always it is the newest."""
        latest = self.latest
        if latest is not None and latest.likeness(id_, number, start) == 3:
            return latest
        likest = max(reversed(self.downs), key=lambda down: down.likeness(id_, number, start), default=None)
        return likest if likest is not None and likest.likeness(id_, number, start) else None

    def ends(self) -> set[datetime]:
        """Return when the newest down ends (candidates); empty if there is none, or the clock stands in
        it."""
        starts = self.latest.starts if self.latest else set()
        return {end for start in starts if (end := down_ends(start, self.stops)) is not None}

    def runs_at(self, at: datetime) -> bool:
        """Return whether the newest down runs at a moment: begun, and not waiting at its end (R61)."""
        ends = self.ends()
        return self.latest is not None and (not ends or at < max(ends))

    def add(self, id_: int, numbers: set[int], starts: set[datetime]) -> ReplayedDown:
        down = ReplayedDown(len(self.downs), id_, numbers, starts)
        self.downs.append(down)
        return down

    def begin(self, body: Body) -> str:
        said, start, recorded = body["number"], moment(body["started_at"]), moment(body["recorded_at"])
        waited = None if body["waited_from"] is None else moment(body["waited_from"])
        if type(said) is not int or type(body["id"]) is not int:
            raise TypeError("the number of a down is a whole number")
        numbers = {number + 1 for number in self.latest.numbers} if self.latest else {1}
        ends = self.ends() if self.latest else {recorded}
        wrong = "" if said in numbers else f"It is down {said}; down {min(numbers)} had to follow."
        wrong = wrong or ("" if self.lost else _wrong_start(start, waited, recorded, ends))
        if wrong:
            self.add(body["id"], numbers | {said}, ends | {start, recorded})
        else:
            self.add(body["id"], {said}, {start})
        return wrong

    def stop(self, body: Body) -> str:
        at, recorded = moment(body["at"]), moment(body["recorded_at"])
        if self.stopped:
            self.lost = True
            self.stops[-1] = Stop(self.stops[-1].start, recorded)
            wrong = "The clock is stopped while it stands still already."
        elif not self.downs:
            wrong = "The clock is stopped before the first round has started it."
        else:
            wrong = _wrong_moment(at, recorded)
        self.stops.append(Stop(recorded))
        return wrong

    def go_on(self, body: Body) -> str:
        at, recorded, since = moment(body["at"]), moment(body["recorded_at"]), body["data"]["stopped_at"]
        if not self.stopped:
            self.stops.append(Stop(min(moment(since), recorded), recorded))
            return "The clock goes on though it had not been stopped."
        start = self.stops[-1].start
        self.stops[-1] = Stop(start, max(recorded, start))
        if at < start:
            return "The clock goes on before it was stopped."
        if not same_moment(since, f"{start:%Y-%m-%dT%H:%M:%S.%fZ}"):
            return f"It says that the clock was stopped at {since}; it was at {start.isoformat()}."
        return _wrong_moment(at, recorded)

    def start_round(self, at: datetime, body: Body) -> str:
        down, number = self.latest, body["data"]["down"]
        if down is None:
            return "A round starts, and no down has begun."
        ends = self.ends()
        wrong = ""
        if number not in down.numbers:
            wrong = f"The round is of down {number}; down {min(down.numbers)} had begun."
        elif self.stopped:
            self.stops[-1] = Stop(self.stops[-1].start, at)
            self.lost = True
            wrong = "A round starts while the clock stands still."
        elif not self.lost and ends and at >= max(ends):
            wrong = f"Down {number} had ended at {max(ends).isoformat()}, and no other had begun."
        down.rounds.append((at, body["data"]["round_id"]))
        return wrong or _wrong_moment(at, moment(body["recorded_at"]))


def _wrong_start(start: datetime, waited: datetime | None, recorded: datetime, ends: set[datetime]) -> str:
    """Return why a down neither begins where the last one ended nor when it was recorded, after waiting."""
    begin = " or ".join(sorted(end.isoformat() for end in ends)) or "no known moment"
    if waited is None:
        right = start in ends and start <= recorded
        return "" if right else f"It begins at {start.isoformat()}; the down before ends at {begin}."
    if waited not in ends:
        return f"It has waited from {waited.isoformat()}; the down before ends at {begin}."
    if start == recorded and start > waited:
        return ""
    return f"It has waited and begins at {start.isoformat()}, but was recorded at {recorded.isoformat()}."


def _wrong_moment(at: datetime, recorded: datetime) -> str:
    if at == recorded:
        return ""
    return f"It happened at {at.isoformat()}, but was recorded at {recorded.isoformat()}."
