"""Compare a correction waiting for approval with the settlement it would replace."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tables.models import CorrectionRequest, TableSession
from tables.rounds.corrections import preview
from tables.rounds.entry import by_position, match_hands, which_hand
from tables.rounds.matches import MatchOutcome, outcome_of
from tables.rules.game.sheet import SEGMENTS
from tables.state.evidence import answer_of, net_of, scored_points, standing_evidence
from tables.state.table_state import sheet_of

# The fields of an entered hand that a correction may change.
COMPARED = {name: name for name in SEGMENTS} | {
    "dealt": "unset cards",
    "declares": "clean sweep",
    "surrenders": "surrender",
    "misset": "mis-set",
    "royalties": "bonuses announced",
}
"""What is compared of a hand, and the word for it."""


@dataclass(frozen=True, slots=True)
class ComparedHand:
    """One hand of a correction, as settled and as requested, each scored. `which` tells apart a player's two
    hands; money is that of both (R35). `points` are for a race (R42)."""

    seat: int
    position: int
    name: str
    which: str
    settled: Mapping[str, Any]
    settled_says: Mapping[str, Any]
    asked: Mapping[str, Any]
    asked_says: Mapping[str, Any]
    before_cents: int
    after_cents: int
    before_points: int | None = None
    after_points: int | None = None

    @property
    def changed(self) -> tuple[str, ...]:
        return tuple(
            words
            for name, words in COMPARED.items()
            if (self.settled.get(name) or "") != (self.asked.get(name) or "")
        )

    @property
    def difference_cents(self) -> int:
        return self.after_cents - self.before_cents


@dataclass(frozen=True)
class WaitingCorrection:
    """A correction waiting for approval: hands as settled and as requested, changed ones first. `match` is
    the effect on a race's match (R42); `short_winner` stays its winner without the points."""

    request: CorrectionRequest
    hands: tuple[ComparedHand, ...]
    match: MatchOutcome | None = None
    short_winner: "ShortWinner | None" = None


@dataclass(frozen=True, slots=True)
class ShortWinner:
    """A match that stays won although its winner no longer has the points (R42)."""

    match: int
    name: str
    before: int
    after: int
    race_to: int


def short_winner(request: CorrectionRequest) -> ShortWinner | None:
    """Return the match winner whom this correction would leave without the points, or None."""
    if request.hands is None:
        return None
    return _short_winner(outcome_of(request.round, preview(request)[0]), standing_evidence(request.round))


def _short_winner(outcome: MatchOutcome | None, standing: Mapping[str, Any]) -> ShortWinner | None:
    if outcome is None or (winner := outcome.short_winner) is None:
        return None
    before = outcome.before[winner.seat] + scored_points(standing).get(winner.seat, 0)
    after = outcome.after[winner.seat]
    return ShortWinner(outcome.match.number, f"{winner.player}", before, after, outcome.race_to)


def waiting_corrections(session: TableSession) -> list[WaitingCorrection]:
    waiting = (
        CorrectionRequest.objects.filter(
            round__session=session, state=CorrectionRequest.State.ASKED, hands__isnull=False
        )
        .select_related("round__session__sheet", "asked_by")
        .order_by("pk")
    )
    return [comparison(request) for request in waiting]


def comparison(request: CorrectionRequest) -> WaitingCorrection:
    """Compare a correction with the settlement in force."""
    standing = standing_evidence(request.round)
    scored, difference = preview(request)
    before, points = net_of(standing), scored_points(standing) if "match" in standing else {}
    dealt = list(request.round.hands.select_related("sitting__player"))
    settled = by_position(dealt, standing["input"]["hands"])
    settled_says = by_position(dealt, answer_of(standing, sheet_of(request.round.session))["hands"])
    asked = {hand.position: entered for hand, entered in match_hands(dealt, request.hands or ())}
    asked_says = by_position(dealt, scored.as_json()["hands"])
    hands = [
        ComparedHand(
            seat=hand.seat,
            position=hand.position,
            name=str(hand.sitting.player),
            which=which_hand(dealt, hand),
            settled=settled[hand.position],
            settled_says=settled_says[hand.position],
            asked=asked[hand.position],
            asked_says=asked_says[hand.position],
            before_cents=before[hand.seat],
            after_cents=before[hand.seat] + difference[hand.seat],
            before_points=points.get(hand.seat),
            after_points=scored.race[hand.seat] if scored.race else None,
        )
        for hand in sorted(dealt, key=lambda hand: (hand.seat, hand.position))
    ]
    changed_first = tuple(sorted(hands, key=lambda hand: not hand.changed))
    outcome = outcome_of(request.round, scored)
    return WaitingCorrection(request, changed_first, outcome, _short_winner(outcome, standing))
