"""What everybody in the room may see of the games: seats, lists and calls, without a name."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ledger.journal.days import gaming_day
from tables.models import WaitingPlace
from tables.reports.waits import waits_lately
from tables.rules.table.waits import initials, likely_wait
from tables.views.waiting.lists import ListFacts, PlaceFacts, waiting_lists


@dataclass(frozen=True)
class PublicPlace:
    """Somebody on a list: number, initials, and for a call where to: `Table 3, seat 2`."""

    number: int
    alias: str
    where: str = ""


@dataclass(frozen=True)
class PublicList:
    """A game and limit: open tables, free seats, who waits and who is called, and for how many minutes a
    newcomer is likely to wait; None if nobody would wait, or it is not known."""

    title: str
    limit_cents: int
    tables: int
    free: int
    waiting: tuple[PublicPlace, ...]
    called: tuple[PublicPlace, ...]
    minutes: int | None


def public_lists(site: Any, now: datetime) -> list[PublicList]:
    """Return every list as the public board shows it; a fixed number of queries."""
    waits = waits_lately(site, gaming_day(site, now))
    found = []
    for one in waiting_lists(site, now):
        waiting = _in_state(one, WaitingPlace.State.WAITING)
        full = bool(waiting) or not one.free
        minutes = likely_wait(waits.get((one.game, one.limit_cents), ())) if full else None
        called = _in_state(one, WaitingPlace.State.CALLED)
        found.append(
            PublicList(one.title, one.limit_cents, len(one.tables), one.free, waiting, called, minutes)
        )
    return found


def _in_state(facts: ListFacts, state: str) -> tuple[PublicPlace, ...]:
    return tuple(_public(one) for one in facts.places if one.state == state)


def _public(one: PlaceFacts) -> PublicPlace:
    place = one.place
    called = place.state == WaitingPlace.State.CALLED and place.session is not None
    where = f"{place.session.table}, seat {place.seat}" if called and place.session else ""
    return PublicPlace(place.number, initials(place.player.name), where)
