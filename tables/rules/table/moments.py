"""The order of time at one table: its records never run backwards (R65). Times are aware datetimes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

LONGEST_WAIT: Final = timedelta(seconds=30)
"""No act waits longer for its table than this. A clock that is further behind than that is wrong."""


def runs_back(at: datetime, newest: datetime) -> bool:
    """Whether a moment lies before the newest one recorded at its table."""
    return at < newest


def act_moment(now: datetime, newest: datetime) -> datetime | None:
    """Return when an act happens whose clock showed `now` before it waited for its table, or None if that clock is wrong.

    `newest` is the newest moment recorded at the table, by an act that came first: then this one happens at that moment.
    """
    if not runs_back(now, newest):
        return now
    return newest if newest - now <= LONGEST_WAIT else None
