"""The table's clock and what a player owes for a down (R60-R65), from recorded times alone.

Times are aware datetimes, amounts whole cents. Who is seated, and whether the fee was paid, is not known here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

DOWN = timedelta(minutes=40)
HALF_FROM = timedelta(minutes=20)

Rule = Literal["full", "half", "covered"]


@dataclass(frozen=True, slots=True)
class Stop:
    """The clock stood still from `start` to `end`; `end` is None while it still stands (R65)."""

    start: datetime
    end: datetime | None = None


class DownStart(NamedTuple):
    """Down `number` begins at `started_at`; `waited_from` is the boundary the clock waited at, if it did (R61)."""

    number: int
    started_at: datetime
    waited_from: datetime | None = None


class Owed(NamedTuple):
    """What one player owes for one down: `cents`, by which `rule`, and the `minute` of entry.

    `minute` is the time on the table's clock between the start of the down and the entry; None for an
    entry before the down.
    """

    rule: Rule
    cents: int
    minute: timedelta | None


def clock_between(start: datetime, end: datetime, stops: Iterable[Stop]) -> timedelta:
    """Return how long the table's clock ran from `start` to `end`: the time between less the stops (R65)."""
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
    """Return the downs that have begun after `latest`, up to and including `now` (R61).

    `enough` says whether two players were eligible but for the fee, from the end of `latest` until `now`
    (whoever changes that asks before and after the change). Without them the clock waits. A clock that stands
    still begins nothing: what began before the stop was asked for when the clock was stopped.
    """
    begun: list[DownStart] = []
    if any(stop.end is None for stop in stops):
        return begun
    current = latest
    while enough and (end := down_ends(current.started_at, stops)) is not None and end <= now:
        current = DownStart(current.number + 1, end)
        begun.append(current)
    return begun


def begun_after_wait(latest: DownStart, now: datetime, stops: Sequence[Stop]) -> DownStart | None:
    """Return the down that begins at `now` because the clock had waited for a second player; None if it had not."""
    end = down_ends(latest.started_at, stops)
    if end is None or end > now or any(stop.end is None for stop in stops):
        return None
    return DownStart(latest.number + 1, now, waited_from=end if end < now else None)


def owed(fee_cents: int, down_started_at: datetime, entered_at: datetime, stops: Iterable[Stop]) -> Owed:
    """Return what a player who entered at `entered_at` owes for the down (R61).

    Full before the down or at a minute below 20 of the table's clock, half from 20:00 on. Half of an odd
    number of cents is rounded down, in the player's favour.
    """
    if entered_at < down_started_at:
        return Owed("full", fee_cents, None)
    minute = clock_between(down_started_at, entered_at, stops)
    if minute < HALF_FROM:
        return Owed("full", fee_cents, minute)
    return Owed("half", half_of(fee_cents), minute)


def is_owed(rounds: Iterable[datetime], stays: Iterable[tuple[datetime, datetime | None]]) -> bool:
    """Whether a player owes the fee of a down: one of its rounds started while they sat at the table (R61).

    `rounds` are when they started, `stays` when the player sat down there and left, None while they sit. Until then the
    fee can only be paid ahead; whoever leaves at the moment of a start was not there.
    """
    there = list(stays)
    return any(came <= at and (left is None or at < left) for at in rounds for came, left in there)


def half_of(fee_cents: int) -> int:
    """What is owed from half of a down on; of an odd number of cents the lesser half."""
    return fee_cents // 2


def covered(by_entry: Owed) -> Owed:
    """Return what is owed where a fee paid at the table before stands for this one: nothing, by the same entry (R62)."""
    return Owed("covered", 0, by_entry.minute)
