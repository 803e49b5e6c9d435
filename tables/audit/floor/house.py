"""What the log has said of the house: its clock, its rates, its boxes, the days that it has closed, why fees may be waived. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from ledger.audit.gaming_days import Clock, clock_in, day_of

RATE = ("option", "version", "fee_cents", "limit_cents")


@dataclass(slots=True)
class House:
    """`clocks` are all that the house has had: where a gaming day begins, and at which hour.

    `authorised_tables` is how many may be open at once (4 CCR 12391), None where it is not known.
    `doubted` is what the clock showed and what was expected, while nobody has confirmed the time. Records
    up to `ahead_until` are known to be ahead of it.
    `return_minutes` is how long somebody who left may be held to what they took away (R52); None where it is not known.
    `reasons` for waivers have their text, the day from which they hold, and the day on which they end.
    """

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

    def take(self, body: Mapping[str, Any]) -> None:
        """Take over what a record of the house itself says."""
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
        """The house was opened, or says of itself what has changed."""
        minutes = data.get("return_minutes")
        if type(minutes) is int:
            self.return_minutes = minutes
        most = data.get("authorised_tables")
        if type(most) is int:
            self.authorised_tables = most
        clock = clock_in(data)
        if clock is None:
            self.unknown_zone = True
        elif clock not in self.clocks:
            self.clocks.append(clock)

    def days_of(self, at: str) -> set[str]:
        """The gaming day of a moment, by any of the clocks; empty where that cannot be known."""
        if self.unknown_zone:
            return set()
        return {_day(at, clock) for clock in self.clocks}


@lru_cache(maxsize=256)
def _day(at: str, clock: Clock) -> str:
    return day_of(moment(at), clock).isoformat()


@lru_cache(maxsize=1024)
def moment(text: str) -> datetime:
    """The moment that a text of the log says. Raises ValueError for any other text."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a moment needs its time zone")
    return at


def same_moment(one: object, other: str) -> bool:
    """Whether evidence, which may write a moment in another way, says the same one as a record."""
    if not isinstance(one, str):
        return False
    try:
        return one == other or moment(one) == moment(other)
    except ValueError:
        return False
