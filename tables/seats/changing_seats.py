"""Change to another seat of the same table: sitting, entry, stack and fees stay, and the buttons go on by seats (R50)."""

from django.db import transaction

from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import NothingChanges, RoundRunning, SeatOfMatch, SeatTaken, TableError, UnknownSeat
from tables.live import publish
from tables.models import MatchPlayer, Sitting, TableEvent
from tables.rights import RUN_FLOOR
from tables.rules.table.moves import SeatRefused, wrong_seat_change
from tables.state.events import record, recorded_before
from tables.state.locks import lock_sitting, require_seated
from tables.state.requirements import require_not_held
from tables.state.table_state import state_of

_REFUSALS: dict[SeatRefused, TableError] = {
    "unknown_seat": UnknownSeat("A table has seats 1 to 5.", field="seat"),
    "nothing_changes": NothingChanges("The player sits in this seat already.", field="seat"),
    "seat_taken": SeatTaken("Somebody sits in this seat.", field="seat"),
    "round_running": RoundRunning("Settle the running round first: seats change between rounds."),
    "seat_of_match": SeatOfMatch(
        "This player has played a match in this seat, and its rounds name players by seat."
    ),
}


def change_seat(*, sitting_id: int, seat: int, act: Act) -> Sitting:
    """Sit a player down in another free seat of the table, between rounds.

    Repeating a key changes nothing. Refuses `not_seated`, `unknown_seat`, `nothing_changes`, `seat_taken`, `seat_held`,
    `round_running`, and `seat_of_match` for a player of one of the table's matches.
    """
    require(act.actor, RUN_FLOOR)
    with transaction.atomic():
        session, sitting, act = lock_sitting(sitting_id, act)
        kind = TableEvent.Kind.SEAT_CHANGED
        if recorded_before(session, {kind}, act, sitting=sitting.pk, to_seat=seat):
            return sitting
        require_seated(sitting)
        state = state_of(session)
        wrong = wrong_seat_change(
            sitting.seat,
            seat,
            [other.seat for other in state.sittings],
            round_running=state.running_round is not None,
            played_match=MatchPlayer.objects.filter(sitting=sitting).exists(),
        )
        if wrong is not None:
            raise _REFUSALS[wrong]
        require_not_held(session, seat, sitting.player, act.now)
        before, sitting.seat = sitting.seat, seat
        sitting.save(update_fields=["seat"])
        record(session, kind, sitting=sitting.pk, seat=before, to_seat=seat, key=act.key, act=act)
        publish(session.pk)
    return sitting
