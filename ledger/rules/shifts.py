"""The shifts of a gaming day: from one to four of equal length by the house's clock, numbered from 1.
One that the clocks change in is an hour longer or shorter. Every shift but the last is closed by itself, the
last with its day. Pure."""

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from ledger.rules.gaming_days import Clock, bounds_of, clock_in

HOURS = 24


@lru_cache(maxsize=256)  # a paper asks for every line of a day
def starts_of(day: date, clock: Clock) -> tuple[datetime, ...]:
    """Return the start of each shift in UTC, and the end of the last, which is the day's."""
    first, end = bounds_of(day, clock)
    starts = [first]
    for number in range(1, clock.shifts):
        days, hour = divmod(_hour(number, clock), HOURS)
        local = datetime.combine(day + timedelta(days), time(hour), clock.zone)
        starts.append(min(max(local.astimezone(first.tzinfo), first), end))
    return *starts, end


def bounds_of_shift(day: date, number: int, clock: Clock) -> tuple[datetime, datetime]:
    """Return start and end of a shift in UTC, half-open. Raises IndexError if the day has no such shift."""
    if number < 1:
        raise IndexError("shifts are numbered from 1")
    starts = starts_of(day, clock)
    return starts[number - 1], starts[number]


def shift_of(at: datetime, day: date, clock: Clock) -> int:
    """Return the shift of a moment of this gaming day: the first if it was before the day, the last if it was
    after it."""
    return max(bisect_right(starts_of(day, clock)[:-1], at), 1)


def shift_by_clock(local: datetime, day: date, starts_at: int, shifts: int) -> int:
    """Return the same as `shift_of`, from the time that the house's clock showed: papers know its offsets
    (local_time.py), but no time zone."""
    hours = (local.replace(tzinfo=None) - datetime.combine(day, time())) // timedelta(hours=1) - starts_at
    return min(max(hours * shifts // HOURS + 1, 1), shifts)


def shift_name(number: int, clock: Clock) -> str:
    """Return a shift in words, with the local hours it is from and to."""
    start, end = (_hour(one, clock) % HOURS for one in (number - 1, number))
    return f"Shift {number}, {start:02}:00 to {end:02}:00"


def first_open(seen: Iterable[datetime], day: date, clock: Clock, closed_to: int) -> int | None:
    """Return the first shift of a day, apart from the last, that has an entry and is not closed. `seen` are
    the moments of the day's entries, `closed_to` is the last closed shift, 0 before the first."""
    starts = starts_of(day, clock)
    since, until = starts[min(closed_to, clock.shifts - 1)], starts[-2]
    first = min((at for at in seen if since <= at < until), default=None)
    return None if first is None else shift_of(first, day, clock)


def wrong_shift(
    day: date, number: int, clock: Clock, *, closed_to: int, open_: int | None, at: datetime
) -> tuple[str, str] | None:
    """Return a code and a sentence if a shift may not be closed by itself at this moment. `closed_to` is the
    last closed one of its day, `open_` the first one with an entry that is not closed."""
    if not 1 <= number <= clock.shifts:
        return "no_such_shift", f"Gaming day {day} has no shift {number}."
    shift = f"{shift_name(number, clock)}, of gaming day {day}"
    if number == clock.shifts:
        return "last_shift", f"{shift} is the last one: it is closed with its day."
    if at < bounds_of_shift(day, number, clock)[1]:
        return "shift_not_over", f"{shift} is not over yet."
    if number <= closed_to:
        return "shift_already_closed", f"{shift} has been closed."
    if open_ is not None and open_ < number:
        return "shift_not_closed", not_closed(day, shift_name(open_, clock))
    return None


def not_closed(day: date | str, shift: str) -> str:
    """Return the refusal of a later shift, or of the day, while this shift is open."""
    return f"Close {shift}, of gaming day {day}, first: it is still open."


class Clocks:
    """A house's clocks by its records, each from its moment on. A moment belongs to a shift by the clock that
    the house had then."""

    def __init__(self) -> None:
        self._said: list[tuple[datetime, int, Mapping[str, Any]]] = []

    def take(self, recorded_at: datetime, data: Mapping[str, Any]) -> None:
        insort(self._said, (recorded_at, len(self._said), data))

    def said(self, moment: datetime) -> Mapping[str, Any]:
        """Return the latest record of the clock up to a moment; the first one for earlier moments."""
        number = bisect_right(self._said, (moment, len(self._said)))
        return self._said[max(number - 1, 0)][2] if self._said else {}

    def at(self, moment: datetime) -> Clock | None:
        """Return the clock of a moment; None if it is not known."""
        return clock_in(self.said(moment))


def _hour(starts: int, clock: Clock) -> int:
    """Return the start of the shift after this many, in hours from the midnight before the day's start."""
    return clock.starts_at + starts * HOURS // clock.shifts
