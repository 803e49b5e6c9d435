"""What screens and papers say of a table's past: its rounds in rows, and a correction beside what stands.

Frozen rows, amounts in whole cents. Nothing is written, and nothing is worked out again: figures are those of the
journal and of the settlements' evidence.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from tables.corrections import preview
from tables.hands import by_position, match_hands, which_hand
from tables.models import Claim, CorrectionRequest, Hand, MatchPlayer, Round, Settlement, TableSession
from tables.rules.sheet import SEGMENTS
from tables.scoring import standing_evidence
from tables.standings import MatchOutcome, net_of, outcome_of

ROUNDS_SHOWN = 20
# What is entered of a hand, as a correction may change it.
COMPARED = (*SEGMENTS, "dealt", "declares", "surrenders", "misset", "royalties")


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One round in a list: `net` holds who won or lost how many cents, by seat; empty unless it was settled.

    In a race `points` holds who scored how many (R42), and `net` is empty unless the round ended the match. One `by_hand`
    was settled without its cards (R58).
    """

    round: Round
    net: tuple[tuple[int, str, int], ...]
    corrected: bool
    points: tuple[tuple[int, str, int], ...] = ()
    by_hand: bool = False

    @property
    def entries(self) -> list[int]:
        """The journal entries that settled it, oldest first."""
        return [settlement.entry_id for settlement in self.round.settlements.all()]


def claims_at(session: TableSession) -> list[Claim]:
    """What corrections at a table left owed between its players, in their order (R58)."""
    found = Claim.objects.filter(settlement__round__session=session)
    return list(found.select_related("debtor", "creditor", "settlement__round").order_by("number"))


def recent_rounds(session: TableSession) -> list[RoundRow]:
    """The last rounds of a table, newest first; a constant number of queries."""
    return [_round_row(round_) for round_ in _with_results(session).order_by("-number")[:ROUNDS_SHOWN]]


def all_rounds(session: TableSession) -> list[RoundRow]:
    """Every round of a table, in order; a constant number of queries."""
    return [_round_row(round_) for round_ in _with_results(session).order_by("number")]


def _with_results(session: TableSession) -> QuerySet[Round]:
    return (
        session.rounds.select_related("dealer", "down", "match")
        .defer("draft")
        .prefetch_related(
            Prefetch("hands", Hand.objects.select_related("sitting__player")),
            Prefetch("settlements", Settlement.objects.select_related("entry").order_by("ordinal")),
            Prefetch("match__players", MatchPlayer.objects.select_related("sitting__player")),
        )
    )


def _round_row(round_: Round) -> RoundRow:
    settlements = list(round_.settlements.all())
    if not settlements:
        return RoundRow(round_, (), corrected=False)
    evidence = json.loads(settlements[-1].entry.evidence)
    sittings = {hand.seat: hand.sitting for hand in round_.hands.all()}
    if round_.match is not None:
        sittings |= {player.sitting.seat: player.sitting for player in round_.match.players.all()}
    scored = {int(seat): points for seat, points in evidence["answer"].get("score", {}).items()}
    net = {} if scored and evidence["match"]["won_by"] is None else net_of(evidence)
    by_seat = [
        tuple((seat, str(sittings[seat].player), number) for seat, number in sorted(numbers.items()))
        for numbers in (net, scored)
    ]
    return RoundRow(
        round_,
        by_seat[0],
        corrected=len(settlements) > 1,
        points=by_seat[1],
        by_hand=settlements[0].by_hand,
    )


@dataclass(frozen=True, slots=True)
class ComparedHand:
    """One hand of a correction, as settled and as asked for, with what the rules say of each, and the player's money.

    Of a player with two hands `which` says which one it is; the money is that of both (R35). The points are those of a
    race (R42), else None.
    """

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
        """What the correction changes about this hand; empty where it only changes what others owe it."""
        return tuple(
            name for name in COMPARED if (self.settled.get(name) or "") != (self.asked.get(name) or "")
        )

    @property
    def difference_cents(self) -> int:
        return self.after_cents - self.before_cents


@dataclass(frozen=True)
class Comparison:
    """A correction that waits: what was settled beside what is asked for, changed hands first, then by seat.

    `match` is what it does to the match of a race (R42), else None.
    """

    request: CorrectionRequest
    hands: tuple[ComparedHand, ...]
    match: MatchOutcome | None = None


def waiting_corrections(session: TableSession) -> list[Comparison]:
    """The corrections of a table that wait for somebody's approval, oldest first."""
    waiting = (
        CorrectionRequest.objects.filter(round__session=session, state=CorrectionRequest.State.ASKED)
        .select_related("round__session__sheet", "asked_by")
        .order_by("pk")
    )
    return [comparison(request) for request in waiting]


def comparison(request: CorrectionRequest) -> Comparison:
    """Put a correction beside the settlement that stands."""
    standing = standing_evidence(request.round)
    scored, difference = preview(request)
    before, points = net_of(standing), standing["answer"].get("score", {})
    dealt = list(request.round.hands.select_related("sitting__player"))
    settled = by_position(dealt, standing["input"]["hands"])
    settled_says = by_position(dealt, standing["answer"]["hands"])
    asked = {hand.position: said for hand, said in match_hands(dealt, request.hands)}
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
            before_points=points.get(str(hand.seat)),
            after_points=scored.race and scored.race[hand.seat],
        )
        for hand in sorted(dealt, key=lambda hand: (hand.seat, hand.position))
    ]
    changed_first = tuple(sorted(hands, key=lambda hand: not hand.changed))
    return Comparison(request, changed_first, outcome_of(request.round, scored))
