"""Statements: every line of a stack at a table, or of a player's gaming day, with totals.

Frozen rows in whole cents, all from the journal; nothing is recomputed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from ledger.journal.balances import transfers_of
from ledger.reports.traces import Moment
from tables.models import Charge, Claim, FeePayment, Hand, MatchPlayer, Player, Round, Settlement, Sitting
from tables.rules.table.paying import Method
from tables.seats.chip_entries import BROUGHT, CORRECTING, OVER_SHORT, TAKES_BACK, TOKE, original_kind
from tables.state.persons import entries_of

MOVING = ("buy_in", "add_on", "collection", "toke", "cash_out", "carried_in", "carried_away", OVER_SHORT)
"""Kinds of entry, and directions of moves, by which chips come and go; by all others they are won or lost."""
# An entry recorded later than this after it happened shows both times.
LATE = timedelta(minutes=1)

WHAT = {
    "buy_in": "Buy-in",
    "add_on": "Add-on",
    "table_move": "Move",
    "cash_out": "Cash-out",
    "hand_settlement": "Settlement by hand",
}
"""Kinds of entry in words; the others are words."""


def word_of(kind: str) -> str:
    return WHAT.get(kind, kind.capitalize())


@dataclass(frozen=True, slots=True)
class Part:
    """One transfer of a line: the other account, its kind, and the cents that came (above zero) or went."""

    other: str
    cents: int
    place: str = ""


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One entry as it affects a stack: `cents` came (above zero) or went, and the stack after it. `round` is
    the round settled, reversed or settled again; `charge` the fee taken. `by_hand`: settled without cards
    (R58). `original_kind` looks through corrections. `taken_back`: reversed."""

    entry: Any
    cents: int
    stack_cents: int
    parts: tuple[Part, ...] = ()
    round: Round | None = None
    charge: Charge | None = None
    by_hand: bool = False
    original_kind: str = ""
    taken_back: bool = False

    @property
    def kind(self) -> str:
        kind: str = self.entry.kind
        return kind

    @property
    def before_cents(self) -> int:
        return self.stack_cents - self.cents

    @property
    def down(self) -> int | None:
        return self.charge.down.number if self.charge else None

    @property
    def what(self) -> str:
        word, original = word_of(self.kind), word_of(self.original_kind)
        if self.kind not in CORRECTING or self.original_kind == self.kind:
            return word
        return f"{original}, corrected" if self.kind == "correction" else f"{word} of the {original.lower()}"

    @property
    def correctable(self) -> bool:
        """Whether it is a buy-in, an add-on, a toke or a cash-out in force."""
        stands = self.kind not in TAKES_BACK and not self.taken_back
        return stands and self.original_kind in (*BROUGHT, TOKE, "cash_out")

    @property
    def late(self) -> bool:
        """Whether it was recorded so late that both times are shown (R61)."""
        return bool(self.entry.recorded_at - self.entry.occurred_at > LATE)


@dataclass(frozen=True, slots=True)
class StatementTotals:
    """The lines added up; came and won less went is the stack. `carried` is from and to other tables;
    `over_short` are missing chips, or excess below zero."""

    bought_in_cents: int = 0
    carried_in_cents: int = 0
    won_cents: int = 0
    collected_cents: int = 0
    toked_cents: int = 0
    carried_away_cents: int = 0
    cashed_out_cents: int = 0
    over_short_cents: int = 0

    def __add__(self, other: "StatementTotals") -> "StatementTotals":
        return StatementTotals(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @classmethod
    def of(cls, net: Mapping[str, int]) -> "StatementTotals":
        """Add up what came to a stack (above zero) or left it, by kind, moves by direction."""
        return cls(
            bought_in_cents=net["buy_in"] + net["add_on"],
            carried_in_cents=net["carried_in"],
            won_cents=net["won"],
            collected_cents=-net["collection"],
            toked_cents=-net["toke"],
            carried_away_cents=-net["carried_away"],
            cashed_out_cents=-net["cash_out"],
            over_short_cents=-net[OVER_SHORT],
        )

    @property
    def stack_cents(self) -> int:
        came = self.bought_in_cents + self.carried_in_cents + self.won_cents
        went = self.collected_cents + self.toked_cents + self.carried_away_cents + self.cashed_out_cents
        return came - went - self.over_short_cents


@dataclass(frozen=True)
class Statement:
    """Everything that happened to one sitting's stack, in order of recording. `charges` are all its fees,
    however paid; `claims` what corrections could not move (R58)."""

    sitting: Sitting
    lines: tuple[StatementLine, ...]
    totals: StatementTotals
    charges: tuple[Charge, ...]
    claims: tuple[Claim, ...]

    @property
    def zone(self) -> str:
        return self.sitting.session.table.site.time_zone

    @property
    def charged_cents(self) -> int:
        """Every fee of the sitting, however paid."""
        return sum(charge.cents for charge in self.charges if charge.counts)

    @property
    def due_cents(self) -> int:
        """Fees that are owed and have not been taken."""
        return sum(charge.cents for charge in self.charges if charge.payment is None and charge.is_owed())

    @property
    def held_cents(self) -> int:
        """The stack's balance in the books, in cents, independent of the lines."""
        return self.sitting.stack.balance_cents

    @property
    def adds_up(self) -> bool:
        """Whether the lines add up to the stack's balance."""
        return self.totals.stack_cents == self.held_cents


@dataclass(frozen=True)
class PlayerDay:
    """All sittings of a player that overlap a gaming day, whole, with their totals. Chips carried between
    tables of the same day cancel out."""

    statements: tuple[Statement, ...]
    totals: StatementTotals
    claims: tuple[Claim, ...]

    @property
    def charged_cents(self) -> int:
        return sum(one.charged_cents for one in self.statements)

    @property
    def due_cents(self) -> int:
        return sum(one.due_cents for one in self.statements)

    @property
    def fees_in_cash_cents(self) -> int:
        cash = (Method.CASH, Method.CAGE)
        charges = (charge for one in self.statements for charge in one.charges)
        return sum(charge.cents for charge in charges if charge.payment and charge.payment.method in cash)

    @property
    def carried_cents(self) -> int:
        """Chips from tables of another day, less those carried to one."""
        return self.totals.carried_in_cents - self.totals.carried_away_cents

    @property
    def held_cents(self) -> int:
        """The balance of the player's stacks, in cents."""
        return sum(one.held_cents for one in self.statements)

    @property
    def adds_up(self) -> bool:
        return all(one.adds_up for one in self.statements)


def sittings_between(player: Player, start: datetime, end: datetime) -> list[Sitting]:
    """Return a person's sittings that overlap a period, under any entry, oldest first."""
    stayed = Q(left_at__isnull=True) | Q(left_at__gte=start)
    theirs = Sitting.objects.filter(entries_of(player.merged_into_id or player.pk))
    return list(
        theirs.filter(stayed, entered_at__lt=end)
        .select_related("player", "stack", "session__table__site", "session__sheet")
        .defer("session__sheet__raw")
        .order_by("entered_at", "pk")
    )


def player_day(player: Player, start: datetime, end: datetime) -> PlayerDay:
    """Return a player's day, line by line. A fixed number of queries."""
    own = tuple(statements(sittings_between(player, start, end)))
    claims = {claim.pk: claim for one in own for claim in one.claims}
    return PlayerDay(
        statements=own,
        totals=sum((one.totals for one in own), StatementTotals()),
        claims=tuple(sorted(claims.values(), key=lambda claim: claim.number)),
    )


def statement(sitting: Sitting) -> Statement:
    """Return the statement of a sitting; a fixed number of queries."""
    return statements([sitting])[0]


def statements(sittings: Sequence[Sitting]) -> list[Statement]:
    """Return the statements of sittings that have session and stack; a fixed number of queries."""
    charges = list(
        Charge.objects.filter(sitting__in=sittings)
        .select_related("down", "uncollected", "round")
        .with_payments("entry__actor", "recovery", "waiver__reason", "sitting__session__table")
        .order_by("down__number", "pk")
    )
    moved = _moved(sittings)
    dealt: defaultdict[int, set[int]] = defaultdict(set)
    for sitting, round_ in Hand.objects.filter(sitting__in=sittings).values_list("sitting", "round"):
        dealt[sitting].add(round_)
    matches = MatchPlayer.objects.filter(sitting__in=sittings).values("match")
    concerned = set(Round.objects.filter(match__in=matches).values_list("pk", flat=True)).union(
        *dealt.values()
    )
    settled = {
        settlement.entry_id: settlement
        for settlement in Settlement.objects.filter(round__in=concerned).select_related(
            "round", "entry__actor", "entry__reversed_by__actor"
        )
    }
    taken = _taken(moved, charges)
    claims = _claims(sittings, settled)
    return [
        _statement(
            sitting,
            _with_even_rounds(moved[sitting.stack_id], settled, dealt[sitting.pk]),
            settled,
            taken,
            tuple(charge for charge in charges if charge.sitting_id == sitting.pk),
            tuple(
                claim
                for claim in claims
                if sitting.player_id in (claim.debtor_id, claim.creditor_id)
                and claim.settlement.round_id in dealt[sitting.pk]
            ),
        )
        for sitting in sittings
    ]


Moved = dict[int, tuple[Any, list[Part]]]


def _moved(sittings: Sequence[Sitting]) -> dict[int, Moved]:
    """Return for each stack: entry id -> the entry, and what it moved."""
    stacks = {sitting.stack_id for sitting in sittings}
    transfers = list(transfers_of(stacks).select_related("source", "target"))
    ends = {account for transfer in transfers for account in (transfer.source_id, transfer.target_id)}
    names = {
        sitting.stack_id: str(sitting)
        for sitting in Sitting.objects.filter(stack__in=ends).select_related("player")
    }
    moved: dict[int, Moved] = {stack: {} for stack in stacks}
    for transfer in transfers:
        for own, other, cents in (
            (transfer.source_id, transfer.target, -transfer.cents),
            (transfer.target_id, transfer.source, transfer.cents),
        ):
            if own in stacks:
                # The player is the same on both sides, so the line shows the other table instead.
                same = transfer.entry.kind == "table_move"
                name = other.label if same else names.get(other.pk, other.label)
                moved[own].setdefault(transfer.entry_id, (transfer.entry, []))[1].append(
                    Part(name, cents, other.kind)
                )
    return moved


def _with_even_rounds(moved: Moved, settled: Mapping[int, Settlement], dealt: set[int]) -> Moved:
    """Add rounds that came out even: nothing moved, but they are lines too."""
    lines = dict(moved)
    for settlement in settled.values():
        if settlement.round_id in dealt:
            lines.setdefault(settlement.entry_id, (settlement.entry, []))
            reversal = getattr(settlement.entry, "reversed_by", None)
            if reversal is not None:
                lines.setdefault(reversal.pk, (reversal, []))
    return lines


def _taken(moved: Mapping[int, Moved], charges: Iterable[Charge]) -> dict[int, Charge]:
    """Return the fee that each entry took, at whichever table it was owed."""
    taken = {payment.entry_id: charge for charge in charges for payment in charge.payments.all()}
    collected = {
        pk for lines in moved.values() for pk, (entry, _) in lines.items() if entry.kind == "collection"
    }
    earlier = FeePayment.objects.filter(entry__in=collected - taken.keys()).select_related(
        "charge__down", "charge__session__table"
    )
    return taken | {payment.entry_id: payment.charge for payment in earlier}


def _claims(sittings: Sequence[Sitting], settled: Mapping[int, Settlement]) -> list[Claim]:
    players = {sitting.player_id for sitting in sittings}
    claims = Claim.objects.filter(settlement__in=[settlement.pk for settlement in settled.values()])
    theirs = claims.filter(Q(debtor__in=players) | Q(creditor__in=players))
    return list(theirs.select_related(*Claim.SHOWN_WITH).order_by("number"))


def moments_of(sitting: Sitting) -> list[Moment]:
    """Return when a player sat in this seat."""
    place = f"{sitting.session.table}, seat {sitting.seat}"
    left = [] if sitting.left_at is None else [Moment("Left", place, sitting.left_at)]
    return [Moment("Sat down", place, sitting.entered_at), *left]


def _statement(
    sitting: Sitting,
    moved: Moved,
    settled: Mapping[int, Settlement],
    taken: Mapping[int, Charge],
    charges: tuple[Charge, ...],
    claims: tuple[Claim, ...],
) -> Statement:
    lines, stack = [], 0
    taken_back = {entry.reverses_id for entry, _ in moved.values()}
    for pk in sorted(moved):
        entry, parts = moved[pk]
        cents = sum(part.cents for part in parts)
        stack += cents
        settlement = settled.get(entry.reverses_id or pk)
        round_ = settlement.round if settlement else None
        by_hand = settlement is not None and settlement.by_hand
        rest = (taken.get(entry.reverses_id or pk), by_hand, original_kind(entry), pk in taken_back)
        lines.append(StatementLine(entry, cents, stack, tuple(parts), round_, *rest))
    net: Counter[str] = Counter()
    for line in lines:
        kind = _direction(line) if line.original_kind == "table_move" else line.original_kind
        over_short = sum(part.cents for part in line.parts if part.place == OVER_SHORT)
        net["won" if kind not in MOVING else kind] += line.cents - over_short
        net[OVER_SHORT] += over_short
    return Statement(sitting, tuple(lines), StatementTotals.of(net), charges, claims)


def _direction(line: StatementLine) -> str:
    """Return whether a move brought chips or carried them away; reversals count the other way."""
    went = (line.cents < 0) != (line.kind in TAKES_BACK)
    return "carried_away" if went else "carried_in"
