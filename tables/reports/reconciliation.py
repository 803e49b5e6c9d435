"""The collection of a gaming day: what was charged and taken, by table and down, in cents.

A day has the charges dated in it and the payments in its journal: a closed day's fee taken later stays due on
its own papers, and is late on those of the other day. The boxes are the ledger's (ledger/reports/box_log.py).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any

from django.db.models import Case, Count, Prefetch, Q, QuerySet, Subquery, Sum, When
from django.db.models.functions import Coalesce

from ledger.reports.box_log import BoxRow, Taken
from tables.models import Charge, Down, FeePayment, Recovery, Sitting, TableSession, Uncollected, Waiver
from tables.rules.table.paying import WAYS, Method
from tables.state.plan import PlannedFee, planned_fees
from tables.state.table_state import TableState, load_states, sessions


@dataclass(frozen=True, slots=True)
class Sums:
    """How many were charged full and half, the amounts, and what became of them. `covered` players paid
    elsewhere (R62). `uncollected` were not recovered since; `due` are the other open ones."""

    full: int = 0
    full_cents: int = 0
    half: int = 0
    half_cents: int = 0
    covered: int = 0
    stack_cents: int = 0
    cash_cents: int = 0
    cage_cents: int = 0
    due: int = 0
    due_cents: int = 0
    waived: int = 0
    waived_cents: int = 0
    uncollected: int = 0
    uncollected_cents: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @classmethod
    def of(cls, charge: Charge) -> "Sums":
        unpaid = "uncollected" if hasattr(charge, "uncollected") else "due"
        became = charge.payment.method if charge.payment else unpaid
        counted = {f"{one}": 1 for one in (charge.rule, became)}
        figures = counted | {f"{one}_cents": charge.cents for one in counted}
        return cls(**{f.name: figures[f.name] for f in fields(cls) if f.name in figures})

    @property
    def charged_cents(self) -> int:
        return self.full_cents + self.half_cents

    @property
    def expected_cents(self) -> int:
        """The cents charged less those waived or uncollected."""
        return self.charged_cents - self.excused_cents

    @property
    def excused_cents(self) -> int:
        return self.waived_cents + self.uncollected_cents

    @property
    def box_cents(self) -> int:
        return self.stack_cents + self.cash_cents

    @property
    def taken_cents(self) -> int:
        return self.box_cents + self.cage_cents


@dataclass(frozen=True, slots=True)
class DownRow:
    down: Down
    sums: Sums


@dataclass(frozen=True, slots=True)
class SessionRows:
    """The downs of one session charged for on the day, in order."""

    session: TableSession
    downs: tuple[DownRow, ...]
    sums: Sums


@dataclass(frozen=True)
class DayCollections:
    """The collection of a gaming day; `late` are fees of closed days that were taken on this one. `waivers`,
    `uncollected` and `recoveries` are the day's, by number."""

    day: date
    sessions: tuple[SessionRows, ...]
    sums: Sums
    late: tuple[FeePayment, ...]
    waivers: tuple[Waiver, ...] = ()
    uncollected: tuple[Uncollected, ...] = ()
    recoveries: tuple[Recovery, ...] = ()

    @property
    def late_cents(self) -> int:
        return sum(paid.charge.cents for paid in self.late)

    @property
    def papers(self) -> int:
        """How many numbered papers tell of fees that were not simply taken."""
        return len(self.waivers) + len(self.uncollected) + len(self.recoveries)


@dataclass(frozen=True)
class Proof:
    """The tables' figures against the journal's, in cents: the same money by different code.

    `listed` is what tables charged, `late` taken for earlier days; `boxes` and `cage` are the journal's. For
    the day's own boxes, `fees` are all in them (`other_days` of other days) and `expected` their balance.
    `elsewhere` are the day's fees in other boxes."""

    listed: int
    late: int
    boxes: int
    cage: int
    waived: int
    uncollected: int
    due: int
    fees: int
    other_days: int
    elsewhere: int
    expected: int

    @property
    def adds_up(self) -> bool:
        """Whether every charge is in a box, at the cage, waived, uncollected or due."""
        not_taken = self.waived + self.uncollected + self.due
        return self.listed + self.late == self.boxes + self.cage + not_taken

    @property
    def boxes_hold_it(self) -> bool:
        """Whether the boxes' expected contents are exactly the fees put into them."""
        return self.expected == self.fees == self.in_own_boxes + self.other_days

    @property
    def in_own_boxes(self) -> int:
        """The day's fees, by the journal, in its own boxes."""
        return self.boxes - self.elsewhere


def collections_of(site: Any, day: date) -> DayCollections:
    """Return what was charged for a gaming day, and what it took. Seven queries."""
    by_session: defaultdict[int, list[DownRow]] = defaultdict(list)
    sums_of = _sums_on(site, day)
    for down in Down.objects.filter(pk__in=sums_of).order_by("number"):
        by_session[down.session_id].append(DownRow(down, sums_of[down.pk]))
    opened = TableSession.objects.filter(pk__in=by_session).select_related("table", "sheet", "rate")
    rows = tuple(
        SessionRows(session, tuple(by_session[session.pk]), _total(by_session[session.pk]))
        for session in opened.defer("sheet__raw").order_by("table__number", "opened_at", "pk")
    )
    late = _taken_on(site, day).filter(charge__gaming_day__lt=day, entry__reversed_by__isnull=True)
    late = late.exclude(method=Method.WAIVED)
    return DayCollections(
        day=day,
        sessions=rows,
        sums=_total(rows),
        late=tuple(_shown(late)),
        waivers=tuple(_of_day(Waiver, site, "reason", payment__entry__gaming_day=day)),
        uncollected=tuple(_of_day(Uncollected, site, "event__actor", gaming_day=day)),
        recoveries=tuple(_of_day(Recovery, site, "uncollected", payment__entry__gaming_day=day)),
    )


def _of_day(series: Any, site: Any, also: str, **found: Any) -> QuerySet[Any]:
    """Return a day's rows of one numbered series, each with its fee."""
    charge = "charge" if series is Uncollected else "payment__charge"
    names = ("down", "player", "session__table")
    rows: QuerySet[Any] = series.objects.filter(site=site, **found).select_related(
        also, *(f"{charge}__{n}" for n in names)
    )
    if series is Uncollected:
        paid = FeePayment.objects.select_related("entry__reversed_by", "recovery", "waiver")
        return rows.prefetch_related(Prefetch("charge__payments", paid)).order_by("number")
    return rows.select_related(
        "payment__entry__actor", "payment__entry__reversed_by__reversal_slip"
    ).order_by("number")


def _total(rows: Iterable[DownRow | SessionRows]) -> Sums:
    return sum((row.sums for row in rows), Sums())


def sums_by_shift(site: Any, day: date, starts: Sequence[datetime]) -> dict[int, Sums]:
    """Return a day's sums by the shift in which the fees were charged, of those that begin then."""
    ends = (When(charged_at__lt=end, then=number) for number, end in enumerate(starts[1:], start=1))
    return _sums_on(site, day, Case(*ends, default=len(starts)))


def _sums_on(site: Any, day: date, by: str | Case = "down") -> dict[int, Sums]:
    """Return a day's sums by down id, or by something else."""
    paid = FeePayment.of_charge()
    charges = Charge.objects.filter(session__table__site=site, gaming_day=day).annotate(
        paid_by=Subquery(paid.values("method")), paid_on=Subquery(paid.values("entry__gaming_day"))
    )
    charges = charges.exclude(pk__in=_not_owed(site, day, charges))
    not_uncollected = Q(uncollected__isnull=True) | Q(uncollected__gaming_day__gt=day)
    conditions = {
        **{rule: Q(rule=rule) for rule in ("full", "half", "covered")},
        **{method: Q(paid_on=day, paid_by=method) for method in (*WAYS, Method.WAIVED)},
        "due": _open_on(day) & not_uncollected,
        "uncollected": _open_on(day) & Q(uncollected__gaming_day__lte=day),
    }
    wanted = {
        f"sum_{f.name}": _aggregate(f.name, conditions[f.name.removesuffix("_cents")]) for f in fields(Sums)
    }
    sums = charges.order_by().values_list(by).annotate(**wanted)
    names = [name.removeprefix("sum_") for name in wanted]
    return {one: Sums(**dict(zip(names, figures, strict=True))) for one, *figures in sums}


def _not_owed(site: Any, day: date, charges: QuerySet[Charge]) -> list[int]:
    """Return those paid ahead, taken back and not owed (R61) when their day was closed."""
    ahead = list(charges.filter(_open_on(day), round__isnull=True))
    if not ahead:
        return []
    closed = site.closed_days.filter(gaming_day=day).values_list("closed_at", flat=True).first()
    return [charge.pk for charge in ahead if not charge.is_owed(closed)]


def _open_on(day: date) -> Q:
    """Return the condition that a charge with `paid_on` was open for the day's papers."""
    return Q(paid_on__isnull=True) | Q(paid_on__gt=day)


def _aggregate(name: str, condition: Q) -> Count | Coalesce:
    if name.endswith("_cents"):
        return Coalesce(Sum("cents", filter=condition), 0)
    return Count("pk", filter=condition)


def proof(collections: DayCollections, taken: Taken, boxes: Sequence[BoxRow]) -> Proof:
    """Compare a day's list with the journal and all boxes that have its fees."""
    day = collections.day
    own = [row for row in boxes if row.box.gaming_day == day]
    return Proof(
        listed=collections.sums.charged_cents,
        late=collections.late_cents,
        boxes=taken.in_boxes,
        cage=taken.cage,
        waived=collections.sums.waived_cents,
        uncollected=collections.sums.uncollected_cents,
        due=collections.sums.due_cents,
        fees=sum(row.collected for row in own),
        other_days=sum(cents for row in own for on, cents in row.fees.items() if on != day),
        elsewhere=sum(row.fees.get(day, 0) for row in boxes if row.box.gaming_day != day),
        expected=sum(row.expected for row in own),
    )


def collections_in(box_accounts: Iterable[int]) -> QuerySet[FeePayment]:
    """Return the fees put into these box accounts, in order, also those taken back."""
    into = FeePayment.objects.filter(entry__transfers__target__in=list(box_accounts))
    return _shown(into).select_related("entry__reversed_by__reversal_slip")


def receipts_of(site: Any, day: date) -> QuerySet[FeePayment]:
    return _shown(_taken_on(site, day).filter(method=Method.CAGE)).select_related("entry__receipt")


def fees_taken_at(session: TableSession) -> QuerySet[FeePayment]:
    """Return a table's fees taken or waived (R51), newest first, also those taken back."""
    every = FeePayment.objects.exclude(method=Method.COVERED)
    here = {
        payment
        for of in ("sitting", "charge")
        for payment in every.filter(**{f"{of}__session": session}).values_list("pk", flat=True)
    }
    found = FeePayment.objects.filter(pk__in=here)
    return _shown(found).select_related("entry__reversed_by__reversal_slip").order_by("-entry_id")


def _taken_on(site: Any, day: date) -> QuerySet[FeePayment]:
    return FeePayment.objects.filter(entry__site=site, entry__gaming_day=day)


def _shown(payments: QuerySet[FeePayment]) -> QuerySet[FeePayment]:
    of_charge = ("down", "player", "sitting", "session__table", "rate", "round")
    return payments.select_related(
        "entry__actor",
        "entry__reversed_by",
        "sitting__session__table",
        *(f"charge__{name}" for name in of_charge),
    ).order_by("entry_id")


def charges_of(down: Down) -> QuerySet[Charge]:
    """Return the charges of a down with how each was taken, by seat."""
    people = ("player", "sitting", "charged_by", "round", "rate", "uncollected")
    covers = ("sitting__covered_by__down", "sitting__covered_by__session__table")
    charges = down.charges.select_related(*people, *covers)
    paid = ("entry__actor", "recovery", "waiver__reason", "sitting__session__table")
    return charges.with_payments(*paid).order_by("sitting__seat", "pk")


@dataclass(frozen=True)
class OpenFee:
    """What one player owes at one table; `ahead`: the next round would take it."""

    session: TableSession
    sitting: Sitting
    fees: tuple[PlannedFee, ...]

    @property
    def cents(self) -> int:
        return sum(fee.cents for fee in self.fees)

    @property
    def ahead(self) -> bool:
        return self.sitting.left_at is None and all(fee.method for fee in self.fees)


def open_fees(site: Any, now: datetime) -> list[OpenFee]:
    """Return every fee that can be paid now, also of players who left (R51). A fixed number of queries."""
    left_open = Charge.objects.open().filter(pk__in=Uncollected.objects.values("charge")).values("session")
    owing = sessions().filter(Q(closed_at__isnull=True) | Q(pk__in=left_open), table__site=site)
    states = load_states(owing.defer("sheet__raw"))
    seated = {sitting.player_id for state in states for sitting in state.sittings}
    left_with_debt = {
        charge.sitting_id
        for state in states
        for charge in state.open_charges
        if charge.person not in seated and charge.is_owed()
    }
    gone = Sitting.objects.select_related("player", "stack").in_bulk(left_with_debt)
    return [fee for state in states for fee in _open_fees(state, gone, now)]


def _open_fees(state: TableState, gone: dict[int, Sitting], now: datetime) -> Iterable[OpenFee]:
    down, fresh = state.down_at(now), bool(state.downs_begun(now))
    for sitting in state.sittings:
        fees, _ = planned_fees(state, sitting, down, fresh_down=fresh)
        if sum(fee.cents for fee in fees):
            yield OpenFee(state.session, sitting, fees)
    # One line per debtor, under their last sitting here.
    last = {c.person: gone[c.sitting_id] for c in state.open_charges if c.sitting_id in gone}
    for sitting in last.values():
        fees, _ = planned_fees(state, sitting, None, fresh_down=False)
        yield OpenFee(state.session, sitting, fees)
