"""Places on waiting lists, held seats and must-move tables as rows, and what sitting down does to them. The
verbs are in floor/waiting.py and calling.py. A call or a held seat runs out at its `until`, whoever marks
it and when.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q

from ledger.db.compiled import Compiled, after, among
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from tables.models import Sitting, TableSession, WaitingPlace

State = WaitingPlace.State
STANDING = (State.WAITING, State.CALLED, State.HELD)
KEEPING = (State.CALLED, State.HELD)


def expired(place: WaitingPlace, now: datetime) -> bool:
    """Whether a call or a held seat has run out, marked or not."""
    over = place.state in KEEPING and place.until is not None and place.until <= now
    return place.state == State.EXPIRED or over


_KEPT = Compiled(
    lambda _: WaitingPlace.objects.filter(
        among("session_id"), after("until"), seat__isnull=False, state__in=KEEPING
    ).select_related("player")
)


def held_seats(session_ids: Iterable[int], now: datetime) -> dict[tuple[int, int], WaitingPlace]:
    """The seats that are kept for somebody now, by (session id, seat); one query."""
    return {(place.session_id, place.seat): place for place in _KEPT.rows(list(session_ids), now)}


def same_game(one: TableSession, other: TableSession) -> bool:
    """Whether two tables play the same game at the same limit, and so share a waiting list."""
    return (one.sheet.code, one.limit_cents) == (other.sheet.code, other.limit_cents)


def longest_at_feeders(main: TableSession) -> Sitting | None:
    """Whose turn it is to go to a main game: who has been at its open must-move tables for longest (R55); None at all others.

    A table that plays another limit by now feeds it no more.
    """
    feeders = TableSession.objects.filter(
        must_move_to=main,
        closed_at__isnull=True,
        sheet__code=main.sheet.code,
        limit_cents=main.limit_cents,
    )
    there = Sitting.objects.filter(session__in=feeders, left_at__isnull=True)
    return there.select_related("player", "session__table").order_by("entered_at", "pk").first()


def sat_down(sitting: Sitting, *, act: Act) -> None:
    """Whoever sits down leaves the list of that game and limit; a wish for another table than this one stays."""
    session = sitting.session
    here = Q(sitting__isnull=True) | Q(session__isnull=True) | Q(session=session)
    today = gaming_day(session.table.site, act.now)
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
        changed_at=act.now,
        changed_by=act.actor,
    )


def sits_elsewhere(old: Sitting, new: Sitting) -> None:
    """A wish for another table goes along with a player who is moved."""
    WaitingPlace.objects.filter(sitting=old, state__in=STANDING).update(sitting=new)


def left_table(sitting: Sitting, *, act: Act) -> None:
    """Whoever cashes out no longer waits for another table."""
    WaitingPlace.objects.filter(sitting=sitting, state__in=STANDING).update(
        state=State.LEFT,
        reason="left the table",
        changed_at=act.now,
        changed_by=act.actor,
    )


def clock_text(site: Any, at: datetime | None) -> str:
    """A moment on the house's clock, as 21:10."""
    return "" if at is None else f"{at.astimezone(ZoneInfo(site.time_zone)):%H:%M}"
