"""Correcting a settled round (R58): one asks, another approves; the entry is reversed and a new one posted.

Later rounds are not scored again. A correction moves only chips that are on the table; the rest is a claim between
two players.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.errors import KeyReused, SecondPerson
from ledger.rights import require
from tables.errors import (
    CorrectionDecided,
    CorrectionOpen,
    NothingChanges,
    NotSettled,
    ReasonRequired,
    RoundRunning,
    SettledByHand,
)
from tables.live import publish
from tables.models import (
    CorrectionRequest,
    Hand,
    Round,
    Settlement,
    TableEvent,
    TableSession,
)
from tables.rounds.entry import RoundEntry, kept_form
from tables.rounds.matches import outcome_of
from tables.rounds.scoring import score_entry, settlement_evidence, who_pays
from tables.rounds.settling import mark_fantasy_land
from tables.rounds.settling_again import Approved, settle_anew
from tables.rules.game.rounds import RoundScore
from tables.state.clock import clock_kept
from tables.state.events import record
from tables.state.evidence import net_of, standing_evidence, standing_settlement
from tables.state.locks import lock_round
from tables.state.table_state import state_of


def ask_correction(*, entry: RoundEntry, reason: str, actor: Any, now: datetime) -> CorrectionRequest:
    """Ask for a settled round to be scored again with other cards. The cards are checked at once.

    Refuses `reason_required`, `not_settled`, `settled_by_hand`, `correction_open`, `nothing_changes`, and whatever the
    rules refuse.
    """
    require(actor, "tables.ask_corrections")
    if not reason.strip():
        raise ReasonRequired("Say what was wrong.", field="reason")
    with transaction.atomic():
        session, round_ = lock_round(entry.round_id)
        dealt = list(round_.hands.all())
        hands = kept_form(dealt, entry.hands)
        earlier = CorrectionRequest.objects.filter(key=entry.key).first()
        if earlier is not None:
            if (earlier.round_id, earlier.hands, earlier.reason) != (round_.pk, hands, reason.strip()):
                raise KeyReused("This key asked for another correction.", field="key")
            return earlier
        if round_.state != Round.State.SETTLED:
            raise NotSettled(f"Round {round_.number} has not been settled.")
        if standing_settlement(round_).by_hand:
            raise SettledByHand(f"Round {round_.number} was settled by hand: there are no cards to correct.")
        if round_.corrections.filter(state=CorrectionRequest.State.ASKED).exists():
            raise CorrectionOpen(f"A correction of round {round_.number} waits for approval already.")
        deal, _ = score_entry(session, round_, dealt, hands)
        if kept_form(dealt, standing_evidence(round_)["input"]["hands"]) == deal["hands"]:
            raise NothingChanges("These are the cards that were settled.", field="hands")
        request = CorrectionRequest.objects.create(
            round=round_, key=entry.key, hands=hands, reason=reason.strip(), asked_by=actor, asked_at=now
        )
        record(
            session,
            TableEvent.Kind.CORRECTION_ASKED,
            actor=actor,
            now=now,
            round=round_.number,
            correction=request.pk,
            reason=reason.strip(),
        )
        publish(session.pk)
    return request


def approve_correction(
    *, request_id: int, key: str, actor: Any, now: datetime, terminal: str = ""
) -> CorrectionRequest:
    """Approve a correction that somebody else asked for: reverse the settlement and post the new one.

    Refuses `second_person`, `correction_decided`, and `round_running` while one of the round's players is dealt in.
    """
    require(actor, "tables.approve_corrections")
    with transaction.atomic():
        session, round_ = lock_round(
            CorrectionRequest.objects.values_list("round_id", flat=True).get(pk=request_id)
        )
        request = CorrectionRequest.objects.select_related("settlement__entry").get(pk=request_id)
        if request.state == request.State.APPROVED and request.settlement.entry.key == key:
            return request
        _require_open(request, actor)
        if state_of(session).running_round:
            raise RoundRunning("Settle the running round first: its stacks may not change.")
        with clock_kept(session, now):
            request.settlement = _post_correction(session, round_, request, key, actor, now, terminal)
        request.state = request.State.APPROVED
        request.decided_by, request.decided_at = actor, now
        request.save(update_fields=["state", "decided_by", "decided_at", "settlement"])
        publish(session.pk)
    return request


def _require_open(request: CorrectionRequest, actor: Any) -> None:
    if request.asked_by_id == actor.pk:
        raise SecondPerson("Somebody else must decide on a correction you asked for.")
    if request.state != request.State.ASKED:
        raise CorrectionDecided(f"This correction was {request.get_state_display().lower()} already.")


def _post_correction(
    session: TableSession,
    round_: Round,
    request: CorrectionRequest,
    key: str,
    actor: Any,
    now: datetime,
    terminal: str,
) -> Settlement:
    dealt = list(round_.hands.select_related("sitting__player", "sitting__stack"))
    deal, scored = score_entry(session, round_, dealt, request.hands)
    standing = standing_settlement(round_)
    outcome = outcome_of(round_, scored)
    paying, sittings = who_pays(dealt, scored, outcome)
    settlement = settle_anew(
        round_,
        standing,
        sittings,
        [(p.from_seat, p.to_seat, p.paid_cents) for p in paying.payments],
        evidence=settlement_evidence(round_, standing.ordinal + 1, deal, scored, outcome),
        approved=Approved(key, request.asked_by, actor, request.reason, {"correction": request.pk}, terminal),
        now=now,
    )
    mark_fantasy_land([hand for hand in dealt if not _played_since(hand, round_)], scored)
    return settlement


def _played_since(hand: Hand, round_: Round) -> bool:
    """Whether the sitting has been dealt into a later round that counts: then its fantasy land has been played."""
    later = hand.sitting.hands.filter(round__number__gt=round_.number)
    return later.exclude(round__state=Round.State.VOID).exists()


def refuse_correction(*, request_id: int, reason: str, actor: Any, now: datetime) -> CorrectionRequest:
    """Refuse a correction that somebody else asked for; the settlement stands."""
    require(actor, "tables.approve_corrections")
    if not reason.strip():
        raise ReasonRequired("Say why the correction is refused.", field="reason")
    with transaction.atomic():
        session, round_ = lock_round(
            CorrectionRequest.objects.values_list("round_id", flat=True).get(pk=request_id)
        )
        request = CorrectionRequest.objects.get(pk=request_id)
        if request.state == request.State.REFUSED and request.decided_by_id == actor.pk:
            return request
        _require_open(request, actor)
        request.state, request.decided_by, request.decided_at = request.State.REFUSED, actor, now
        request.decision_reason = reason.strip()
        request.save(update_fields=["state", "decided_by", "decided_at", "decision_reason"])
        record(
            session,
            TableEvent.Kind.CORRECTION_REFUSED,
            actor=actor,
            now=now,
            round=round_.number,
            correction=request.pk,
            reason=reason.strip(),
        )
        publish(session.pk)
    return request


def preview(request: CorrectionRequest) -> tuple[RoundScore, dict[int, int]]:
    """Return the score a correction would put in place, and by how many cents it changes each seat's result.

    In a race these are the seats and results of the match (R42).
    """
    round_ = request.round
    session = round_.session
    _, scored = score_entry(session, round_, list(round_.hands.all()), request.hands)
    after = (outcome_of(round_, scored) or scored).net_cents
    before = net_of(standing_evidence(round_))
    return scored, {seat: cents - before.get(seat, 0) for seat, cents in after.items()}
