"""Cage slips to read, by denomination, and drawer sheets: what came into a cashier's drawer, what left it,
and the count. Nobody sees a count before the slip has ended, nor a sheet before the drawer is closed."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import Q, QuerySet

from ledger.chart import EVENTS, Asset, EntryKind
from ledger.models import CageSlip, CageSlipResult, Drawer, Site, Transfer
from ledger.rules.denominations import Compared, compared, pieces_of


@dataclass(frozen=True)
class SlipRow:
    """One cage slip; `result` is None while it waits for its second count."""

    slip: CageSlip
    result: CageSlipResult | None

    @property
    def state(self) -> str:
        return "Waits for the second count" if self.result is None else self.result.get_outcome_display()

    @property
    def outcome(self) -> str:
        return "" if self.result is None else str(self.result.outcome)

    @property
    def kind(self) -> str:
        return {"": "warn", "posted": "good", "differed": "bad", "withdrawn": ""}[self.outcome]

    @property
    def lines(self) -> list[Compared]:
        if self.result is None or self.outcome == "withdrawn":
            return []
        return list(compared(pieces_of(self.slip.pieces), pieces_of(self.result.pieces)))

    @property
    def over_chips(self) -> int:
        return 0 if self.result is None else self.result.chips_cents - self.slip.chips_cents

    @property
    def over_cash(self) -> int:
        return 0 if self.result is None else self.result.cash_cents - self.slip.cash_cents


def slips_of_day(site: Site, day: date) -> list[SlipRow]:
    return _rows(_slips().filter(site=site, gaming_day=day).order_by("number"))


def waiting(site: Site) -> list[SlipRow]:
    return _rows(_slips().filter(site=site, result__isnull=True).order_by("number"))


def first_is_due(site: Site) -> bool:
    """Return whether no slip was ever begun; a house begins by stocking its vault."""
    return not CageSlip.objects.filter(site=site, number=1).exists()


def slip_row(slip: CageSlip) -> SlipRow:
    return _rows(_slips().filter(pk=slip.pk))[0]


def _slips() -> QuerySet[CageSlip]:
    return CageSlip.objects.select_related("site", "counted_by", "result__person", "result__entry")


def _rows(slips: Iterable[CageSlip]) -> list[SlipRow]:
    return [SlipRow(slip, getattr(slip, "result", None)) for slip in slips]


_NOTHING = {Asset.CHIPS: 0, Asset.CASH: 0}


@dataclass(frozen=True)
class SheetLine:
    """The total of one kind of act, in cents into the drawer; below zero out of it."""

    title: str
    times: int
    chips: int
    cash: int


@dataclass(frozen=True)
class DrawerSheet:
    """A drawer; `lines`, `expected` and `counted` (cents by asset) are empty until it is closed."""

    drawer: Drawer
    slips: tuple[CageSlip, ...]
    lines: tuple[SheetLine, ...] = ()
    expected: dict[str, int] | None = None
    counted: dict[str, int] | None = None
    entry: int | None = None

    @property
    def closed(self) -> bool:
        return self.drawer.chips.closed_at is not None

    @property
    def over(self) -> dict[str, int]:
        """Counted minus expected, in cents by asset."""
        if self.expected is None or self.counted is None:
            return {}
        return {asset: self.counted[asset] - self.expected[asset] for asset in self.counted}

    @property
    def over_cents(self) -> int:
        return sum(self.over.values())


def sheet_of(drawer: Drawer) -> DrawerSheet:
    """Return the sheet of a drawer. Two queries, three once it is closed."""
    slips = tuple(drawer.slips.select_related("counted_by", "result__person", "result__entry").order_by("pk"))
    if drawer.chips.closed_at is None:
        return DrawerSheet(drawer, slips)
    (closing,) = (slip for slip in slips if slip.way == CageSlip.Way.CLOSING and _entry_of(slip) is not None)
    sums: dict[str, tuple[set[int], dict[Asset, int]]] = {}
    expected = dict(_NOTHING)
    for kind, entry, asset, cents in _moved(drawer):
        expected[asset] += cents
        entries, by_asset = sums.setdefault(kind, (set(), dict(_NOTHING)))
        entries.add(entry)
        by_asset[asset] += cents
    lines = (
        SheetLine(EVENTS[EntryKind(kind)].title, len(entries), of[Asset.CHIPS], of[Asset.CASH])
        for kind, (entries, of) in sums.items()
    )
    counted = {"chips": closing.chips_cents, "cash": closing.cash_cents}
    by_name = {asset.value: cents for asset, cents in expected.items()}
    return DrawerSheet(drawer, slips, tuple(lines), by_name, counted, _entry_of(closing))


def sheets_of(drawers: Iterable[Drawer]) -> list[DrawerSheet]:
    return [sheet_of(drawer) for drawer in drawers]


def _moved(drawer: Drawer) -> Iterable[tuple[str, int, Asset, int]]:
    """Yield kind, entry, asset and cents into the drawer of all it moved before the count that closed it."""
    accounts = (drawer.chips_id, drawer.cash_id)
    moved = Transfer.objects.filter(Q(source__in=accounts) | Q(target__in=accounts))
    before = moved.exclude(entry__kind=EntryKind.DRAWER_CLOSE).order_by("entry", "line")
    fields = ("entry__kind", "entry", "asset", "cents", "target")
    for kind, entry, asset, cents, target in before.values_list(*fields):
        yield kind, entry, Asset(asset), cents if target in accounts else -cents


def _entry_of(slip: CageSlip) -> int | None:
    return slip.result.entry_id if hasattr(slip, "result") else None
