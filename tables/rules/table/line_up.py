"""The dealers' line-up: what a day's pushes and the floor's orders make of each, and who is next. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

DEALING, IN_LINE, ON_BREAK, OFF = "dealing", "in_line", "on_break", "off"
"""Where a dealer is. A dealer without a place was not here today."""
COMES, GOES = "comes", "goes"
"""What a push says of a dealer at a table."""
ORDERS: Final[Mapping[str, tuple[str, frozenset[str | None]]]] = {
    "line": (IN_LINE, frozenset({None, ON_BREAK, OFF})),
    "first": (IN_LINE, frozenset({IN_LINE})),
    "break": (ON_BREAK, frozenset({IN_LINE})),
    "off": (OFF, frozenset({IN_LINE, ON_BREAK})),
}
"""The floor's orders: the place to which each puts a dealer, and the places from which it may."""


@dataclass(frozen=True)
class LineAct:
    """A push (`comes`, `goes`, at a `session`) or an order of the floor about one dealer."""

    dealer: int
    does: str
    at: datetime
    session: int | None = None


@dataclass(frozen=True)
class LineStanding:
    """Where a dealer is, and since when; `first` if the floor put them before the others. `stretches` are
    the times at tables that have ended."""

    dealer: int
    place: str
    since: datetime
    session: int | None = None
    first: bool = False
    stretches: tuple[tuple[datetime, datetime], ...] = field(default=())

    def dealt_seconds(self, start: datetime, now: datetime) -> int:
        """Return for how long they have been at tables since `start`."""
        running = ((self.since, now),) if self.place == DEALING else ()
        return sum(
            max(0, int((min(end, now) - max(begin, start)).total_seconds()))
            for begin, end in (*self.stretches, *running)
        )


def line_up(acts: Iterable[LineAct], start: datetime) -> dict[int, LineStanding]:
    """Return where each dealer is after these acts, in their order. A dealer who has done nothing since the
    `start` of the day and is at no table has no place."""
    found: dict[int, LineStanding] = {}
    for act in acts:
        was = found.get(act.dealer)
        if (now := standing_after(was, act)) is not None:
            found[act.dealer] = now
    return {pk: one for pk, one in found.items() if one.place == DEALING or one.since >= start}


def standing_after(was: LineStanding | None, act: LineAct) -> LineStanding | None:
    """Return where a dealer is after this act; None if it is still nowhere."""
    stretches = was.stretches if was else ()
    if was is not None and was.place == DEALING and act.does != COMES:
        if act.does == GOES and act.session != was.session:
            return was  # they came in elsewhere first
        return LineStanding(act.dealer, IN_LINE, act.at, stretches=(*stretches, (was.since, act.at)))
    if act.does == COMES:
        if was is not None and was.place == DEALING:
            stretches = (*stretches, (was.since, act.at))
        return LineStanding(act.dealer, DEALING, act.at, act.session, stretches=stretches)
    if act.does == GOES:
        return was
    if act.does == "first" and was is not None:
        return replace(was, first=True)
    return LineStanding(act.dealer, ORDERS[act.does][0], act.at, stretches=stretches)


def may_order(standing: LineStanding | None, does: str) -> bool:
    """Return whether the floor may give this order about a dealer; none about one who is dealing."""
    place = standing.place if standing else None
    asked_again = does == "first" and standing is not None and standing.first
    return does in ORDERS and place in ORDERS[does][1] and not asked_again


def in_order(standings: Iterable[LineStanding]) -> list[LineStanding]:
    """Return the dealers in line, the next one first: those the floor put first, then by waiting time."""
    waiting = [one for one in standings if one.place == IN_LINE]
    return sorted(waiting, key=lambda one: (not one.first, one.since, one.dealer))


def next_in_line(
    standings: Iterable[LineStanding], *, licensed: frozenset[int], leaving: int | None = None
) -> int | None:
    """Return the dealer whom a push proposes: the first in line with a valid licence who is not leaving this
    very table. None if there is no such dealer; dealers on break, off, or dealing elsewhere are not in
    line."""
    may = (one.dealer for one in in_order(standings) if one.dealer in licensed and one.dealer != leaving)
    return next(may, None)
