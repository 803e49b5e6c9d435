"""Places on waiting lists and held seats, as rows say it: which of them keep a seat, and what sitting down does to them.

The verbs are in waiting.py. That a call or a held seat has run out follows from its `until`, whoever marks it and when.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q

from ledger.days import gaming_day
from tables.errors import SeatHeld
from tables.models import Player, Sitting, TableSession, WaitingPlace

State = WaitingPlace.State
STANDING = (State.WAITING, State.CALLED, State.HELD)
KEEPING = (State.CALLED, State.HELD)


def expired(place: WaitingPlace, now: datetime) -> bool:
    """Whether a call or a held seat has run out, marked or not."""
    over = place.state in KEEPING and place.until is not None and place.until <= now
    return place.state == State.EXPIRED or over


def held_seats(session_ids: Iterable[int], now: datetime) -> dict[tuple[int, int], WaitingPlace]:
    """The seats that are kept for somebody now, by (session id, seat); one query."""
    kept = WaitingPlace.objects.filter(
        session__in=list(session_ids), seat__isnull=False, state__in=KEEPING, until__gt=now
    ).select_related("player")
    return {(place.session_id, place.seat): place for place in kept}


def require_not_held(session: TableSession, seat: int, player: Player, now: datetime) -> None:
    """Refuse a seat that is kept for somebody else (`seat_held`). Under the session's lock, which whoever holds one has."""
    place = held_seats([session.pk], now).get((session.pk, seat))
    if place is not None and place.player_id != player.pk:
        until = clock_text(session.table.site, place.until)
        raise SeatHeld(f"Seat {seat} is held for {place.player} until {until}.", field="seat")


def sat_down(sitting: Sitting, *, key: str, actor: Any, now: datetime) -> None:
    """Whoever sits down leaves the list of that game and limit; a wish for another table than this one stays."""
    session = sitting.session
    here = Q(sitting__isnull=True) | Q(session__isnull=True) | Q(session=session)
    today = gaming_day(session.table.site, now)
    stands = Q(state__in=STANDING) | Q(state=State.EXPIRED, gaming_day=today)
    WaitingPlace.objects.filter(
        here,
        stands,
        player=sitting.player,
        game=session.sheet.code,
        limit_cents=session.limit_cents,
    ).update(
        state=State.SEATED,
        session=session,
        seat=sitting.seat,
        until=None,
        last_key=key,
        changed_at=now,
        changed_by=actor,
    )


def sits_elsewhere(old: Sitting, new: Sitting) -> None:
    """A wish for another table goes along with a player who is moved."""
    WaitingPlace.objects.filter(sitting=old, state__in=STANDING).update(sitting=new)


def left_table(sitting: Sitting, *, key: str, actor: Any, now: datetime) -> None:
    """Whoever cashes out no longer waits for another table."""
    WaitingPlace.objects.filter(sitting=sitting, state__in=STANDING).update(
        state=State.LEFT,
        reason="left the table",
        last_key=key,
        changed_at=now,
        changed_by=actor,
    )


def clock_text(site: Any, at: datetime | None) -> str:
    """A moment on the house's clock, as 21:10."""
    return "" if at is None else f"{at.astimezone(ZoneInfo(site.time_zone)):%H:%M}"
