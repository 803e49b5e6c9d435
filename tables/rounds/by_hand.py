"""Settlement by hand of a round whose cards are gone (R58): its input, evidence and preview. Read-only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q

from ledger.money import amount_text
from tables.models import CorrectionRequest, Round, Settlement, TableSession
from tables.rules.game.by_hand import HandSettlement, Points, settle_by_hand
from tables.rules.game.rounds import RULES_VERSION, RoundScore
from tables.state.evidence import standing_evidence, standing_settlement
from tables.state.table_state import sheet_of


@dataclass(frozen=True)
class PreviewByHand:
    """What the requested points come to; `standing` are the points in force, or None."""

    request: CorrectionRequest
    names: Mapping[int, str]
    settled: HandSettlement
    standing: Sequence[Points] | None = None

    @property
    def points(self) -> list[tuple[str, str, int]]:
        return _in_names(self.request.points or (), self.names)

    @property
    def before(self) -> list[tuple[str, str, int]]:
        """The points by which the round is now settled by hand; empty if it is not settled yet."""
        return _in_names(self.standing or (), self.names)

    @property
    def payments(self) -> list[tuple[str, str, int, int]]:
        """(payer, receiver, cents paid, cents due), in the order of R31."""
        return [
            (self.names[one.from_seat], self.names[one.to_seat], one.paid_cents, one.due_cents)
            for one in self.settled.payments
        ]


def preview_by_hand(request: CorrectionRequest) -> PreviewByHand:
    round_ = request.round
    settled = settle_by_hand(
        by_hand_input(round_.session, round_, request.points or ()), sheet_of(round_.session)
    )
    return PreviewByHand(request, names_of(round_), settled, standing_points(round_))


def waiting_by_hand(session: TableSession) -> list[PreviewByHand]:
    by_hand = Exists(Settlement.objects.filter(by_hand=True, round=OuterRef("round")))
    waiting = CorrectionRequest.objects.filter(
        Q(round__state=Round.State.DEALT) | by_hand,
        round__session=session,
        points__isnull=False,
        state=CorrectionRequest.State.ASKED,
    )
    found = waiting.select_related("round__session__sheet", "asked_by").order_by("pk")
    return [preview_by_hand(request) for request in found]


def names_of(round_: Round) -> dict[int, str]:
    hands = round_.hands.select_related("sitting__player")
    return {hand.seat: f"{hand.sitting.player}" for hand in sorted(hands, key=lambda hand: hand.seat)}


def points_settled(round_: Round) -> list[tuple[str, str, int]]:
    return _in_names(standing_points(round_) or (), names_of(round_))


def standing_points(round_: Round) -> list[Points] | None:
    if round_.state != Round.State.SETTLED or not standing_settlement(round_).by_hand:
        return None
    points: list[Points] = [tuple(one) for one in standing_evidence(round_)["input"]["points"]]
    return points


def _in_names(points: Iterable[Points], names: Mapping[int, str]) -> list[tuple[str, str, int]]:
    pairs = ((one, other, won) if won >= 0 else (other, one, -won) for one, other, won in points)
    return [(names[one], names[other], won) for one, other, won in pairs]


def by_hand_input(session: TableSession, round_: Round, points: Iterable[Points]) -> dict[str, Any]:
    hands = [
        {"seat": hand.seat, "stack": amount_text(hand.stack_cents)}
        | ({"fantasy_land": True} if hand.fantasy_land else {})
        for hand in round_.hands.order_by("position")
    ]
    return deal_of(session, round_, hands) | {"points": [list(one) for one in points]}


def deal_of(session: TableSession, round_: Round, hands: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    stakes = {"pair_stakes": round_.pair_stakes} if round_.pair_stakes else {}
    return {
        "sheet": session.sheet.code,
        "version": session.sheet.version,
        "limit": amount_text(round_.limit_cents),
        "button": round_.button_seat,
        "hands": hands,
        **stakes,
    }


def evidence_of(
    round_: Round, ordinal: int, deal: Mapping[str, Any], settled: HandSettlement | RoundScore
) -> dict[str, Any]:
    """Return the evidence that every settlement has, with cards or by hand."""
    before = round_.reserved_from
    shared = {"reserved_from": {"round_id": before.pk, "round": before.number}} if before else {}
    return shared | {
        "rules_version": RULES_VERSION,
        "session": round_.session_id,
        "round": round_.number,
        "round_id": round_.pk,
        "ordinal": ordinal,
        "started_at": round_.started_at.isoformat(),
        "input": deal,
        "answer_hash": settled.answer_hash,
        "result": settled.result,
    }
