"""Matches of a race (R42): beginning one with its first round, holding its players to it, calling it off.

How a match stands, and what a settlement does to it, is worked out in standings.py; rounds.py posts what is paid.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.money import dollars
from ledger.rights import require
from tables.errors import (
    MatchRunning,
    MatchStakeRequired,
    MatchStakeUnwanted,
    NoMatch,
    ReasonRequired,
    RoundRunning,
    StakeAboveStack,
)
from tables.live import publish
from tables.models import Match, MatchPlayer, Sitting, TableEvent, TableSession
from tables.queries import RoundPlan, TableState, sheet_of, state_of
from tables.rules.errors import BadLimit
from tables.sessions import lock_session, record, recorded_before
from tables.standings import latest_standing


def match_of_round(state: TableState, plan: RoundPlan, stake_cents: int | None) -> Match | None:
    """Return the match that the planned round is played in: the one that runs, or a new one for this stake.

    The players of a new one are those who are dealt in, each with a stack that covers the stake. None outside of a race.
    Refuses `match_stake_required`, `match_stake_unwanted`, `bad_limit`, `stake_above_stack`.
    """
    sheet, running = sheet_of(state.session), state.match
    if stake_cents is None:
        if sheet.race_to and running is None:
            raise MatchStakeRequired(
                "A match begins with this round: say what each other player pays its winner.",
                field="match_stake",
            )
        return running.match if running is not None else None
    if not sheet.race_to:
        raise MatchStakeUnwanted(f"{sheet.title} has no matches.", field="match_stake")
    if running is not None:
        raise MatchStakeUnwanted(
            f"Match {running.match.number} runs for {dollars(running.match.stake_cents)}; its stake stays.",
            field="match_stake",
        )
    return _begin(state, plan, stake_cents)


def _begin(state: TableState, plan: RoundPlan, stake_cents: int) -> Match:
    if stake_cents <= 0:
        raise BadLimit("The stake of a match is above zero.", field="match_stake")
    for seat in plan.dealt_in:
        if seat.stack_cents < stake_cents:
            raise StakeAboveStack(
                f"{seat.sitting.player} has {dollars(seat.stack_cents)}, less than the stake of {dollars(stake_cents)}.",
                field="match_stake",
            )
    before = state.latest_match
    match = Match.objects.create(
        session=state.session,
        number=before.match.number + 1 if before is not None else 1,
        stake_cents=stake_cents,
    )
    MatchPlayer.objects.bulk_create(MatchPlayer(match=match, sitting=seat.sitting) for seat in plan.dealt_in)
    return match


def require_not_in_match(session: TableSession, sitting: Sitting) -> None:
    """Refuse to let a player leave the table in the middle of a match (`match_running`)."""
    standing = latest_standing(session.pk) if sheet_of(session).race_to else None
    if standing is not None and standing.running and standing.plays(sitting):
        raise MatchRunning(
            f"{sitting.player} plays match {standing.match.number}, which is not over; the floor can call it off."
        )


def call_off(*, session_id: int, reason: str, key: str, actor: Any, now: datetime) -> Match:
    """Call off the match that runs at a table: nobody pays, and its players may leave.

    Refuses `reason_required`, `no_match`, `round_running`. A second call with the same key is the same act.
    """
    require(actor, "tables.run_floor")
    reason = reason.strip()
    if not reason:
        raise ReasonRequired("Say why the match is called off.", field="reason")
    with transaction.atomic():
        session = lock_session(session_id)
        kind = TableEvent.Kind.MATCH_CALLED_OFF
        if recorded_before(session, {kind}, key, actor=actor, reason=reason):
            return session.matches.get(number=session.events.get(data__key=key).data["match"])
        state = state_of(session)
        running = state.match
        if running is None:
            raise NoMatch(f"No match runs at {session.table}.")
        if state.running_round:
            raise RoundRunning("Settle the running round first, or void it.")
        match = running.match
        now = state.not_before(now)
        match.called_off_at, match.called_off_by, match.called_off_reason = now, actor, reason
        match.save(update_fields=["called_off_at", "called_off_by", "called_off_reason"])
        points = {str(seat): points for seat, points in running.points.items()}
        record(session, kind, actor=actor, now=now, match=match.number, points=points, reason=reason, key=key)
        publish(session.pk)
    return match
