"""Correct a settled round, or settle one whose cards are gone (R58): one asks, another decides.

Later rounds are not scored again, and only chips on the table move. A round settled by hand takes other
points but never cards."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ledger.errors import SecondPerson
from ledger.journal import keys, posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables import errors
from tables.models import CorrectionRequest, Hand, Round, Settlement, TableEvent, TableSession
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS
from tables.rounds.by_hand import by_hand_input, evidence_of, standing_points
from tables.rounds.claims import settle_again
from tables.rounds.entry import RoundEntry, normal_form
from tables.rounds.handed_in import people_of
from tables.rounds.matches import outcome_of
from tables.rounds.scoring import payment_moves, score_entry, settlement_evidence, who_pays
from tables.rounds.settling import first_settlement, mark_fantasy_land
from tables.rules.game.by_hand import normal_points, settle_by_hand
from tables.rules.game.rounds import RoundScore
from tables.rules.table.corrections import wrong_decider
from tables.state.clock import clock_kept
from tables.state.events import record
from tables.state.evidence import net_of, standing_evidence, standing_settlement
from tables.state.locks import at_round
from tables.state.table_state import sheet_of, state_of

State = CorrectionRequest.State
Kind = TableEvent.Kind
WHAT = {False: "correction", True: "settlement"}
"""What is asked for: by cards, or by hand."""


def ask_correction(*, entry: RoundEntry, act: Act) -> CorrectionRequest:
    """Request that a settled round be scored again with other cards, checked at once. Refuses
    `reason_required`, `key_reused`, `not_settled`, `settled_by_hand`, `correction_open`, `nothing_changes`,
    and whatever the rules refuse."""
    require(act.actor, ASK_CORRECTIONS)
    act = act.under(entry.key).stated("Enter what was wrong.")
    with at_round(entry.round_id, act) as (session, round_, act):
        dealt = list(round_.hands.all())
        hands = normal_form(dealt, entry.hands)
        if earlier := _asked_before(session, round_, act, hands=hands):
            return earlier
        # Only what was settled with cards.
        if round_.state != Round.State.SETTLED:
            raise errors.NotSettled(f"Round {round_.number} has not been settled.")
        if standing_settlement(round_).by_hand:
            raise errors.SettledByHand(
                f"Round {round_.number} was settled by hand: there are no cards to correct."
            )
        _require_none_open(round_, act.now)
        deal, _ = score_entry(session, round_, dealt, hands)
        if normal_form(dealt, standing_evidence(round_)["input"]["hands"]) == deal["hands"]:
            raise errors.NothingChanges("The round was settled with these cards.", field="hands")
        return _ask(session, round_, act, hands=hands)


def ask_settlement_by_hand(*, round_id: int, points: Iterable[Sequence[int]], act: Act) -> CorrectionRequest:
    """Request that a dealt round be settled by points, or a settlement by hand be given other points.
    `points` are (seat, seat, points the first wins from the second). Refuses `reason_required`, `key_reused`,
    `bad_points`, `already_settled` if the round was settled with cards, `round_void`, `race_by_hand`,
    `correction_open`, `nothing_changes`."""
    require(act.actor, ASK_CORRECTIONS)
    act = act.stated("Enter why the cards are gone.")
    with at_round(round_id, act) as (session, round_, act):
        kept = [list(one) for one in normal_points(points, (hand.seat for hand in round_.hands.all()))]
        if earlier := _asked_before(session, round_, act, points=kept):
            return earlier
        _require_by_hand(session, round_)
        _require_none_open(round_, act.now)
        if standing_points(round_) == [tuple(one) for one in kept]:
            raise errors.NothingChanges("The round was settled with these points.", field="points")
        return _ask(session, round_, act, points=kept)


def approve_correction(*, request_id: int, act: Act) -> CorrectionRequest:
    """Approve another person's request: settle the round, or replace its settlement. Refuses `second_person`,
    `correction_decided`, `already_settled`, `round_void`, and `round_running` while one of the table's
    players is dealt in."""
    require(act.actor, APPROVE_CORRECTIONS)
    with at_round(_round_of(request_id), act) as (session, round_, act):
        request = CorrectionRequest.objects.get(pk=request_id)
        if _decided_before(request, State.APPROVED, act):
            return request
        _require_open(request, act.actor)
        if request.by_hand:
            _require_by_hand(session, round_)
        if round_.state == Round.State.SETTLED and state_of(session).running_round:
            raise errors.RoundRunning("Settle the running round first: the stacks in it cannot change.")
        approved = replace(act, actor=request.asked_by, approver=act.actor, reason=request.reason)
        settle = _settle_by_points if request.by_hand else _settle_by_cards
        with clock_kept(session, act.now):
            request.settlement = settle(session, round_, request, approved)
        _decide(request, State.APPROVED, act.because(""))
    return request


def refuse_correction(*, request_id: int, act: Act) -> CorrectionRequest:
    """Reject somebody else's request: the settlement stays in force, or the round goes on. Also closes a
    request for points if the round was settled with cards meanwhile. Refuses `reason_required`,
    `second_person`, `correction_decided`."""
    require(act.actor, APPROVE_CORRECTIONS)
    with at_round(_round_of(request_id), act) as (session, round_, act):
        request = CorrectionRequest.objects.get(pk=request_id)
        what = WHAT[request.by_hand]
        act = act.stated(f"Enter why the {what} is refused.")
        if _decided_before(request, State.REFUSED, act):
            return request
        _require_open(request, act.actor)
        _decide(request, State.REFUSED, act)
        kind = Kind.HAND_SETTLEMENT_REFUSED if request.by_hand else Kind.CORRECTION_REFUSED
        record(session, kind, reason=act.reason, act=act, **_subject(round_, request))
    return request


def preview(request: CorrectionRequest) -> tuple[RoundScore, dict[int, int]]:
    """Return the score with the requested cards, and by how many cents it changes each seat's result. In a
    race these are the seats and results of the match (R42)."""
    round_ = request.round
    _, scored = score_entry(round_.session, round_, list(round_.hands.all()), request.hands or ())
    return scored, difference(round_, scored)


def difference(round_: Round, scored: RoundScore) -> dict[int, int]:
    """Return by how many cents this score would change each seat's result of a settled round."""
    after = (outcome_of(round_, scored) or scored).net_cents
    before = net_of(standing_evidence(round_))
    return {seat: cents - before.get(seat, 0) for seat, cents in after.items()}


def _asked_before(
    session: TableSession, round_: Round, act: Act, *, hands: Any = None, points: Any = None
) -> CorrectionRequest | None:
    """Return the request made under this key, or None. Refuses `key_reused` for another one."""
    asked = {"hands": hands, "points": points, "reason": act.reason, "asked_by_id": act.actor.pk}
    site = session.table.site_id
    return keys.made_before(CorrectionRequest, site, act.key, round_id=round_.pk, **asked)


def _require_by_hand(session: TableSession, round_: Round) -> None:
    """Refuse a round that is neither dealt nor settled by hand, and one of a race."""
    if round_.state == Round.State.SETTLED and not standing_settlement(round_).by_hand:
        raise errors.AlreadySettled(f"Round {round_.number} has been settled: correct it instead.")
    if round_.state == Round.State.VOID:
        raise errors.RoundVoid(f"Round {round_.number} was voided.")
    if sheet_of(session).race_to:
        raise errors.RaceByHand("A round of a race scores for its match: void the round instead.")


def _require_none_open(round_: Round, now: datetime) -> None:
    """Refuse a second open request (`correction_open`), unless cards overtook one for points."""
    waiting = round_.corrections.filter(state=State.ASKED).first()
    if waiting is None:
        return
    if waiting.by_hand and round_.state == Round.State.SETTLED and not standing_settlement(round_).by_hand:
        waiting.state, waiting.decided_at = State.OVERTAKEN, now
        waiting.save(update_fields=["state", "decided_at"])
        return
    what = "settlement by hand" if waiting.by_hand else "correction"
    raise errors.CorrectionOpen(f"A {what} of round {round_.number} is already waiting for approval.")


def _ask(session: TableSession, round_: Round, act: Act, **wanted: Any) -> CorrectionRequest:
    asked = CorrectionRequest.objects.create(
        site=session.table.site,
        round=round_,
        key=act.key,
        reason=act.reason,
        asked_by=act.actor,
        asked_at=act.now,
        **wanted,
    )
    kind = Kind.HAND_SETTLEMENT_ASKED if asked.by_hand else Kind.CORRECTION_ASKED
    points = {"points": asked.points} if asked.by_hand else {}
    record(session, kind, act=act, reason=asked.reason, **_subject(round_, asked), **points)
    return asked


def _subject(round_: Round, request: CorrectionRequest) -> dict[str, Any]:
    if request.by_hand:
        return {"round": round_.number, "round_id": round_.pk, "request": request.pk}
    return {"round": round_.number, "correction": request.pk}


def _round_of(request_id: int) -> int:
    return CorrectionRequest.objects.values_list("round_id", flat=True).get(pk=request_id)


def _decided_before(request: CorrectionRequest, state: str, act: Act) -> bool:
    """Return whether this key made this decision. Refuses `key_reused` if it decided something else."""
    if (request.state, request.decision_key, request.decided_by_id) == (state, act.key, act.actor.pk):
        return True
    if act.key:
        keys.require_new(request.site_id, act.key)
    return False


def _require_open(request: CorrectionRequest, actor: Any) -> None:
    require_somebody_else(request, actor)
    if request.state == State.OVERTAKEN:
        raise errors.CorrectionDecided(
            "The cards turned up and settled this round: decide on its correction instead."
        )
    if request.state != State.ASKED:
        what = WHAT[request.by_hand]
        raise errors.CorrectionDecided(f"This {what} was already {request.get_state_display().lower()}.")


def require_somebody_else(request: CorrectionRequest, actor: Any) -> None:
    """Refuse a decision by the person who asked for it, or played or sent the round while the house was away
    (`second_person`)."""
    left = people_of(request.round)
    wrong = wrong_decider(WHAT[request.by_hand], request.asked_by_id, actor.pk, left)
    if wrong is not None:
        raise SecondPerson(wrong)


def _decide(request: CorrectionRequest, state: str, act: Act) -> None:
    request.state, request.decision_key, request.decision_reason = state, act.key, act.reason
    request.decided_by, request.decided_at = act.actor, act.now
    request.save(
        update_fields=["state", "decision_key", "decision_reason", "decided_by", "decided_at", "settlement"]
    )


def _settle_by_cards(
    session: TableSession, round_: Round, request: CorrectionRequest, act: Act
) -> Settlement:
    dealt = list(round_.hands.select_related("sitting__player", "sitting__stack"))
    shuffle = standing_evidence(round_)["input"].get("shuffle")  # the deal itself does not change
    deal, scored = score_entry(session, round_, dealt, request.hands or (), shuffle)
    standing, outcome = standing_settlement(round_), outcome_of(round_, scored)
    evidence = settlement_evidence(round_, standing.ordinal + 1, deal, scored, outcome)
    paying, sittings = who_pays(dealt, scored, outcome)
    content = {"correction": request.pk}
    settlement = settle_again(
        standing, sittings, paying.payments, evidence=evidence, content=content, act=act
    )
    mark_fantasy_land([hand for hand in dealt if not _played_since(hand, round_)], scored)
    return settlement


def _played_since(hand: Hand, round_: Round) -> bool:
    later = hand.sitting.hands.filter(round__number__gt=round_.number)
    return later.exclude(round__state=Round.State.VOID).exists()


def _settle_by_points(
    session: TableSession, round_: Round, request: CorrectionRequest, act: Act
) -> Settlement:
    """Settle a dealt round by points, or replace the points in force. Fantasy land stays as it was."""
    deal = by_hand_input(session, round_, request.points or ())
    settled = settle_by_hand(deal, sheet_of(session))
    sittings = {
        hand.seat: hand.sitting for hand in round_.hands.select_related("sitting__stack", "sitting__player")
    }
    standing = standing_settlement(round_) if round_.state == Round.State.SETTLED else None
    ordinal = standing.ordinal + 1 if standing is not None else 1
    marked = {"by_hand": True, "request": request.pk}
    evidence = evidence_of(round_, ordinal, deal, settled) | marked
    content = {"hand_settlement": request.pk}
    if standing is not None:
        return settle_again(standing, sittings, settled.payments, evidence=evidence, content=content, act=act)
    moves = payment_moves(settled, {seat: sitting.stack_id for seat, sitting in sittings.items()})
    draft = posting.EntryDraft(
        act=act, kind="hand_settlement", moves=moves, evidence=evidence, content=content
    )
    posting.post(site=session.table.site, draft=draft, extra=first_settlement(round_, act.now, by_hand=True))
    return round_.settlements.get()
