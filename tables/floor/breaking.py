"""Break a table: the house moves everybody at it (R55, R62) or cashes them out, then closes it, all in one act."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import NoPlace, NotSeated, RoundRunning
from tables.floor.closing import BankCount, end_session
from tables.models import Sitting, TableSession
from tables.rights import RUN_FLOOR
from tables.rules.table.dealing import SEATS
from tables.seats.leaving import cash_out
from tables.seats.moving import move_player
from tables.state.held_seats import held_seats
from tables.state.locks import lock_sessions, require_open
from tables.state.table_state import TableState, load_states, sessions, state_of

Place = tuple[int, int]
"""A session id and a seat number."""


def break_table(
    *,
    session_id: int,
    places: Mapping[int, Place | None],
    count: BankCount,
    second: Any,
    act: Act,
) -> TableSession:
    """Break a table. `places` has the seat each player is moved to, by sitting; None cashes them out.

    The moves are ordered by the house, so buy-in bounds do not apply, and a fee paid for the current down covers the
    first one there (R55, R62). Two people count and return the bank and pull the box, as when a table closes. All or
    nothing: refuses `round_running`, `no_place`, `not_seated` (a place for somebody who has left), and whatever
    moving, cashing out and closing refuse. Repeating a key changes nothing.
    """
    require(act.actor, RUN_FLOOR)
    content = {
        "session": session_id,
        "second": second.pk,
        "counted": count.content(),
        "places": {str(sitting): place and list(place) for sitting, place in places.items()},
    }
    with transaction.atomic():
        targets = {place[0] for place in places.values() if place is not None}
        (session, *_), act = lock_sessions(session_id, *targets, act=act)
        site = session.table.site
        posting.lock_house(site)  # whoever owes a fee may need a number, after the one before has moved chips
        if posting.earlier(site=site, kind="bank_return", content=content, act=act):
            return session
        require_open(session)
        for sitting in _everybody(session, places):
            place, own = places[sitting.pk], act.under(f"{act.key}/{sitting.pk}")
            if place is None:
                cash_out(sitting_id=sitting.pk, act=own)
            else:
                to, seat = place
                move_player(sitting_id=sitting.pk, to_session_id=to, seat=seat, ordered=True, act=own)
        end_session(session, count, second=second, content=content, act=act)
    return session


def _everybody(session: TableSession, places: Mapping[int, Place | None]) -> list[Sitting]:
    """Return the players' sittings by seat, each of which must have a place to go."""
    state = state_of(session)
    if state.running_round:
        raise RoundRunning(f"{session.table} has a round that is not settled.")
    seated = {sitting.pk for sitting in state.sittings}
    if not seated.issuperset(places):
        raise NotSeated(f"Somebody has left {session.table} meanwhile: reload the page.")
    for sitting in state.sittings:
        if sitting.pk not in places:
            raise NoPlace(f"Choose where {sitting.player} goes.", field=f"place_{sitting.pk}")
    return state.sittings


def other_tables(session: TableSession) -> list[TableState]:
    """Return the house's other open tables: those with the same game and limit first, by number."""
    others = sessions().filter(closed_at__isnull=True, table__site=session.table.site).exclude(pk=session.pk)
    return sorted(load_states(others), key=lambda state: not _alike(state.session, session))


def free_seats(states: Iterable[TableState], now: datetime) -> list[tuple[TableSession, list[int]]]:
    """Return each table's seats that are neither taken nor held; one query."""
    states = list(states)
    held = held_seats([state.session.pk for state in states], now)
    found = []
    for state in states:
        session, taken = state.session, {sitting.seat for sitting in state.sittings}
        free = [seat for seat in SEATS if seat not in taken and (session.pk, seat) not in held]
        found.append((session, free))
    return found


def proposed_places(session: TableSession, now: datetime) -> dict[int, Place | None]:
    """Propose a seat for each player, by sitting: free ones with the same game and limit, in order of table and seat;
    None, a cash-out, once those run out."""
    free = iter(
        (other.pk, seat)
        for other, seats in free_seats(other_tables(session), now)
        if _alike(other, session)
        for seat in seats
    )
    return {sitting.pk: next(free, None) for sitting in state_of(session).sittings}


def _alike(one: TableSession, other: TableSession) -> bool:
    return (one.sheet.code, one.limit_cents) == (other.sheet.code, other.limit_cents)
