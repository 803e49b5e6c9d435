"""Settling a round whose cards are gone, by points that two people stand for (R58): one asks, another approves.

What the points come to is worked out by the rules (tables/rules/game/by_hand.py), at the stacks the round began with. Fantasy
land stays as it was. A round that was settled so stays marked, and no cards can correct it; other points can, asked for and
approved in the same way, and no points at all take it back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from ledger.errors import KeyReused, SecondPerson
from ledger.journal import posting
from ledger.money import amount_text
from ledger.rights import require
from tables.errors import (
    AlreadySettled,
    HandSettlementDecided,
    HandSettlementOpen,
    NothingChanges,
    RaceByHand,
    ReasonRequired,
    RoundRunning,
    RoundVoid,
)
from tables.live import publish
from tables.models import Hand, HandSettlementRequest, Round, Settlement, TableEvent, TableSession
from tables.rounds.settling_again import Approved, settle_anew
from tables.rules.game.by_hand import HandSettlement, Points, kept_points, settle_by_hand
from tables.rules.game.rounds import RULES_VERSION
from tables.state.clock import clock_kept
from tables.state.events import record
from tables.state.evidence import standing_evidence, standing_settlement
from tables.state.locks import lock_round
from tables.state.table_state import sheet_of, state_of

KIND = "hand_settlement"
State = HandSettlementRequest.State


def ask_hand_settlement(
    *, round_id: int, points: Iterable[Sequence[int]], reason: str, key: str, actor: Any, now: datetime
) -> HandSettlementRequest:
    """Ask for a dealt round to be settled by hand, or for one that was to be settled so anew.

    `points` are (seat, seat, what the first wins from the second). Refuses `reason_required`, `already_settled` of a round that
    was settled with cards, `round_void`, `race_by_hand`, `bad_points`, `hand_settlement_open`, `nothing_changes`.
    """
    require(actor, "tables.ask_corrections")
    reason = reason.strip()
    if not reason:
        raise ReasonRequired("Say why the cards are gone.", field="reason")
    with transaction.atomic():
        session, round_ = lock_round(round_id)
        earlier = round_.hand_settlements.filter(key=key).first()
        if earlier is None:
            _require_by_hand(session, round_)
        kept = [list(one) for one in kept_points(points, (hand.seat for hand in round_.hands.all()))]
        if earlier is not None:
            if (earlier.points, earlier.reason, earlier.asked_by_id) != (kept, reason, actor.pk):
                raise KeyReused("This key asked for another settlement.", field="key")
            return earlier
        if round_.hand_settlements.filter(state=State.ASKED).exists():
            raise HandSettlementOpen(
                f"A settlement by hand of round {round_.number} waits for approval already."
            )
        if _standing_points(round_) == kept:
            raise NothingChanges("These are the points that were settled.", field="points")
        request = HandSettlementRequest.objects.create(
            round=round_, key=key, points=kept, reason=reason, asked_by=actor, asked_at=now
        )
        record(
            session,
            TableEvent.Kind.HAND_SETTLEMENT_ASKED,
            actor=actor,
            now=now,
            round=round_.number,
            round_id=round_.pk,
            request=request.pk,
            points=kept,
            reason=reason,
        )
        publish(session.pk)
    return request


def approve_hand_settlement(
    *, request_id: int, key: str, actor: Any, now: datetime, terminal: str = ""
) -> HandSettlementRequest:
    """Approve what somebody else asked for: the round is settled with these points, and stays marked for ever.

    Where it was settled by hand before, that is taken back, and what the stacks can no longer move is claimed, as with any
    correction. Refuses `second_person`, `hand_settlement_decided`, `already_settled`, `round_void`, and for a new settlement
    `round_running` while another round runs.
    """
    require(actor, "tables.approve_corrections")
    with transaction.atomic():
        session, round_, request = _lock_request(request_id)
        if _decided_before(request, State.APPROVED, key, actor):
            return request
        _require_open(request, actor)
        _require_by_hand(session, round_)
        if round_.state == Round.State.SETTLED and state_of(session).running_round:
            raise RoundRunning("Settle the running round first: its stacks may not change.")
        content = {"hand_settlement": request.pk}
        approved = Approved(key, request.asked_by, actor, request.reason, content, terminal)
        settle = _settle if round_.state == Round.State.DEALT else _settle_anew
        with clock_kept(session, now):
            settle(session, round_, request, approved, now)
        _decide(request, State.APPROVED, key, actor, now)
        publish(session.pk)
    return request


def refuse_hand_settlement(
    *, request_id: int, reason: str, key: str, actor: Any, now: datetime
) -> HandSettlementRequest:
    """Refuse what somebody else asked for; the round runs on, or stays settled as it was. Also puts away one whose round was settled meanwhile."""
    require(actor, "tables.approve_corrections")
    reason = reason.strip()
    if not reason:
        raise ReasonRequired("Say why the settlement is refused.", field="reason")
    with transaction.atomic():
        session, round_, request = _lock_request(request_id)
        if _decided_before(request, State.REFUSED, key, actor):
            return request
        _require_open(request, actor)
        _decide(request, State.REFUSED, key, actor, now, reason)
        record(
            session,
            TableEvent.Kind.HAND_SETTLEMENT_REFUSED,
            actor=actor,
            now=now,
            round=round_.number,
            round_id=round_.pk,
            request=request.pk,
            reason=reason,
        )
        publish(session.pk)
    return request


@dataclass(frozen=True)
class Preview:
    """What the points of a request come to, which the second person decides on; `names` are the players by seat.

    `standing` are the points by which the round is settled until then, None where it is dealt.
    """

    request: HandSettlementRequest
    names: Mapping[int, str]
    settled: HandSettlement
    standing: Sequence[Points] | None = None

    @property
    def points(self) -> list[tuple[str, str, int]]:
        """Who wins how many points from whom; 0 where it is even."""
        return in_names(self.request.points, self.names)

    @property
    def before(self) -> list[tuple[str, str, int]]:
        """The same as the round stands settled by hand; empty where it is dealt."""
        return in_names(self.standing or (), self.names)

    @property
    def payments(self) -> list[tuple[str, str, int, int]]:
        """(payer, receiver, cents paid, cents due), in the order of R31."""
        return [
            (self.names[one.from_seat], self.names[one.to_seat], one.paid_cents, one.due_cents)
            for one in self.settled.payments
        ]


def preview(request: HandSettlementRequest) -> Preview:
    """Return what the points that were asked for come to."""
    round_ = request.round
    settled = settle_by_hand(_input(round_.session, round_, request.points), sheet_of(round_.session))
    return Preview(request, names_of(round_), settled, _standing_points(round_))


def in_names(points: Iterable[Points], names: Mapping[int, str]) -> list[tuple[str, str, int]]:
    """Points as (winner, loser, how many); of an even pair 0."""
    pairs = ((one, other, won) if won >= 0 else (other, one, -won) for one, other, won in points)
    return [(names[one], names[other], won) for one, other, won in pairs]


def points_settled(round_: Round) -> list[tuple[str, str, int]]:
    """The points by which a round stands settled by hand, in names; empty where it is not."""
    return in_names(_standing_points(round_) or (), names_of(round_))


def _standing_points(round_: Round) -> list[Points] | None:
    """The points by which a round stands settled by hand; None where it is dealt, or was settled with cards."""
    if round_.state != Round.State.SETTLED or not standing_settlement(round_).by_hand:
        return None
    return [list(one) for one in standing_evidence(round_)["input"]["points"]]


def waiting_hand_settlements(session: TableSession) -> list[Preview]:
    """Return what waits for approval at a table, of a round that is still dealt or was settled by hand."""
    by_hand = Settlement.objects.filter(by_hand=True).values("round")
    waiting = HandSettlementRequest.objects.filter(
        Q(round__state=Round.State.DEALT) | Q(round__in=by_hand), round__session=session, state=State.ASKED
    )
    found = waiting.select_related("round__session__sheet", "asked_by").order_by("pk")
    return [preview(request) for request in found]


def names_of(round_: Round) -> dict[int, str]:
    """Return who plays the round, by seat."""
    hands = round_.hands.select_related("sitting__player")
    return {hand.seat: str(hand.sitting.player) for hand in sorted(hands, key=lambda hand: hand.seat)}


def _lock_request(request_id: int) -> tuple[TableSession, Round, HandSettlementRequest]:
    session, round_ = lock_round(
        HandSettlementRequest.objects.values_list("round_id", flat=True).get(pk=request_id)
    )
    return session, round_, HandSettlementRequest.objects.get(pk=request_id)


def _require_by_hand(session: TableSession, round_: Round) -> None:
    """Refuse a round that is neither dealt nor settled by hand, and one of a race."""
    if round_.state == Round.State.SETTLED and not standing_settlement(round_).by_hand:
        raise AlreadySettled(f"Round {round_.number} has been settled: it can be corrected.")
    if round_.state == Round.State.VOID:
        raise RoundVoid(f"Round {round_.number} was voided.")
    if sheet_of(session).race_to:
        raise RaceByHand("A round of a race scores for its match; void the round instead.")


def _decided_before(request: HandSettlementRequest, state: str, key: str, actor: Any) -> bool:
    return (request.state, request.decision_key, request.decided_by_id) == (state, key, actor.pk)


def _require_open(request: HandSettlementRequest, actor: Any) -> None:
    if request.asked_by_id == actor.pk:
        raise SecondPerson("Somebody else must decide on a settlement you asked for.")
    if request.state != State.ASKED:
        raise HandSettlementDecided(f"It was {request.get_state_display().lower()} already.")


def _decide(
    request: HandSettlementRequest, state: str, key: str, actor: Any, now: datetime, reason: str = ""
) -> None:
    request.state, request.decision_key, request.decision_reason = state, key, reason
    request.decided_by, request.decided_at = actor, now
    request.save(update_fields=["state", "decision_key", "decision_reason", "decided_by", "decided_at"])


def _settle(
    session: TableSession, round_: Round, request: HandSettlementRequest, approved: Approved, now: datetime
) -> None:
    deal = _input(session, round_, request.points)
    settled = settle_by_hand(deal, sheet_of(session))
    stacks = {hand.seat: hand.sitting.stack_id for hand in _dealt(round_)}
    posted = posting.post(
        site=session.table.site,
        draft=posting.EntryDraft(
            key=approved.key,
            kind=KIND,
            occurred_at=now,
            actor=approved.asked_by,
            approver=approved.approver,
            reason=approved.reason,
            moves=tuple(
                posting.Move(stacks[one.from_seat], stacks[one.to_seat], one.paid_cents)
                for one in settled.payments
                if one.paid_cents
            ),
            evidence=_evidence(round_, request, deal, settled),
            content=approved.content,
            terminal=approved.terminal,
        ),
        now=now,
    )
    Settlement.objects.create(round=round_, ordinal=1, entry=posted, settled_at=now, by_hand=True)
    round_.state, round_.ended_at = Round.State.SETTLED, now
    round_.save(update_fields=["state", "ended_at"])


def _settle_anew(
    session: TableSession, round_: Round, request: HandSettlementRequest, approved: Approved, now: datetime
) -> None:
    """Put these points in the place of those that stand."""
    deal = _input(session, round_, request.points)
    settled, standing = settle_by_hand(deal, sheet_of(session)), standing_settlement(round_)
    settle_anew(
        round_,
        standing,
        {hand.seat: hand.sitting for hand in _dealt(round_)},
        [(one.from_seat, one.to_seat, one.paid_cents) for one in settled.payments],
        evidence=_evidence(round_, request, deal, settled) | {"ordinal": standing.ordinal + 1},
        approved=approved,
        now=now,
        by_hand=True,
    )


def _dealt(round_: Round) -> list[Hand]:
    return list(round_.hands.select_related("sitting__stack", "sitting__player").order_by("position"))


def _input(session: TableSession, round_: Round, points: Iterable[Points]) -> dict[str, Any]:
    """The round in the form that the rules settle by hand."""
    stakes = {"pair_stakes": round_.pair_stakes} if round_.pair_stakes else {}
    return {
        "sheet": session.sheet.code,
        "version": session.sheet.version,
        "limit": amount_text(round_.limit_cents),
        "button": round_.button_seat,
        "hands": [
            {"seat": hand.seat, "stack": amount_text(hand.stack_cents)}
            | ({"fantasy_land": True} if hand.fantasy_land else {})
            for hand in _dealt(round_)
        ],
        "points": [list(one) for one in points],
    } | stakes


def _evidence(
    round_: Round, request: HandSettlementRequest, deal: dict[str, Any], settled: HandSettlement
) -> dict[str, Any]:
    """Everything needed to work the settlement out again, as of any other, and that it was made by hand."""
    before = round_.reserved_from
    shared = {"reserved_from": {"round_id": before.pk, "round": before.number}} if before else {}
    return shared | {
        "by_hand": True,
        "request": request.pk,
        "rules_version": RULES_VERSION,
        "session": round_.session_id,
        "round": round_.number,
        "round_id": round_.pk,
        "ordinal": 1,
        "started_at": round_.started_at.isoformat(),
        "input": deal,
        "answer": settled.as_json(),
    }
