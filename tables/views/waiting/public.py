"""What everybody in the room sees of the games, and a waiting player of their own place: without a name."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from ledger.journal.days import gaming_day
from tables.floor import games, own_pages
from tables.models import WaitingPlace
from tables.reports.waits import waits_lately
from tables.rules.table.waits import initials, likely_wait
from tables.state.held_seats import State, expired, listed
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


@dataclass(frozen=True)
class OwnPlace:
    """A place as its player sees it: its `state` now, how many wait before it, about how many minutes others
    waited, where it is called to, and what the player may still say."""

    place: WaitingPlace
    title: str
    state: str
    before: int
    minutes: int | None
    where: str
    words: tuple[str, ...]


def own_place(place: WaitingPlace, now: datetime) -> OwnPlace:
    """Return what a player's own page shows of a place; a fixed number of queries."""
    site, of_list = place.site, {"game": place.game, "limit_cents": place.limit_cents}
    earlier = Q(gaming_day__lt=place.gaming_day) | Q(gaming_day=place.gaming_day, number__lt=place.number)
    before = listed(site, now).filter(earlier, state=State.WAITING, **of_list).count()
    waits = waits_lately(site, gaming_day(site, now), **of_list).get((place.game, place.limit_cents), ())
    title = next((games.title_of(one) for one in games.games() if one.code == place.game), place.game)
    state = str(State.EXPIRED if expired(place, now) else place.state)
    words = own_pages.words_of(place, now)
    return OwnPlace(place, title, state, before, likely_wait(waits), _where(place), words)


def public_lists(site: Any, now: datetime) -> list[PublicList]:
    """Return every list as the public board shows it; a fixed number of queries."""
    waits = waits_lately(site, gaming_day(site, now))
    found = []
    for one in waiting_lists(site, now):
        waiting = _in_state(one, State.WAITING)
        full = bool(waiting) or not one.free
        minutes = likely_wait(waits.get((one.game, one.limit_cents), ())) if full else None
        called = _in_state(one, State.CALLED)
        found.append(
            PublicList(one.title, one.limit_cents, len(one.tables), one.free, waiting, called, minutes)
        )
    return found


def _in_state(facts: ListFacts, state: str) -> tuple[PublicPlace, ...]:
    return tuple(_public(one) for one in facts.places if one.state == state)


def _public(one: PlaceFacts) -> PublicPlace:
    place = one.place
    where = _where(place) if place.state == State.CALLED else ""
    return PublicPlace(place.number, initials(place.player.name), where)


def _where(place: WaitingPlace) -> str:
    return f"{place.session.table}, seat {place.seat}" if place.session and place.seat else ""
