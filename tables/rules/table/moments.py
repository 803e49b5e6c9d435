"""The order of time: records never run backwards, and a clock that jumped is not trusted (R65)."""

from datetime import datetime, timedelta
from typing import Final

LONGEST_WAIT: Final = timedelta(seconds=30)
"""No act waits longer for its table than this; a clock that is further behind is wrong."""
LONGEST_JUMP: Final = timedelta(minutes=1)
"""A clock has jumped if it differs by more than this from the time that has passed."""
LONGEST_SILENCE: Final = timedelta(minutes=15)
"""While people play, records are closer together than this."""


def runs_back(at: datetime, newest: datetime) -> bool:
    return at < newest


def act_moment(now: datetime, newest: datetime, ahead_until: datetime | None = None) -> datetime | None:
    """Return the moment of an act by its clock and its table's newest record; None if the clock is wrong. An
    act that waited for its table happens at `newest`, and so does one while records up to `ahead_until` are
    known to be ahead of the clock."""
    if not runs_back(now, newest):
        return now
    known_ahead = ahead_until is not None and newest <= ahead_until
    return newest if known_ahead or newest - now <= LONGEST_WAIT else None


def jump(before: datetime, now: datetime, passed: timedelta) -> timedelta | None:
    """Return by how much a clock jumped between two readings that are `passed` apart; None if it did not."""
    moved = now - before - passed
    return moved if abs(moved) > LONGEST_JUMP else None


def was_under_way(at: datetime, clock: datetime, expected: datetime) -> bool:
    """Return whether an act of this moment may have held its table when the clock was doubted."""
    return any(abs(at - moment) <= LONGEST_WAIT for moment in (clock, expected))


def starts_wrong(now: datetime, newest: datetime, *, playing: bool) -> bool:
    """Return whether the clock may be wrong at a start: behind the newest record, or far past it in play."""
    return newest - now > LONGEST_JUMP or (playing and now - newest > LONGEST_SILENCE)
