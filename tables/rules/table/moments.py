"""The order of time: a table's records never run backwards, and a clock that jumped is not believed (R65).

Times are aware datetimes; `running` is how long the machine has been up, which no change of its clock touches.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

LONGEST_WAIT: Final = timedelta(seconds=30)
"""No act waits longer for its table than this. A clock that is further behind than that is wrong."""
LONGEST_JUMP: Final = timedelta(minutes=1)
"""A clock that moves by more than this against the time that has passed has jumped: somebody has to look at it."""
LONGEST_SILENCE: Final = timedelta(minutes=15)
"""While people play, records are closer together than this. A start after a longer gap may have another time."""


def runs_back(at: datetime, newest: datetime) -> bool:
    """Whether a moment lies before the newest one recorded at its table."""
    return at < newest


def act_moment(now: datetime, newest: datetime, ahead_until: datetime | None = None) -> datetime | None:
    """Return when an act happens whose clock showed `now` before it waited for its table, or None if that clock is wrong.

    `newest` is the newest moment recorded at the table, by an act that came first: then this one happens at that moment.
    So it does where somebody has confirmed that the clock is right and the records up to `ahead_until` are ahead of it.
    """
    if not runs_back(now, newest):
        return now
    known_ahead = ahead_until is not None and newest <= ahead_until
    return newest if known_ahead or newest - now <= LONGEST_WAIT else None


def jump(before: datetime, now: datetime, passed: timedelta) -> timedelta | None:
    """Return by how much a clock has jumped between two readings with so much time between them; None if it has not."""
    moved = now - before - passed
    return moved if abs(moved) > LONGEST_JUMP else None


def was_under_way(at: datetime, clock: datetime, expected: datetime) -> bool:
    """Whether an act of this moment may have had its table already when a clock that showed `clock`, not `expected`, was doubted."""
    return any(abs(at - moment) <= LONGEST_WAIT for moment in (clock, expected))


def starts_wrong(now: datetime, newest: datetime, *, playing: bool) -> bool:
    """Whether a clock may be wrong at a start, by the newest record: it is ahead, or far back although people play."""
    return newest - now > LONGEST_JUMP or (playing and now - newest > LONGEST_SILENCE)
