"""The house as the log has it: its clock, rates, boxes, closed days, and reasons for waivers. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from ledger.rules.gaming_days import MOST_CLOCKS, Clock, clock_in, day_of


@dataclass(slots=True)
class House:
    """The state of the house. `clocks` are all its clocks so far.

    `authorised_tables` is how many may be open at once (4 CCR 12391). `doubted` has the time that the clock
    showed and the one expected, until somebody confirms the time; records up to `ahead_until` were written
    while the clock was ahead. A player who comes back within `return_minutes` buys in for the chips they
    took away (R52). Any of these is None if the log does not state it. `reasons` for waivers have their text,
    first day and last day, by code. `tables` have, by number, row, whether in use (None if unknown) and side
    of seat 1. `taken_off` are codes of games."""

    clocks: list[Clock] = field(default_factory=list)
    unknown_zone: bool = False
    return_minutes: int | None = None
    authorised_tables: int | None = None
    closed_day: str = ""
    rates: dict[int, dict[str, Any]] = field(default_factory=dict)
    boxes: dict[int, tuple[int, int]] = field(default_factory=dict)
    doubted: tuple[datetime, datetime] | None = None
    ahead_until: datetime | None = None
    reasons: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    tables: dict[int, tuple[int, bool | None, str | None]] = field(default_factory=dict)
    table_rows: set[int] = field(default_factory=set)
    taken_off: set[str] = field(default_factory=set)

    def take(self, body: Mapping[str, Any]) -> None:
        match body["record"], body.get("kind"):
            case "house_event", "house_opened" | "house_changed":
                self.set_up(body["data"])
            case "house_event", "box_installed":
                data = body["data"]
                self.boxes[data["number"]] = (data["chips"], data["cash"])
            case "house_event", "box_pulled":
                self.boxes.pop(body["data"]["number"], None)
            case "house_event", "clock_doubted":
                self.doubted = moment(body["data"]["clock"]), moment(body["data"]["expected"])
            case "house_event", "time_confirmed":
                self.doubted, ahead = None, body["data"]["ahead_until"]
                self.ahead_until = None if ahead is None else moment(ahead)
            case "house_event", "waiver_reason_published":
                data = body["data"]
                self.reasons[data["code"]] = (data["text"], data["effective_from"], "9999")
            case "house_event", "waiver_reason_withdrawn":
                data = body["data"]
                text, since, _ = self.reasons.get(data["code"], ("", "", ""))
                self.reasons[data["code"]] = (text, since, data["withdrawn_on"])
            case "rate", _:
                self.rates[body["id"]] = dict(body)
            case "closed_day", _:
                self.closed_day = max(self.closed_day, body["gaming_day"])

    def set_up(self, data: Mapping[str, Any]) -> None:
        minutes = data.get("return_minutes")
        if type(minutes) is int:
            self.return_minutes = minutes
        most = data.get("authorised_tables")
        if type(most) is int:
            self.authorised_tables = most
        clock = clock_in(data)
        if clock is None:
            self.unknown_zone = True
        elif clock not in self.clocks and len(self.clocks) < MOST_CLOCKS:
            self.clocks.append(clock)

    def days_of(self, at: str) -> set[str]:
        """Return the gaming days of a moment by each of the house's clocks; none if a time zone is
        unknown."""
        if self.unknown_zone:
            return set()
        return {_day(at, clock) for clock in self.clocks}


@lru_cache(maxsize=256)
def _day(at: str, clock: Clock) -> str:
    return day_of(moment(at), clock).isoformat()


@lru_cache(maxsize=1024)
def moment(text: str) -> datetime:
    """Return the moment in a text of the log. Raises ValueError for any other text."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a moment needs its time zone")
    return at


def same_moment(one: object, other: str) -> bool:
    """Return whether both texts are the same moment. Evidence may write it in another form than the
    record."""
    if not isinstance(one, str):
        return False
    try:
        return one == other or moment(one) == moment(other)
    except ValueError:
        return False
