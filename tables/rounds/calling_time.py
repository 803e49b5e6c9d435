"""Call time on a stalled hand (R57): its player has a minute; an unfinished hand is then entered as mis-set."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from ledger.db.compiled import Compiled, after
from ledger.journal.acts import Act
from ledger.journal.records import moment
from ledger.rights import require
from tables.errors import AlreadySettled, HandForEmptySeat, RoundVoid, TimeCalled
from tables.live import publish
from tables.models import Round, TableEvent
from tables.rights import RUN_FLOOR
from tables.state.events import record, recorded_before
from tables.state.locks import lock_round

SECONDS = 60
Kind = TableEvent.Kind


@dataclass(frozen=True, slots=True)
class CalledTime:
    """A call of time on a seat's hand or hands, and when it runs out."""

    seat: int
    called_at: datetime
    ends_at: datetime


def call_time(*, round_id: int, seat: int, act: Act) -> CalledTime:
    """Call time on a hand of a running round: its player has 60 seconds from `now` (R57).

    Nothing happens by itself when they run out: the dealer then enters the hand as mis-set, without cards if need be.
    Refuses `already_settled`, `round_void`, `hand_for_empty_seat`, and `time_called` if it was called before.
    """
    require(act.actor, RUN_FLOOR)
    with transaction.atomic():
        session, round_, act = lock_round(round_id, act)
        data: dict[str, Any] = {"round_id": round_.pk, "seat": seat}
        if recorded_before(session, {Kind.TIME_CALLED}, act, **data):
            return next(called for called in called_times(round_) if called.seat == seat)
        _require_stalled(round_, seat)
        event = record(
            session,
            Kind.TIME_CALLED,
            round=round_.number,
            ends_at=moment(act.now + timedelta(seconds=SECONDS)),
            key=act.key,
            act=act,
            **data,
        )
        publish(session.pk)
    return _called(event)


def _require_stalled(round_: Round, seat: int) -> None:
    if round_.state == Round.State.SETTLED:
        raise AlreadySettled(f"Round {round_.number} has already been settled.")
    if round_.state == Round.State.VOID:
        raise RoundVoid(f"Round {round_.number} was voided.")
    if not round_.hands.filter(seat=seat).exists():
        raise HandForEmptySeat(f"Seat {seat} was not dealt into this round.", field="seat")
    if any(called.seat == seat for called in called_times(round_)):
        raise TimeCalled(f"Time has already been called on seat {seat}.", field="seat")


def called_times(round_: Round) -> list[CalledTime]:
    """Return the calls of time in a round, in order."""
    events = _CALLS.rows(round_.session_id, round_.started_at - _SET_BACK)
    return [_called(event) for event in events if event.data["round_id"] == round_.pk]


# A clock that was ahead when the round started, and has been set right since, records what follows as earlier.
_SET_BACK = timedelta(days=1)
_CALLS = Compiled(
    lambda session: TableEvent.objects.filter(
        after("recorded_at"), session=session, kind=Kind.TIME_CALLED
    ).order_by("pk")
)


def _called(event: TableEvent) -> CalledTime:
    return CalledTime(event.data["seat"], event.at, datetime.fromisoformat(event.data["ends_at"]))
