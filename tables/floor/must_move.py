"""Must-move tables (R55): a feeder's players go to the main game's free seats, longest there first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import MustMoveCircle, NotTheirTurn, OtherGame, SameTable
from tables.live import publish
from tables.models import Round, Sitting, Table, TableEvent, TableSession, WaitingPlace
from tables.rights import RUN_FLOOR
from tables.rules.table.moves import Stay, whose_turn
from tables.seats.moving import move_player
from tables.state.events import record, recorded_before
from tables.state.held_seats import longest_at_feeders, same_game
from tables.state.locks import lock_sessions, require_open
from tables.state.table_state import TableState


@dataclass(frozen=True)
class Turn:
    """The player whose turn it is to move to `main`, and its free `seats`; `in_round` ones move later."""

    main: TableSession
    sitting: Sitting
    seats: tuple[int, ...]
    in_round: bool
    table: Table


def set_must_move(*, session_id: int, to_session_id: int | None, act: Act) -> TableSession:
    """Make a table the feeder of a main game of the same game and limit; None ends that (R55). Refuses
    `table_closed`, `same_table`, `other_game`, `must_move_circle`."""
    require(act.actor, RUN_FLOOR)
    with transaction.atomic():
        both = [pk for pk in (session_id, to_session_id) if pk is not None]
        (session, *mains), act = lock_sessions(*both, act=act)
        main = mains[0] if mains else None
        if main is not None:  # one at a time, or three tables could form a circle
            posting.lock_house(session.table.site)
        kind = TableEvent.Kind.MUST_MOVE_SET
        if recorded_before(session, kind, act, to_session=to_session_id):
            return session
        require_open(session)
        if main is not None:
            _require_main_game(session, main)
        if session.must_move_to_id != to_session_id:
            before = session.must_move_to_id
            session.must_move_to = main
            session.save(update_fields=["must_move_to"])
            record(session, kind, key=act.key, to_session=to_session_id, act=act)
            for changed in {pk for pk in (session.pk, to_session_id, before) if pk is not None}:
                publish(changed)
    return session


def _require_main_game(session: TableSession, main: TableSession) -> None:
    require_open(main)
    if main.pk == session.pk:
        raise SameTable("A table cannot be its own main game.", field="main")
    if not same_game(session, main):
        raise OtherGame(f"{main.table} plays another game or limit than {session.table}.", field="main")
    seen, above = {main.pk}, main.must_move_to_id
    while above is not None and above not in seen:
        if above == session.pk:
            raise MustMoveCircle(f"The players of {main.table} must move to {session.table}.", field="main")
        seen.add(above)
        above = TableSession.objects.values_list("must_move_to", flat=True).get(pk=above)


def turn_of(
    main: TableState, feeders: Sequence[TableState], held: Mapping[tuple[int, int], WaitingPlace]
) -> Turn | None:
    """Return whose turn it is if the main game has a free seat, or None (R55)."""
    free = main.free_seats(held)
    waiting = {sitting.pk: (sitting, state) for state in feeders for sitting in state.sittings}
    first = whose_turn(Stay(sitting.entered_at, pk) for pk, (sitting, _) in waiting.items())
    if not free or first is None:
        return None
    sitting, state = waiting[first]
    return Turn(main.session, sitting, free, sitting.pk in state.in_round, state.session.table)


def turns(
    states: Iterable[TableState], held: Mapping[tuple[int, int], WaitingPlace]
) -> dict[int, tuple[list[TableState], Turn | None]]:
    """Return every main game among these tables, by session id, with its feeders and turn."""
    known = {state.session.pk: state for state in states}
    feeders: dict[int, list[TableState]] = {}
    for state in known.values():
        main = known.get(state.session.must_move_to_id or 0)
        if main is not None and same_game(state.session, main.session):
            feeders.setdefault(main.session.pk, []).append(state)
    return {pk: (some, turn_of(known[pk], some, held)) for pk, some in feeders.items()}


def move_up(*, sitting_id: int, to_session_id: int, seat: int, act: Act) -> Sitting:
    """Move the player whose turn it is to the main game, by order of the house (R55). Refuses
    `not_their_turn`, and what `move_player` refuses."""
    require(act.actor, RUN_FLOOR)
    from_session_id = Sitting.objects.values_list("session", flat=True).get(pk=sitting_id)
    with transaction.atomic():
        (feeder, main), act = lock_sessions(from_session_id, to_session_id, act=act)
        if not posting.sent_before(main.table.site, act.key):
            _require_turn(feeder, main, sitting_id)
        return move_player(
            sitting_id=sitting_id, to_session_id=to_session_id, seat=seat, ordered=True, act=act
        )


def _require_turn(feeder: TableSession, main: TableSession, sitting_id: int) -> None:
    if feeder.must_move_to_id != main.pk:
        raise NotTheirTurn(f"{feeder.table} is not a must-move table of {main.table}.")
    first = longest_at_feeders(main)
    if first is not None and first.pk != sitting_id:
        waits = Round.objects.filter(state=Round.State.DEALT, hands__sitting=first).exists()
        why = " and moves when the round is settled" if waits else ""
        raise NotTheirTurn(f"{first.player} has been at the must-move table for longest{why}.")
