"""The report of one table session, with checks that its figures agree, in cents.

The same money read from the journal's transfers, and from rounds and fees."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from ledger.reports.box_log import BoxRow, boxes_with
from ledger.reports.statements import flows
from tables.models import Charge, Claim, FeePayment, Round, Sitting, TableEvent, TableSession
from tables.reports.reconciliation import DownRow, Sums
from tables.reports.rounds import RoundRow, all_rounds, claims_at
from tables.reports.statements import StatementTotals
from tables.seats.chip_counts import ChipCount, counts_of
from tables.seats.chip_entries import regrouped

PLAY = ("round", "hand_settlement", "reversal", "correction")
Flows = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class SittingRow:
    """One sitting: the totals of its lines, its fees however paid, and its balance."""

    sitting: Sitting
    totals: StatementTotals
    charged_cents: int

    @property
    def held_cents(self) -> int:
        return self.sitting.stack.balance_cents


@dataclass(frozen=True, slots=True)
class BankRow:
    """One asset of the table's bank: kind -> (came, went), and its balance in the books."""

    account: Any
    moved: tuple[tuple[str, int, int], ...]

    @property
    def came_cents(self) -> int:
        return sum(came for _, came, _ in self.moved)

    @property
    def went_cents(self) -> int:
        return sum(went for _, _, went in self.moved)

    @property
    def held_cents(self) -> int:
        held: int = self.account.balance_cents
        return held

    def of(self, *kinds: str) -> int:
        """Return what entries of these kinds brought less what they took, in cents."""
        return sum(came - went for kind, came, went in self.moved if kind in kinds)


@dataclass(frozen=True, slots=True)
class Fits:
    """Two figures in cents that must be equal, and their sentence."""

    says: str
    one: int
    other: int

    @property
    def fits(self) -> bool:
        return self.one == self.other


@dataclass(frozen=True)
class SessionReport:
    """One table session; `boxes` were installed in turn, `fees` are what went into them, in cents. `followed`
    are other tables' fees taken here, `elsewhere` those of `sums` taken at another (R51). `claims` are what
    corrections left owed (R58)."""

    session: TableSession
    sittings: tuple[SittingRow, ...]
    totals: StatementTotals
    downs: tuple[DownRow, ...]
    sums: Sums
    rounds: tuple[RoundRow, ...]
    banks: tuple[BankRow, BankRow]
    boxes: tuple[BoxRow, ...]
    fees: int
    followed: Sums
    elsewhere: Sums
    counts: tuple[ChipCount, ...] = ()
    claims: tuple[Claim, ...] = ()

    @property
    def settled(self) -> int:
        return sum(row.round.state == Round.State.SETTLED for row in self.rounds)

    @property
    def void(self) -> int:
        return sum(row.round.state == Round.State.VOID for row in self.rounds)

    @property
    def held_cents(self) -> int:
        return sum(row.held_cents for row in self.sittings)

    @property
    def proofs(self) -> tuple[Fits, ...]:
        """The pairs of figures that must agree."""
        chips, cash = self.banks
        sold = -chips.of("buy_in", "add_on")
        return (
            Fits("What some players won is what others lost: together nothing.", self.totals.won_cents, 0),
            Fits(
                "What came to the stacks less what left them is what lies on them.",
                self.totals.stack_cents,
                self.held_cents,
            ),
            Fits("Chips the bank sold are the cash it took for them.", sold, cash.of("buy_in", "add_on")),
            *(
                Fits(
                    f"What came into the bank in {bank.account.asset} less what left it is what it holds.",
                    bank.came_cents - bank.went_cents,
                    bank.held_cents,
                )
                for bank in self.banks
            ),
            Fits(
                "Fees charged are fees taken, waived, uncollected and still due.",
                self.sums.charged_cents,
                self.sums.taken_cents
                + self.sums.waived_cents
                + self.sums.uncollected_cents
                + self.sums.due_cents,
            ),
            Fits(
                "Fees taken from stacks are what the stacks paid.",
                self.sums.stack_cents + self.followed.stack_cents - self.elsewhere.stack_cents,
                self.totals.collected_cents,
            ),
            Fits(
                "Fees taken at the table lie in its boxes.",
                self.sums.box_cents + self.followed.box_cents - self.elsewhere.box_cents,
                self.fees,
            ),
        )

    @property
    def adds_up(self) -> bool:
        return all(proof.fits for proof in self.proofs)


def sessions_to_report() -> QuerySet[TableSession]:
    """Return table sessions with everything `session_report` needs selected."""
    people, held = ("opened_by", "closed_by"), ("bank_chips", "bank_cash", "box")
    with_them = ("table__site", "sheet", "rate", *people, *held)
    return TableSession.objects.select_related(*with_them).defer("sheet__raw")


def session_report(session: TableSession) -> SessionReport:
    """Return the report of a session from `sessions_to_report`. A fixed number of queries."""
    sittings = list(session.sittings.select_related("player", "stack").order_by("entered_at", "pk"))
    written = session.charges.select_related("down", "uncollected").with_payments("sitting")
    charges = [charge for charge in written.order_by("down__number", "pk") if charge.counts]
    taken_here = FeePayment.objects.filter(sitting__session=session, entry__reversed_by__isnull=True)
    followed = Charge.objects.filter(pk__in=taken_here.values("charge")).exclude(session=session)
    placed = _box_accounts(session)
    stacks = [one.stack_id for one in sittings]
    moved = regrouped(flows([*stacks, session.bank_chips_id, session.bank_cash_id, *placed]))
    rows = tuple(_sitting_row(one, moved[one.stack_id], charges) for one in sittings)
    downs = tuple(_downs(charges))
    return SessionReport(
        session=session,
        sittings=rows,
        totals=sum((row.totals for row in rows), StatementTotals()),
        downs=downs,
        sums=sum((row.sums for row in downs), Sums()),
        rounds=tuple(all_rounds(session)),
        banks=(_bank_row(session.bank_chips, moved), _bank_row(session.bank_cash, moved)),
        boxes=tuple(boxes_with(placed)),
        fees=sum(moved[account].get("collection", (0, 0))[0] for account in placed),
        followed=_added_up(followed.select_related("uncollected").with_payments()),
        elsewhere=_added_up(charge for charge in charges if charge.payment and charge.payment.followed),
        counts=tuple(counts_of(session)),
        claims=tuple(claims_at(session)),
    )


def _box_accounts(session: TableSession) -> list[int]:
    """Return the accounts of the boxes installed at the table, from its log."""
    kinds = (TableEvent.Kind.OPENED, TableEvent.Kind.BOX_CHANGED)
    placed = list(session.events.filter(kind__in=kinds).order_by("pk").values_list("data", flat=True))
    stands = {"box_chips": session.box.chips_id, "box_cash": session.box.cash_id}
    found = [data[name] for data in (*placed, stands) for name in stands if name in data]
    return list(dict.fromkeys(found))


def _sitting_row(sitting: Sitting, moved: Flows, charges: Iterable[Charge]) -> SittingRow:
    net = Counter({kind: came - went for kind, (came, went) in moved.items()})
    came, went = moved.get("table_move", (0, 0))
    net.update(carried_in=came, carried_away=-went, won=sum(net[kind] for kind in PLAY))
    charged = sum(charge.cents for charge in charges if charge.sitting_id == sitting.pk)
    return SittingRow(sitting, StatementTotals.of(net), charged)


def _bank_row(account: Any, moved: Mapping[int, Flows]) -> BankRow:
    return BankRow(account, tuple((kind, *cents) for kind, cents in sorted(moved[account.pk].items())))


def _downs(charges: Sequence[Charge]) -> Iterable[DownRow]:
    for down in {charge.down_id: charge.down for charge in charges}.values():
        yield DownRow(down, _added_up(charge for charge in charges if charge.down_id == down.pk))


def _added_up(charges: Iterable[Charge]) -> Sums:
    return sum(map(Sums.of, charges), Sums())
