"""The table's clock and what a player owes for a down (R60-R65), from recorded times alone. Whole cents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

DOWN = timedelta(minutes=40)
HALF_FROM = timedelta(minutes=20)

Rule = Literal["full", "half", "covered"]


@dataclass(frozen=True, slots=True)
class Stop:
    """A clock stop from `start` to `end`; `end` is None while the clock stands still (R65)."""

    start: datetime
    end: datetime | None = None


class DownStart(NamedTuple):
    """The start of down `number`; `waited_from` is the boundary at which the clock waited, or None (R61)."""

    number: int
    started_at: datetime
    waited_from: datetime | None = None


class Owed(NamedTuple):
    """What a player owes for a down. `minute` is the clock at entry; None for an entry before the down."""

    rule: Rule
    cents: int
    minute: timedelta | None


def clock_between(start: datetime, end: datetime, stops: Iterable[Stop]) -> timedelta:
    """Return how long the table's clock ran between two moments: the time less the stops (R65)."""
    stood = timedelta()
    for stop in stops:
        stood += max(min(stop.end or end, end) - max(stop.start, start), timedelta())
    return end - start - stood


def moment_of(start: datetime, run: timedelta, stops: Iterable[Stop]) -> datetime | None:
    """Return when the clock has run for `run` since `start`; None if it stands still before that (R65)."""
    moment = start + run
    for stop in sorted(stops, key=lambda stop: stop.start):
        if stop.start >= moment:
            break
        if stop.end is None:
            return None
        moment += max(stop.end - max(stop.start, start), timedelta())
    return moment


def down_ends(started_at: datetime, stops: Iterable[Stop]) -> datetime | None:
    """Return the end of the down that began at `started_at`; None while the clock stands still in it."""
    return moment_of(started_at, DOWN, stops)


def begun_by(latest: DownStart, now: datetime, stops: Sequence[Stop], *, enough: bool) -> list[DownStart]:
    """Return the downs that have begun after `latest`, up to and including `now` (R61). `enough`: two players
    were eligible, fees aside, from the end of `latest` to `now`. Ask before and after that changes, and
    before the clock is stopped: a stopped clock begins nothing."""
    begun: list[DownStart] = []
    if any(stop.end is None for stop in stops):
        return begun
    current = latest
    while enough and (end := down_ends(current.started_at, stops)) is not None and end <= now:
        current = DownStart(current.number + 1, end)
        begun.append(current)
    return begun


def begun_after_wait(latest: DownStart, now: datetime, stops: Sequence[Stop]) -> DownStart | None:
    """Return the down that begins at `now` after the clock waited for players; None if it did not wait."""
    end = down_ends(latest.started_at, stops)
    if end is None or end > now or any(stop.end is None for stop in stops):
        return None
    return DownStart(latest.number + 1, now, waited_from=end if end < now else None)


def owed(fee_cents: int, down_started_at: datetime, entered_at: datetime, stops: Iterable[Stop]) -> Owed:
    """Return what a player who entered at `entered_at` owes (R61): full below minute 20, then half."""
    if entered_at < down_started_at:
        return Owed("full", fee_cents, None)
    minute = clock_between(down_started_at, entered_at, stops)
    if minute < HALF_FROM:
        return Owed("full", fee_cents, minute)
    return Owed("half", half_of(fee_cents), minute)


def is_owed(rounds: Iterable[datetime], stays: Iterable[tuple[datetime, datetime | None]]) -> bool:
    """Return whether a round of the down started in one of the stays, (came, left or None) (R61)."""
    there = list(stays)
    return any(came <= at and (left is None or at < left) for at in rounds for came, left in there)


def half_of(fee_cents: int) -> int:
    """Return half the fee; half of an odd number of cents is rounded down."""
    return fee_cents // 2


def covered(by_entry: Owed) -> Owed:
    """Return that nothing is owed, because a fee paid at an earlier table covers this one (R62)."""
    return Owed("covered", 0, by_entry.minute)
