"""A gaming day: from the house's hour on one date to the same hour on the next, by the house's clock. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

ONE_DAY = timedelta(days=1)


class Clock(NamedTuple):
    """Where a house's days begin, and at which hour of the clock on its wall, 0 to 23."""

    zone: ZoneInfo
    starts_at: int


def clock_in(data: Mapping[str, Any]) -> Clock | None:
    """The clock that a record of the house sets; None where this machine has no tables of its time zone, or it is none."""
    try:
        clock = Clock(ZoneInfo(data["time_zone"]), int(data["day_starts_at"]))
        time(clock.starts_at)
    except (ZoneInfoNotFoundError, ValueError, TypeError, KeyError, OSError):
        return None
    return clock


def start_of(day: date, clock: Clock) -> datetime:
    """When a gaming day starts, in UTC."""
    return datetime.combine(day, time(clock.starts_at), clock.zone).astimezone(UTC)


def bounds_of(day: date, clock: Clock) -> tuple[datetime, datetime]:
    """Start and end of a gaming day in UTC, half-open: 23 or 25 hours when the clocks change."""
    return start_of(day, clock), start_of(day + ONE_DAY, clock)


def day_of(at: datetime, clock: Clock) -> date:
    """The gaming day of a moment, named by the date it starts on. Raises ValueError for a moment without a time zone."""
    if at.tzinfo is None:
        raise ValueError("a moment needs its time zone")
    day = at.astimezone(clock.zone).date()
    while at < start_of(day, clock):
        day -= ONE_DAY
    return day
