"""What screens and papers say of a table's past: the statement of a sitting, its rounds, a correction beside what stands.

Frozen rows, amounts in whole cents. Nothing is written, and nothing is worked out again: figures are those of the
journal and of the settlements' evidence.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Prefetch, Q

from tables.corrections import preview
from tables.hands import by_position, match_hands, which_hand
from tables.models import (
    Charge,
    Claim,
    Collection,
    CorrectionRequest,
    Hand,
    MatchPlayer,
    Round,
    Settlement,
    Sitting,
    TableSession,
)
from tables.rules.sheet import SEGMENTS
from tables.scoring import standing_evidence
from tables.standings import MatchOutcome, net_of, outcome_of

ROUNDS_SHOWN = 20
# What is entered of a hand, as a correction may change it.
COMPARED = (*SEGMENTS, "dealt", "declares", "surrenders", "misset", "royalties")
# An entry recorded later than this after it happened says so.
LATE = timedelta(minutes=1)

WHAT = {
    "buy_in": "Buy-in",
    "add_on": "Add-on",
    "table_move": "Move",
    "cash_out": "Cash-out",
    "collection": "Collection",
    "round": "Round",
    "reversal": "Reversal",
    "correction": "Correction",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One transfer of a line: with whom, and how many cents came (above zero) or went."""

    other: str
    cents: int


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One entry as it concerns a stack: `cents` came (above zero) or went, and the stack after it."""

    entry: int
    at: datetime
    recorded_at: datetime
    kind: str
    cents: int
    stack_cents: int
    parts: tuple[Part, ...] = ()
    round: Round | None = None
    down: int | None = None
    rule: str = ""
    reason: str = ""

    @property
    def what(self) -> str:
        """The kind of entry in words."""
        return WHAT.get(self.kind, self.kind.replace("_", " ").capitalize())

    @property
    def late(self) -> bool:
        """Whether it was recorded later than it happened, so that both times are shown (R61)."""
        return self.recorded_at - self.at > LATE


@dataclass(frozen=True, slots=True)
class StatementTotals:
    """The lines added up; what came in and was won less what went is the stack. `carried` is from and to other tables."""

    bought_in_cents: int = 0
    carried_in_cents: int = 0
    won_cents: int = 0
    collected_cents: int = 0
    carried_away_cents: int = 0
    cashed_out_cents: int = 0

    @property
    def stack_cents(self) -> int:
        came = self.bought_in_cents + self.carried_in_cents + self.won_cents
        return came - self.collected_cents - self.carried_away_cents - self.cashed_out_cents


@dataclass(frozen=True)
class Statement:
    """Everything that happened to the stack of one sitting, in the order of recording.

    `charges` are all fees of the sitting, also those paid in cash or still due; `claims` what corrections could not
    move between this player and others (R58).
    """

    sitting: Sitting
    lines: tuple[StatementLine, ...]
    totals: StatementTotals
    charges: tuple[Charge, ...]
    claims: tuple[Claim, ...]

    @property
    def zone(self) -> str:
        """The zone of the house's clocks."""
        return self.sitting.session.table.site.time_zone

    @property
    def due_cents(self) -> int:
        """Fees that have been charged and not taken."""
        return sum(charge.cents for charge in self.charges if not hasattr(charge, "collection"))


def statement(sitting: Sitting) -> Statement:
    """Return the statement of a sitting; a constant number of queries, however long it lasted."""
    entries, parts = _entries_of(sitting)
    rounds = _rounds_of(entries)
    charges = tuple(
        Charge.objects.filter(sitting=sitting)
        .select_related("down", "collection__entry", "round")
        .order_by("down__number", "pk")
    )
    taken = {charge.collection.entry_id: charge for charge in charges if hasattr(charge, "collection")}
    # A fee of an earlier sitting of this player at the table may have been taken from this stack.
    missing = [entry.pk for entry in entries if entry.kind == "collection" and entry.pk not in taken]
    for collection in Collection.objects.filter(entry__in=missing).select_related("charge__down"):
        taken[collection.entry_id] = collection.charge
    lines, stack = [], 0
    for entry in entries:
        cents = sum(part.cents for part in parts[entry.pk])
        stack += cents
        charge = taken.get(entry.pk)
        lines.append(
            StatementLine(
                entry=entry.pk,
                at=entry.occurred_at,
                recorded_at=entry.recorded_at,
                kind=entry.kind,
                cents=cents,
                stack_cents=stack,
                parts=tuple(parts[entry.pk]),
                round=rounds.get(entry.pk),
                down=charge.down.number if charge else None,
                rule=charge.rule if charge else "",
                reason=entry.reason,
            )
        )
    claims = Claim.objects.filter(settlement__entry__in=[entry.pk for entry in entries]).filter(
        Q(debtor=sitting.player) | Q(creditor=sitting.player)
    )
    return Statement(
        sitting=sitting,
        lines=tuple(lines),
        totals=_totals(lines),
        charges=charges,
        claims=tuple(claims.select_related("debtor", "creditor", "settlement__round").order_by("number")),
    )


def _entries_of(sitting: Sitting) -> tuple[list[Any], dict[int, list[Part]]]:
    """The entries that concern the stack, in the order of recording, and what each moved.

    A round in which everything came out even moved nothing, and is a line all the same.
    """
    stack = sitting.stack
    parts: dict[int, list[tuple[int, Any, int]]] = {}
    entries: dict[int, Any] = {}
    for related, other, sign in ((stack.incoming, "source", 1), (stack.outgoing, "target", -1)):
        for transfer in related.select_related("entry", other):
            entries[transfer.entry_id] = transfer.entry
            account = getattr(transfer, other)
            parts.setdefault(transfer.entry_id, []).append((transfer.line, account, sign * transfer.cents))
    for settlement in Settlement.objects.filter(round__hands__sitting=sitting).select_related("entry"):
        entries.setdefault(settlement.entry_id, settlement.entry)
    names = _names(account.pk for found in parts.values() for _, account, _ in found)
    shown = {
        entry: [
            # Who moved is the same player; where from and where to is what the line says.
            Part(
                account.label
                if entries[entry].kind == "table_move"
                else names.get(account.pk, account.label),
                cents,
            )
            for _, account, cents in sorted(parts.get(entry, ()), key=lambda part: part[0])
        ]
        for entry in entries
    }
    return [entries[pk] for pk in sorted(entries)], shown


def _names(accounts: Iterable[int]) -> dict[int, str]:
    """The players whose stacks these accounts are."""
    sittings = Sitting.objects.filter(stack__in=set(accounts)).select_related("player")
    return {sitting.stack_id: str(sitting) for sitting in sittings}


def _rounds_of(entries: Sequence[Any]) -> dict[int, Round]:
    """The round that each entry settled, took back or settled anew, by entry."""
    wanted = {entry.reverses_id or entry.pk: entry.pk for entry in entries}
    found = Settlement.objects.filter(entry__in=wanted).select_related("round")
    by_entry = {settlement.entry_id: settlement.round for settlement in found}
    return {
        entry.pk: by_entry[entry.reverses_id or entry.pk]
        for entry in entries
        if (entry.reverses_id or entry.pk) in by_entry
    }


def _totals(lines: Sequence[StatementLine]) -> StatementTotals:
    sums = {"buy_in": 0, "add_on": 0, "collection": 0, "table_move": 0, "cash_out": 0, "other": 0}
    carried_away = -sum(line.cents for line in lines if line.kind == "table_move" and line.cents < 0)
    for line in lines:
        sums[line.kind if line.kind in sums else "other"] += line.cents
    return StatementTotals(
        bought_in_cents=sums["buy_in"] + sums["add_on"],
        carried_in_cents=sums["table_move"] + carried_away,
        won_cents=sums["other"],
        collected_cents=-sums["collection"],
        carried_away_cents=carried_away,
        cashed_out_cents=-sums["cash_out"],
    )


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One round in a list: `net` holds who won or lost how many cents, by seat; empty unless it was settled.

    In a race `points` holds who scored how many (R42), and `net` is empty unless the round ended the match.
    """

    round: Round
    net: tuple[tuple[int, str, int], ...]
    corrected: bool
    points: tuple[tuple[int, str, int], ...] = ()


def recent_rounds(session: TableSession) -> list[RoundRow]:
    """The last rounds of a table, newest first; a constant number of queries."""
    rounds = (
        session.rounds.select_related("dealer", "down", "match")
        .prefetch_related(
            Prefetch("hands", Hand.objects.select_related("sitting__player")),
            Prefetch("settlements", Settlement.objects.select_related("entry").order_by("ordinal")),
            Prefetch("match__players", MatchPlayer.objects.select_related("sitting__player")),
        )
        .order_by("-number")[:ROUNDS_SHOWN]
    )
    return [_round_row(round_) for round_ in rounds]


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
    return RoundRow(round_, by_seat[0], corrected=len(settlements) > 1, points=by_seat[1])


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
