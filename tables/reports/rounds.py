"""Rounds as screens and papers show them: hands, settlements, payments, corrections."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from ledger.journal.records import evidence_in, record_of
from ledger.reports.traces import Moment
from ledger.rules.searches import seats_text
from tables.models import (
    Claim,
    CorrectionRequest,
    Hand,
    MatchPlayer,
    Round,
    Settlement,
    TableEvent,
    TableSession,
)
from tables.rounds.entry import by_position, which_hand
from tables.rules.game.sheet import Sheet
from tables.state.evidence import answer_of, names_at, net_of, scored_points
from tables.state.table_state import sheet_of

Kind = TableEvent.Kind


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand of a settlement: cards as entered, score, stack before and after. `which` tells apart a
    player's two hands; both show the player's money (R35)."""

    hand: Hand
    cards: Mapping[str, Any]
    says: Mapping[str, Any]
    net_cents: int
    moved_cents: int
    which: str

    @property
    def after_cents(self) -> int:
        return self.hand.stack_cents + self.moved_cents

    @property
    def claim_cents(self) -> int:
        """What a correction left owed to this player (above zero) or by them, in cents (R58)."""
        return self.net_cents - self.moved_cents


@dataclass(frozen=True, slots=True)
class SettlementRecord:
    """One settlement of a round; `reversal` reversed it, `request` led to it. `answer` is computed again,
    with `names` by seat and a race's `match` (R42). A settlement by hand has `points`, (name, name, points
    the first wins from the second) (R58)."""

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
    """A recorded round. `settlements` are oldest first; the last is in force. `handed_in`: who played it
    without the house, and who sent it for them."""

    round: Round
    dealt: tuple[Hand, ...]
    settlements: tuple[SettlementRecord, ...]
    requests: tuple[CorrectionRequest, ...]
    events: Mapping[str, TableEvent]
    neighbours: Mapping[int, int]
    by_hand_requests: tuple[CorrectionRequest, ...] = ()
    times_called: tuple[TableEvent, ...] = ()
    handed_in: tuple[tuple[Any, Any], ...] = ()

    @property
    def standing(self) -> SettlementRecord | None:
        return self.settlements[-1] if self.settlements else None

    @property
    def by_hand(self) -> bool:
        return any(settled.by_hand for settled in self.settlements)

    @property
    def waiting(self) -> list[tuple[int, str]]:
        """The seats not dealt in, and why, as recorded at the start."""
        started = self.events.get(Kind.ROUND_STARTED)
        waited = started.data.get("waiting", {}) if started else {}
        return sorted((int(seat), reason or "") for seat, reason in waited.items())

    @property
    def voided(self) -> TableEvent | None:
        return self.events.get(Kind.ROUND_VOIDED)

    @property
    def previous(self) -> int | None:
        """The id of the table's round before it."""
        return self.neighbours.get(self.round.number - 1)

    @property
    def next(self) -> int | None:
        return self.neighbours.get(self.round.number + 1)


def rounds() -> QuerySet[Round]:
    of_session = ("table__site", "sheet", "rate")
    with_them = ("down", "dealer", "match__called_off_by", *(f"session__{name}" for name in of_session))
    return Round.objects.select_related(*with_them).defer("session__sheet__raw", "draft")


def marked(rounds: QuerySet[Round]) -> QuerySet[Round]:
    """Return these rounds with `by_hand`: whether each was settled by hand (R58)."""
    return rounds.annotate(by_hand=Exists(Settlement.objects.filter(round=OuterRef("pk"), by_hand=True)))


def round_record(round_: Round) -> RoundRecord:
    """Return the whole record of a round. A fixed number of queries."""
    dealt = tuple(round_.hands.select_related("sitting__player"))
    kinds = (Kind.ROUND_STARTED, Kind.ROUND_VOIDED, Kind.TIME_CALLED, Kind.ROUND_HANDED_IN)
    events = TableEvent.objects.filter(session=round_.session_id, kind__in=kinds, data__round=round_.number)
    of_round = list(events.select_related("actor").order_by("pk"))
    asked = list(round_.corrections.select_related("asked_by", "decided_by").order_by("pk"))
    requests = tuple(request for request in asked if not request.by_hand)
    neighbours = Round.objects.filter(
        session=round_.session_id, number__in=(round_.number - 1, round_.number + 1)
    )
    claims: defaultdict[int, list[Claim]] = defaultdict(list)
    found = Claim.objects.filter(settlement__round=round_).select_related(*Claim.SHOWN_WITH)
    for claim in found.order_by("number"):
        claims[claim.settlement_id].append(claim)
    by_settlement = {request.settlement_id: request for request in requests if request.settlement_id}
    people = ("entry__actor", "entry__approver", "entry__reversed_by__actor", "entry__reversed_by__approver")
    settled = round_.settlements.select_related(*people).prefetch_related("entry__transfers")
    settled = settled.annotate(record=record_of("entry_id"))
    sheet, names = sheet_of(round_.session), names_at(round_, dealt)
    return RoundRecord(
        round=round_,
        dealt=dealt,
        settlements=tuple(
            _settlement(one, sheet, dealt, names, by_settlement.get(one.pk), claims[one.pk])
            for one in settled.order_by("ordinal")
        ),
        requests=requests,
        events={event.kind: event for event in of_round},
        neighbours=dict(neighbours.values_list("number", "pk")),
        by_hand_requests=tuple(request for request in asked if request.by_hand),
        times_called=tuple(event for event in of_round if event.kind == Kind.TIME_CALLED),
        handed_in=_handed_in([event for event in of_round if event.kind == Kind.ROUND_HANDED_IN]),
    )


def _handed_in(events: Sequence[TableEvent]) -> tuple[tuple[Any, Any], ...]:
    staff = get_user_model().objects.in_bulk([event.data["played_by"] for event in events]) if events else {}
    both = ((staff[event.data["played_by"]], event.actor) for event in events)
    return tuple(dict.fromkeys(both))


def _settlement(
    settlement: Settlement,
    sheet: Sheet,
    dealt: Sequence[Hand],
    names: Mapping[str, str],
    request: CorrectionRequest | None,
    claims: Iterable[Claim],
) -> SettlementRecord:
    evidence = evidence_in(settlement.record)  # type: ignore[attr-defined]
    answer = answer_of(evidence, sheet) | {"names": names}
    if "match" in evidence:
        answer["match"] = evidence["match"]
    net = net_of(evidence)
    # A round settled by hand has no cards, so its hands stay empty.
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


def moments_of(record: RoundRecord) -> list[Moment]:
    """Return what happened to a round, in order: dealt, settled and corrected, or voided, and time called."""
    round_ = record.round
    table, started = str(round_.session.table), record.events.get(Kind.ROUND_STARTED)
    seats = seats_text(sorted({hand.seat for hand in record.dealt}))
    played = Moment(
        "Played",
        ", ".join(part for part in (table, seats) if part),
        round_.started_at,
        "table_event" if started else "",
        started.pk if started else 0,
        round_.ended_at,
    )
    found = [played]
    for called in record.times_called:
        place = f"{table}, seat {called.data['seat']}"
        found.append(Moment("Time called", place, called.at, "table_event", called.pk))
    for number, one in enumerate(record.settlements):
        what = "Settled" if number == 0 else f"Correction {number}"
        found.append(Moment(what, table, one.settlement.settled_at, "entry", one.settlement.entry_id))
    if record.voided:
        found.append(Moment("Voided", table, record.voided.at, "table_event", record.voided.pk))
    return found


ROUNDS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One round in a list: `net` is cents by seat, empty unless settled; `points` are for a race (R42)."""

    round: Round
    net: tuple[tuple[int, str, int], ...]
    corrected: bool
    points: tuple[tuple[int, str, int], ...] = ()
    by_hand: bool = False

    @property
    def entries(self) -> list[int]:
        return [settlement.entry_id for settlement in self.round.settlements.all()]


def claims_at(session: TableSession) -> list[Claim]:
    """Return the claims that corrections at a table left, in order (R58)."""
    claims = Claim.objects.filter(settlement__round__session=session)
    return list(claims.select_related(*Claim.SHOWN_WITH).order_by("number"))


def recent_rounds(session: TableSession) -> list[RoundRow]:
    """Return the last rounds of a table, newest first; a fixed number of queries."""
    return [_round_row(round_) for round_ in _with_results(session).order_by("-number")[:ROUNDS_SHOWN]]


def all_rounds(session: TableSession) -> list[RoundRow]:
    """Return every round of a table, in order; a fixed number of queries."""
    return [_round_row(round_) for round_ in _with_results(session).order_by("number")]


def _with_results(session: TableSession) -> QuerySet[Round]:
    return (
        session.rounds.select_related("dealer", "down", "match")
        .defer("draft")
        .prefetch_related(
            Prefetch("hands", Hand.objects.select_related("sitting__player")),
            Prefetch(
                "settlements", Settlement.objects.annotate(record=record_of("entry_id")).order_by("ordinal")
            ),
            Prefetch("match__players", MatchPlayer.objects.select_related("sitting__player")),
        )
    )


def _round_row(round_: Round) -> RoundRow:
    settlements = list(round_.settlements.all())
    if not settlements:
        return RoundRow(round_, (), corrected=False)
    evidence = evidence_in(settlements[-1].record)  # type: ignore[attr-defined]
    sittings = {hand.seat: hand.sitting for hand in round_.hands.all()}
    if round_.match is not None:
        sittings |= {player.sitting.seat: player.sitting for player in round_.match.players.all()}
    scored = scored_points(evidence) if "match" in evidence else {}
    net = {} if scored and evidence["match"]["won_by"] is None else net_of(evidence)
    by_seat = [
        tuple((seat, str(sittings[seat].player), number) for seat, number in sorted(numbers.items()))
        for numbers in (net, scored)
    ]
    return RoundRow(
        round_, by_seat[0], corrected=len(settlements) > 1, points=by_seat[1], by_hand=settlements[0].by_hand
    )
