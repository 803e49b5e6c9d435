"""A gaming day: from the house's hour on one date to the same hour on the next, by its clock. Pure."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

ONE_DAY = timedelta(days=1)
MOST_SHIFTS = 4
MOST_CLOCKS = 100
"""The most clocks of a house. One that moves or changes its day has a few; thousands in a log would keep its
verifier busy."""


class Clock(NamedTuple):
    """A house's time zone, the local hour (0 to 23) at which its gaming day starts, and in how many shifts of
    equal length by its clock the day is worked (shifts.py)."""

    zone: ZoneInfo
    starts_at: int
    shifts: int = 1


def clock_in(data: Mapping[str, Any]) -> Clock | None:
    """Return the clock that a house's record sets; None if malformed or the time zone is unknown here."""
    try:
        clock = Clock(ZoneInfo(data["time_zone"]), int(data["day_starts_at"]), int(data["shifts"]))
        time(clock.starts_at)
        if not 0 < clock.shifts <= MOST_SHIFTS:
            return None
    except (ZoneInfoNotFoundError, ValueError, TypeError, KeyError, OSError):
        return None
    return clock


def start_of(day: date, clock: Clock) -> datetime:
    return datetime.combine(day, time(clock.starts_at), clock.zone).astimezone(UTC)


def bounds_of(day: date, clock: Clock) -> tuple[datetime, datetime]:
    """Return start and end of a gaming day in UTC, half-open: 23 or 25 hours when the clocks change."""
    return start_of(day, clock), start_of(day + ONE_DAY, clock)


@lru_cache(maxsize=1024)  # an act asks for the day of one moment several times
def day_of(at: datetime, clock: Clock) -> date:
    """Return the gaming day of a moment, named by the date it starts on. Raises ValueError if naive."""
    if at.tzinfo is None:
        raise ValueError("a moment needs its time zone")
    day = at.astimezone(clock.zone).date()
    while at < start_of(day, clock):
        day -= ONE_DAY
    return day
