"""A round that is running: save its draft, call time on a stalled hand (R57), void it (R58)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from ledger.db.compiled import Compiled, after
from ledger.errors import KeyReused
from ledger.journal import keys
from ledger.journal.acts import Act
from ledger.journal.records import moment
from ledger.rights import require
from tables.errors import HandForEmptySeat, StalePage, TimeCalled
from tables.models import Round, TableEvent
from tables.rights import DEAL, RUN_FLOOR
from tables.rounds.pushes import require_dealer
from tables.rounds.settling import require_dealt
from tables.state.events import record, recorded_before
from tables.state.locks import at_round, hold_round

SECONDS = 60
"""How long a player has once time is called."""
Kind = TableEvent.Kind


def save_draft(*, round_id: int, version: int, hands: Sequence[Mapping[str, Any]], act: Act) -> Round:
    """Save what the dealer has entered so far; nothing counts until confirmed. Refuses `stale_page` if
    another tablet saved since `version`, and `not_your_table`."""
    require(act.actor, DEAL)
    with transaction.atomic():
        session, round_ = hold_round(round_id)
        require_dealer(session, act)
        require_dealt(round_)
        if version != round_.draft_version:
            raise StalePage("Somebody else has entered cards since: load their entry.", field="version")
        round_.draft, round_.draft_version = list(hands), version + 1
        round_.save(update_fields=["draft", "draft_version"])
    return round_


@dataclass(frozen=True, slots=True)
class CalledTime:
    """A call of time on a seat's hand or hands, and when it runs out."""

    seat: int
    ends_at: datetime


def call_time(*, round_id: int, seat: int, act: Act) -> CalledTime:
    """Call time on a hand: its player has 60 seconds from `now` (R57); nothing happens by itself. Refuses
    `already_settled`, `round_void`, `hand_for_empty_seat`, and `time_called`."""
    require(act.actor, RUN_FLOOR)
    with at_round(round_id, act) as (session, round_, act):
        data: dict[str, Any] = {"round_id": round_.pk, "seat": seat}
        if recorded_before(session, Kind.TIME_CALLED, act, **data):
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
    return _called(event)


def _require_stalled(round_: Round, seat: int) -> None:
    require_dealt(round_)
    if not round_.hands.filter(seat=seat).exists():
        raise HandForEmptySeat(f"Seat {seat} was not dealt into this round.", field="seat")
    if any(called.seat == seat for called in called_times(round_)):
        raise TimeCalled(f"Time has already been called on seat {seat}.", field="seat")


def called_times(round_: Round) -> list[CalledTime]:
    events = _CALLS.rows(round_.session_id, round_.started_at - _SET_BACK)
    return [_called(event) for event in events if event.data["round_id"] == round_.pk]


# A clock set right after the round started records what follows as earlier.
_SET_BACK = timedelta(days=1)
_CALLS = Compiled(
    lambda session: TableEvent.objects.filter(
        after("recorded_at"), session=session, kind=Kind.TIME_CALLED
    ).order_by("pk")
)


def _called(event: TableEvent) -> CalledTime:
    return CalledTime(event.data["seat"], datetime.fromisoformat(event.data["ends_at"]))


def void_round(*, round_id: int, act: Act) -> Round:
    """Void a round before its settlement: buttons and fantasy land stay as they were (R58)."""
    require(act.actor, DEAL, RUN_FLOOR)
    act = act.stated("Enter why the round is voided.")
    with at_round(round_id, act) as (session, round_, act):
        if keys.known(session.table.site_id, [act.key]):
            if (round_.void_key, round_.void_reason) != (act.key, act.reason):
                raise KeyReused(keys.USED, field="key")
            return round_
        if not act.actor.has_perm(RUN_FLOOR):
            require_dealer(session, act)
        require_dealt(round_)
        round_.state, round_.ended_at = Round.State.VOID, act.now
        round_.void_reason, round_.void_key = act.reason, act.key
        round_.save(update_fields=["state", "ended_at", "void_reason", "void_key"])
        data: dict[str, Any] = {"round": round_.number, "round_id": round_.pk, "reason": act.reason}
        record(session, Kind.ROUND_VOIDED, act=act, **data)
    return round_
