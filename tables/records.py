"""Records for whoever looks into the past: one round with its corrections, and what happened on a day.

Frozen rows, amounts in whole cents. Cards, points and payments are those of the journal's evidence: nothing is worked
out again, and nothing is written.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from tables.hands import by_position, which_hand
from tables.models import (
    Claim,
    ClockStop,
    CorrectionRequest,
    Hand,
    HandSettlementRequest,
    Match,
    Round,
    Settlement,
    TableEvent,
    TableSession,
)
from tables.standings import names_at, net_of


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand of a settlement: cards as entered, what the rules said, and the stack before and after.

    Of a player with two hands `which` says which one it is; the money is the player's, so both have the same (R35).
    """

    hand: Hand
    cards: Mapping[str, Any]
    says: Mapping[str, Any]
    net_cents: int
    moved_cents: int
    which: str

    @property
    def after_cents(self) -> int:
        """The stack the round ended with."""
        return self.hand.stack_cents + self.moved_cents

    @property
    def claim_cents(self) -> int:
        """What a correction owed this player (above zero) and could not move (R58)."""
        return self.net_cents - self.moved_cents


@dataclass(frozen=True, slots=True)
class SettlementRecord:
    """One settlement of a round. `reversal` is the entry that took it back, `request` the correction that made it.

    `answer` is that of the score format with `names` by seat, and in a race with the `match` of the evidence (R42). One
    by hand has `points`, (name, name, what the first wins from the second), and hands without cards (R58).
    """

    settlement: Settlement
    answer: Mapping[str, Any]
    hands: tuple[HandRecord, ...]
    rules_version: int
    reversal: Any
    request: CorrectionRequest | None
    claims: tuple[Claim, ...]
    points: tuple[tuple[str, str, int], ...] = ()

    @property
    def by_hand(self) -> bool:
        return self.settlement.by_hand

    @property
    def stands(self) -> bool:
        return self.reversal is None


@dataclass(frozen=True)
class RoundRecord:
    """A round as it went into the books. `settlements` are oldest first; the last one stands."""

    round: Round
    dealt: tuple[Hand, ...]
    settlements: tuple[SettlementRecord, ...]
    requests: tuple[CorrectionRequest, ...]
    events: Mapping[str, TableEvent]
    neighbours: Mapping[int, int]
    by_hand_requests: tuple[HandSettlementRequest, ...] = ()
    times_called: tuple[TableEvent, ...] = ()

    @property
    def standing(self) -> SettlementRecord | None:
        return self.settlements[-1] if self.settlements else None

    @property
    def by_hand(self) -> bool:
        """Whether it was settled by hand, because its cards were gone (R58)."""
        return any(settled.by_hand for settled in self.settlements)

    @property
    def waiting(self) -> list[tuple[int, str]]:
        """The seats that were not dealt in, and why, as the start of the round recorded it."""
        started = self.events.get(TableEvent.Kind.ROUND_STARTED)
        waited = started.data.get("waiting", {}) if started else {}
        return sorted((int(seat), reason or "") for seat, reason in waited.items())

    @property
    def voided(self) -> TableEvent | None:
        return self.events.get(TableEvent.Kind.ROUND_VOIDED)

    @property
    def previous(self) -> int | None:
        """The id of the round before it at this table."""
        return self.neighbours.get(self.round.number - 1)

    @property
    def next(self) -> int | None:
        return self.neighbours.get(self.round.number + 1)


def rounds() -> QuerySet[Round]:
    """Rounds with what their record needs."""
    of_session = ("table__site", "sheet", "schedule")
    with_them = ("down", "dealer", "match__called_off_by", *(f"session__{name}" for name in of_session))
    return Round.objects.select_related(*with_them).defer("session__sheet__raw", "draft")


def marked(rounds: QuerySet[Round]) -> QuerySet[Round]:
    """These rounds with `by_hand`: whether each was settled by hand, which is shown wherever they are listed (R58)."""
    return rounds.annotate(by_hand=Exists(Settlement.objects.filter(round=OuterRef("pk"), by_hand=True)))


def round_record(round_: Round) -> RoundRecord:
    """The whole record of a round. A constant number of queries, however often it was corrected."""
    dealt = tuple(round_.hands.select_related("sitting__player"))
    kinds = (TableEvent.Kind.ROUND_STARTED, TableEvent.Kind.ROUND_VOIDED, TableEvent.Kind.TIME_CALLED)
    events = TableEvent.objects.filter(session=round_.session_id, kind__in=kinds, data__round=round_.number)
    found = list(events.select_related("actor").order_by("pk"))
    requests = tuple(round_.corrections.select_related("asked_by", "decided_by").order_by("pk"))
    by_hand = round_.hand_settlements.select_related("asked_by", "decided_by").order_by("pk")
    beside = Round.objects.filter(
        session=round_.session_id, number__in=(round_.number - 1, round_.number + 1)
    )
    return RoundRecord(
        round=round_,
        dealt=dealt,
        settlements=_settlements(round_, dealt, requests),
        requests=requests,
        events={event.kind: event for event in found},
        neighbours=dict(beside.values_list("number", "pk")),
        by_hand_requests=tuple(by_hand),
        times_called=tuple(event for event in found if event.kind == TableEvent.Kind.TIME_CALLED),
    )


def _settlements(
    round_: Round, dealt: Sequence[Hand], requests: Sequence[CorrectionRequest]
) -> tuple[SettlementRecord, ...]:
    claims: defaultdict[int, list[Claim]] = defaultdict(list)
    found = Claim.objects.filter(settlement__round=round_).select_related(
        "debtor", "creditor", "settlement__round"
    )
    for claim in found.order_by("number"):
        claims[claim.settlement_id].append(claim)
    by_settlement = {request.settlement_id: request for request in requests if request.settlement_id}
    people = ("entry__actor", "entry__approver", "entry__reversed_by__actor", "entry__reversed_by__approver")
    settled = round_.settlements.select_related(*people).prefetch_related("entry__transfers")
    names = names_at(round_, dealt)
    return tuple(
        _settlement(one, dealt, names, by_settlement.get(one.pk), claims[one.pk])
        for one in settled.order_by("ordinal")
    )


def _settlement(
    settlement: Settlement,
    dealt: Sequence[Hand],
    names: Mapping[str, str],
    request: CorrectionRequest | None,
    claims: Iterable[Claim],
) -> SettlementRecord:
    evidence = json.loads(settlement.entry.evidence)
    answer = evidence["answer"] | {"names": names}
    if "match" in evidence:
        answer["match"] = evidence["match"]
    net = net_of(evidence)
    # Nobody knows the cards of a round that was settled by hand: its hands say nothing.
    entered = {} if settlement.by_hand else by_position(dealt, evidence["input"]["hands"])
    says = {} if settlement.by_hand else by_position(dealt, answer["hands"])
    moved: defaultdict[int, int] = defaultdict(int)
    for transfer in settlement.entry.transfers.all():
        moved[transfer.source_id] -= transfer.cents
        moved[transfer.target_id] += transfer.cents
    hands = tuple(
        HandRecord(
            hand=hand,
            cards=entered.get(hand.position, {}),
            says=says.get(hand.position, {}),
            net_cents=net[hand.seat],
            moved_cents=moved[hand.sitting.stack_id],
            which=which_hand(dealt, hand),
        )
        for hand in dealt
    )
    return SettlementRecord(
        settlement=settlement,
        answer=answer,
        hands=hands,
        rules_version=evidence["rules_version"],
        reversal=getattr(settlement.entry, "reversed_by", None),
        request=request,
        claims=tuple(claims),
        points=tuple(
            (names[str(one)], names[str(other)], won)
            for one, other, won in evidence["input"].get("points", ())
        ),
    )


@dataclass(frozen=True)
class DayEvents:
    """What happened at the tables between two moments, besides fees: openings, voids, corrections, settlements by hand,
    stops, claims, and matches that were called off."""

    sessions: tuple[TableSession, ...]
    voids: tuple[Round, ...]
    corrections: tuple[CorrectionRequest, ...]
    stops: tuple[ClockStop, ...]
    claims: tuple[Claim, ...]
    called_off: tuple[Match, ...]
    by_hand: tuple[HandSettlementRequest, ...]

    @property
    def settled(self) -> int:
        return sum(session.settled for session in self.sessions)


def day_events(site: Any, start: datetime, end: datetime) -> DayEvents:
    """What happened from `start` up to `end`. Seven queries, however many tables."""
    begun = Q(rounds__started_at__gte=start, rounds__started_at__lt=end)
    open_then = Q(closed_at__isnull=True) | Q(closed_at__gte=start)
    at_site = {"round__session__table__site": site}
    return DayEvents(
        sessions=tuple(
            TableSession.objects.filter(open_then, table__site=site, opened_at__lt=end)
            .select_related("table", "sheet", "opened_by", "closed_by")
            .defer("sheet__raw")
            .annotate(
                settled=Count("rounds", filter=begun & Q(rounds__state=Round.State.SETTLED)),
                void=Count("rounds", filter=begun & Q(rounds__state=Round.State.VOID)),
            )
            .order_by("table__number", "opened_at")
        ),
        voids=tuple(
            rounds()
            .filter(session__table__site=site, state=Round.State.VOID, ended_at__gte=start, ended_at__lt=end)
            .order_by("ended_at")
        ),
        corrections=tuple(
            CorrectionRequest.objects.filter(asked_at__gte=start, asked_at__lt=end, **at_site)
            .select_related("round__session__table", "asked_by", "decided_by")
            .order_by("asked_at")
        ),
        stops=tuple(
            ClockStop.objects.filter(session__table__site=site, stopped_at__gte=start, stopped_at__lt=end)
            .select_related("session__table", "stopped_by", "started_by")
            .order_by("stopped_at")
        ),
        claims=tuple(
            Claim.objects.filter(site=site, settlement__settled_at__gte=start, settlement__settled_at__lt=end)
            .select_related("debtor", "creditor", "settlement__round__session__table")
            .order_by("number")
        ),
        called_off=tuple(
            Match.objects.filter(session__table__site=site, called_off_at__gte=start, called_off_at__lt=end)
            .select_related("session__table", "called_off_by")
            .order_by("called_off_at")
        ),
        by_hand=tuple(
            HandSettlementRequest.objects.filter(asked_at__gte=start, asked_at__lt=end, **at_site)
            .select_related("round__session__table", "asked_by", "decided_by")
            .order_by("asked_at")
        ),
    )
