"""Held seats, waiting lists and must-move rows, and what sitting down does to them.

The verbs are in floor/waiting.py. A call expires at its `until`, marked or not."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from ledger.db.compiled import Compiled, after, among
from ledger.journal import house_events, records
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from tables.models import Sitting, TableSession, WaitingPlace
from tables.rules.table.moves import Stay, whose_turn

State = WaitingPlace.State
STANDING = (State.WAITING, State.CALLED, State.HELD)
KEEPING = (State.CALLED, State.HELD)
OF_PAGE = ("page_at", "coming_at", "more_at")


def expired(place: WaitingPlace, now: datetime) -> bool:
    """Return whether a call or a held seat has expired, marked or not."""
    over = place.state in KEEPING and place.until is not None and place.until <= now
    return place.state == State.EXPIRED or over


def listed(site: Any, now: datetime) -> QuerySet[WaitingPlace]:
    """Return the places that stand, and expired ones for their gaming day."""
    lately = Q(state=State.EXPIRED, gaming_day=gaming_day(site, now))
    return WaitingPlace.objects.filter(Q(state__in=STANDING) | lately, site=site)


_KEPT = Compiled(
    lambda _: WaitingPlace.objects.filter(
        among("session_id"), after("until"), seat__isnull=False, state__in=KEEPING
    ),
    joined="player",
)


def held_seats(session_ids: Iterable[int], now: datetime) -> dict[tuple[int, int], WaitingPlace]:
    """Return the places for which a seat is held now, by (session id, seat); one query."""
    return {
        (place.session_id, place.seat): place
        for place in _KEPT.rows(list(session_ids), now)
        if place.session_id is not None and place.seat is not None
    }


def same_game(one: TableSession, other: TableSession) -> bool:
    return (one.sheet.code, one.limit_cents) == (other.sheet.code, other.limit_cents)


def longest_at_feeders(main: TableSession) -> Sitting | None:
    """Return the player longest at the open must-move tables of this game and limit (R55), or None."""
    feeders = TableSession.objects.filter(
        must_move_to=main, closed_at__isnull=True, sheet__code=main.sheet.code, limit_cents=main.limit_cents
    )
    there = Sitting.objects.filter(session__in=feeders, left_at__isnull=True)
    found = {sitting.pk: sitting for sitting in there.select_related("player", "session__table")}
    first = whose_turn(Stay(sitting.entered_at, pk) for pk, sitting in found.items())
    return None if first is None else found[first]


def note_place(place: WaitingPlace, *, act: Act, joined: bool = False) -> None:
    """Record a place's change, in the same transaction. `joined`: it is new."""
    data: dict[str, Any] = {
        **{name: getattr(place, name) for name in ("number", "game", "limit_cents", "seat", "reason")},
        "place": place.pk,
        "player": place.player_id,
        "joined": joined,
        "state": str(place.state),
        "sitting": place.sitting_id,
        "session": place.session_id,
        "day": place.gaming_day.isoformat(),
        **{name: records.moment_or_none(getattr(place, name)) for name in ("until", *OF_PAGE)},
    }
    house_events.note(place.site, "place_changed", act=act, **data)


def expire(expired: QuerySet[WaitingPlace], now: datetime) -> list[WaitingPlace]:
    """Mark these places as expired, in the caller's transaction, and return them."""
    places = list(expired.select_for_update(of=("self",), no_key=True).select_related("site").order_by("pk"))
    for place in places:
        place.state, place.changed_at = State.EXPIRED, now
        place.save(update_fields=["state", "changed_at"])
        note_place(place, act=Act(actor=None, now=now))
    return places


def _end(places: QuerySet[WaitingPlace], act: Act, **changed: Any) -> None:
    for place in places.select_related("site").order_by("pk"):
        for name, value in changed.items():
            setattr(place, name, value)
        place.changed_at, place.changed_by = act.now, act.actor
        place.save(update_fields=[*changed, "changed_at", "changed_by"])
        note_place(place, act=act)


def sat_down(sitting: Sitting, *, act: Act) -> None:
    """Take a player who sits down off that game's list; a request for another table stays."""
    session = sitting.session
    here = Q(sitting__isnull=True) | Q(session__isnull=True) | Q(session=session)
    today = gaming_day(session.table.site, act.now)
    stands = Q(state__in=STANDING) | Q(state=State.EXPIRED, gaming_day=today)
    places = WaitingPlace.objects.filter(
        here, stands, player=sitting.player, game=session.sheet.code, limit_cents=session.limit_cents
    )
    _end(places, act, state=State.SEATED, session=session, seat=sitting.seat, until=None)


def left_table(sitting: Sitting, *, act: Act) -> None:
    """Take a player who cashes out off the list for another table."""
    places = WaitingPlace.objects.filter(sitting=sitting, state__in=STANDING)
    _end(places, act, state=State.LEFT, reason="left the table")


def clock_text(site: Any, at: datetime | None) -> str:
    return "" if at is None else f"{at.astimezone(ZoneInfo(site.time_zone)):%H:%M}"
