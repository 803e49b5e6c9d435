"""The box log: what a gaming day's drop boxes should contain, what was counted, and who signed. Reads
only. Counted figures appear only once two counters have signed the count sheet. These rows are for signers
and auditors, never a counter."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Prefetch, Q, QuerySet, Sum

from ledger.cage.boxes import count_state, receipts, received_count
from ledger.chart import AccountKind, EntryKind
from ledger.models import Count, CountSheet, DropBox, DropSignOff, Site, Transfer
from ledger.rights import READ_BOOKS

STATES = {
    "installed": "At its table",
    "pulled": "Pulled, waiting to be counted",
    "counting": "One count entered",
    "recount": "Counters differ: being counted again",
    "agreed": "Counted, the count sheet is not signed yet",
    "handed": "Counted, waiting for the cashier's count",
    "counted": "Counted, waiting for sign-off",
    "signed": "Signed off",
}


@dataclass(frozen=True, slots=True)
class AssetLine:
    """One asset of a box in cents; `counted` is None until its count sheet is signed."""

    asset: str
    expected: int
    counted: int | None

    @property
    def difference(self) -> int | None:
        """Counted minus expected; negative if something is missing."""
        return None if self.counted is None else self.counted - self.expected


@dataclass(frozen=True)
class BoxRow:
    """One drop box by the books. `fees` are the cents in it by the gaming day they belong to."""

    box: DropBox
    state: str
    chips: AssetLine
    cash: AssetLine
    fees: Mapping[date, int]
    sign_off: DropSignOff | None

    @property
    def says(self) -> str:
        return STATES[self.state]

    @property
    def known(self) -> bool:
        """Whether two counters have signed its contents; the signer sees the expected amount only then."""
        return self.state in ("counted", "signed")

    @property
    def lines(self) -> tuple[AssetLine, AssetLine]:
        return self.chips, self.cash

    @property
    def expected(self) -> int:
        return self.chips.expected + self.cash.expected

    @property
    def counted(self) -> int | None:
        if self.chips.counted is None or self.cash.counted is None:
            return None
        return self.chips.counted + self.cash.counted

    @property
    def difference(self) -> int | None:
        return None if self.counted is None else self.counted - self.expected

    @property
    def differs(self) -> bool:
        """Whether chips or cash differ, even if the differences cancel out."""
        return any(line.difference for line in self.lines)

    @property
    def collected(self) -> int:
        return sum(self.fees.values())

    @property
    def sheet(self) -> CountSheet | None:
        return next((count.sheet for count in self.box.counts.all()), None)

    @property
    def counters(self) -> list[Any]:
        counts = self.box.counts.all()
        last = max((count.attempt for count in counts), default=0)
        return [count.counter for count in counts if count.attempt == last]


def may_be_told(rows: Iterable[BoxRow], person: Any) -> bool:
    """Return whether a person sees what the books expect in these boxes, or anything that adds up to it:
    readers of the books do, others once all of them are counted."""
    return person.has_perm(READ_BOOKS) or all(row.known for row in rows)


@dataclass(frozen=True)
class Taken:
    """Fees collected for one gaming day by the journal, in cents: into each box (by id), and at the cage."""

    boxes: Mapping[int, int]
    cage: int

    @property
    def in_boxes(self) -> int:
        return sum(self.boxes.values())


def boxes_of_day(site: Site, day: date) -> list[BoxRow]:
    """Return the boxes installed on a gaming day or containing its fees, by number."""
    collected = _collections(entry__site=site, entry__gaming_day=day)
    places = list(collected.order_by().values_list("target", flat=True).distinct())
    of_day = DropBox.objects.filter(site=site, gaming_day=day).values_list("pk", flat=True)
    with_fees = DropBox.objects.filter(Q(chips__in=places) | Q(cash__in=places)).values_list("pk", flat=True)
    return _rows(_boxes().filter(pk__in={*of_day, *with_fees}).order_by("number"))


def box_row(box_id: int) -> BoxRow | None:
    return next(iter(_rows(_boxes().filter(pk=box_id))), None)


def boxes_with(accounts: Iterable[int]) -> list[BoxRow]:
    """Return the boxes that these accounts belong to, by number. A constant number of queries."""
    accounts = list(accounts)
    return _rows(_boxes().filter(Q(chips__in=accounts) | Q(cash__in=accounts)).order_by("number"))


def taken_on(site: Site, day: date) -> Taken:
    boxes: dict[int, int] = {}
    cage = 0
    sums = (
        _collections(entry__site=site, entry__gaming_day=day)
        .values_list("target", "target__kind")
        .annotate(sum=Sum("cents"))
    )
    for account, kind, cents in sums.order_by("target"):
        if kind == AccountKind.DRAWER:
            cage += cents
        else:
            boxes[account] = cents
    return Taken(boxes, cage)


def _collections(**where: Any) -> QuerySet[Transfer]:
    return Transfer.objects.filter(entry__kind=EntryKind.COLLECTION, entry__reversed_by__isnull=True, **where)


def _boxes() -> QuerySet[DropBox]:
    signed = ("sign_off__signed_by", "sign_off__signed_with", "sign_off__entry")
    people = ("installed_by", "pulled_by", "pulled_with", *signed)
    counts = Prefetch(
        "counts", Count.objects.select_related("counter", "sheet__signature", "sheet__receipt").order_by("pk")
    )
    return DropBox.objects.select_related("site", "chips", "cash", *people).prefetch_related(
        counts, receipts()
    )


def _rows(boxes: Iterable[DropBox]) -> list[BoxRow]:
    boxes = list(boxes)
    owner = {account: box.pk for box in boxes for account in (box.chips_id, box.cash_id)}
    fees: defaultdict[int, dict[date, int]] = defaultdict(dict)
    sums = (
        _collections(target__in=owner).values_list("target", "entry__gaming_day").annotate(sum=Sum("cents"))
    )
    for account, day, cents in sums.order_by("target", "entry__gaming_day"):
        of_box = fees[owner[account]]
        of_box[day] = of_box.get(day, 0) + cents
    return [_row(box, fees[box.pk]) for box in boxes]


def _row(box: DropBox, fees: Mapping[date, int]) -> BoxRow:
    signed: DropSignOff | None = getattr(box, "sign_off", None)
    if signed is not None:
        state = "signed"
        chips = AssetLine("chips", signed.expected_chips, signed.counted_chips)
        cash = AssetLine("cash", signed.expected_cash, signed.counted_cash)
    else:
        state = _state(box)
        in_chips, in_cash = (received_count(box) if state == "counted" else None) or (None, None)
        chips = AssetLine("chips", box.chips.balance_cents, in_chips)
        cash = AssetLine("cash", box.cash.balance_cents, in_cash)
    return BoxRow(box, state, chips, cash, fees, signed)


def _state(box: DropBox) -> str:
    state = count_state(box, signed=False)
    if not state.pulled:
        return "installed"
    if state.agreed:
        sheet = next(count.sheet for count in box.counts.all())
        if getattr(sheet, "signature", None) is None:
            return "agreed"
        waits = sheet.to_cashier and getattr(sheet, "receipt", None) is None
        return "handed" if waits else "counted"
    if state.again:
        return "recount"
    return "counting" if state.counted_by else "pulled"
