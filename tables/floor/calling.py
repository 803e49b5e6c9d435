"""Call a player from a waiting list, put them back, seat them; mark expired calls and held seats."""

from datetime import datetime, timedelta

from django.db import transaction

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import (
    AlreadyWaiting,
    BadEntry,
)
from tables.floor.waiting import SEATING
from tables.floor.waiting_places import (
    change_of_place,
    done_before,
    lock_place,
    mark_place,
    publish_place,
    require_keepable,
    require_same_list,
    require_standing,
)
from tables.live import publish
from tables.models import Sitting, TableSession, WaitingPlace
from tables.rights import RUN_FLOOR
from tables.seats.buying_in import FirstBuyIn, bring_in
from tables.seats.moving import move_player
from tables.seats.players import require_welcome_once
from tables.state.held_seats import KEEPING, STANDING, State
from tables.state.locks import lock_session, lock_sessions, require_open

# -- with a place ---------------------------------------------------------------------------------------------


def call(*, place_id: int, session_id: int | None = None, seat: int | None = None, act: Act) -> WaitingPlace:
    """Call somebody from the list: to a seat, held for as long as the house holds seats, or just to the floor.

    Refuses `place_gone`, `already_waiting`, `other_game`, `table_closed`, `seat_taken`, `seat_held`, `must_move_first`.
    """
    require(act.actor, RUN_FLOOR)
    if (session_id is None) != (seat is None):
        raise BadEntry("A call needs a table and a seat, or neither to call to the floor.", field="place")
    with transaction.atomic():
        session: TableSession | None = None
        if session_id is not None:
            session, act = lock_session(session_id, act)
        place = lock_place(place_id, act.key)
        change = change_of_place(State.CALLED, act.key, act.actor, session=session_id, seat=seat)
        if done_before(place, change):
            return place
        require_standing(place)
        _require_only_place(place)
        if session is not None and seat is not None:
            require_open(session)
            require_same_list(place, session)
            require_keepable(session, seat, place.player, act.now)
        before = place.session_id
        place.session, place.seat = session, seat
        place.until = act.now + timedelta(minutes=place.site.hold_minutes)
        mark_place(place, change, act=act)
        publish_place(place.site, place, before)
    return place


def put_back(*, place_id: int, act: Act) -> WaitingPlace:
    """Put somebody who did not come, or whose seat was needed, back on the list at their own number; free the seat.

    Refuses `place_gone`, and `already_waiting` if they have joined the list again meanwhile.
    """
    require(act.actor, RUN_FLOOR)
    with transaction.atomic():
        place, change = lock_place(place_id, act.key), change_of_place(State.WAITING, act.key, act.actor)
        if done_before(place, change):
            return place
        require_standing(place)
        _require_only_place(place)
        before = place.session_id
        # A player who asked for a table change still wants that table.
        place.session = place.session if place.sitting_id else None
        place.seat = place.until = None
        mark_place(place, change, act=act)
        publish_place(place.site, place, before)
    return place


def seat_from_list(
    *, place_id: int, session_id: int, seat: int, cents: int = 0, source: str = "cash", act: Act
) -> Sitting:
    """Seat somebody from the list with a first buy-in; a player seated elsewhere moves with the stack instead (R55).

    Fees run from now, however long the seat was held (R61). Refuses `see_floor`, `place_gone`, `other_game`, and
    what `buy_in` and `move_player` refuse.
    """
    require(act.actor, RUN_FLOOR)
    place = WaitingPlace.objects.select_related("player", "site").get(pk=place_id)
    require_welcome_once(place.player, site=place.site, doing=SEATING, act=act)
    now_at = _sits_at(place, act.key)
    with transaction.atomic():
        elsewhere = [now_at.session_id] if now_at else []
        (session, *_), act = lock_sessions(session_id, *elsewhere, act=act)
        if not posting.sent_before(place.site, act.key):
            _require_seatable(place_id, session)
        if now_at is not None:
            return move_player(
                sitting_id=now_at.pk, to_session_id=session_id, seat=seat, ordered=False, act=act
            )
        return bring_in(session, place.player, FirstBuyIn(seat, cents, source), act=act)


def _sits_at(place: WaitingPlace, key: str) -> Sitting | None:
    """Return the sitting that the player moves from, or moved from if this key is repeated; None if they sit nowhere."""
    here = Sitting.objects.filter(player=place.player)
    went = here.filter(moved_to__stack__incoming__entry__site=place.site)
    moved = went.filter(moved_to__stack__incoming__entry__key=key).first()
    if moved is not None or place.state == State.SEATED:
        return moved
    return here.filter(left_at__isnull=True).first()


def _require_seatable(place_id: int, session: TableSession) -> None:
    place = WaitingPlace.objects.select_related("player", "session").get(pk=place_id)
    require_standing(place)
    require_same_list(place, session)


def mark_expired(*, now: datetime) -> int:
    """Mark every expired call and held seat; return how many. Nothing depends on it: screens treat them as expired."""
    over = WaitingPlace.objects.filter(state__in=KEEPING, until__lte=now)
    with transaction.atomic():
        tables = set(over.filter(session__isnull=False).values_list("session", flat=True))
        marked = over.update(state=State.EXPIRED, changed_at=now)
        for session_id in tables:
            publish(session_id)
    return marked


def _require_only_place(place: WaitingPlace) -> None:
    """Refuse an expired place if its player has joined the list again (`already_waiting`)."""
    again = {"player": place.player, "game": place.game, "limit_cents": place.limit_cents}
    others = WaitingPlace.objects.filter(state__in=STANDING, **again).exclude(pk=place.pk)
    if (other := others.first()) is not None:
        raise AlreadyWaiting(f"{place.player} has place {other.number} on this list.")
