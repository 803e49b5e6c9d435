"""The differences between counts of tables' banks, cashiers' drawers and the vault and the books, and who
signed them off; and the banks that nobody has counted. Reads only. Cents are counted minus expected: for
signers and auditors, never for people who count."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q

from ledger.chart import TITLES, AccountKind, Asset, EntryKind
from ledger.models import Account, BankSignOff, Drawer, JournalEntry, Site, Transfer, record_of
from ledger.rules.bank_signing import BANKS, barred_by


@dataclass(frozen=True)
class BankDifference:
    """One table's bank, one drawer, or the vault, whose count differed from the books; `place` is its kind of
    account, `session` the table's. `barred` are the ids of those who may not sign it off: the two who
    counted, and a drawer's cashier."""

    entry: JournalEntry
    title: str
    place: AccountKind
    session: int | None
    chips_cents: int
    cash_cents: int
    barred: tuple[int, ...]
    signed: BankSignOff | None

    def __str__(self) -> str:
        if self.place == AccountKind.DRAWER:
            return self.title
        title = self.title[0].lower() + self.title[1:]
        return f"the {title}"

    @property
    def cents(self) -> int:
        return self.chips_cents + self.cash_cents

    @property
    def open(self) -> bool:
        return self.signed is None


def bank_differences(site: Site, **dated: Any) -> list[BankDifference]:
    """Return the differences of entries with such dates (`gaming_day=...`), in order. Two queries, and one
    for the evidence of each, of a drawer two."""
    lines = Transfer.objects.filter(
        Q(source__kind=AccountKind.OVER_SHORT) | Q(target__kind=AccountKind.OVER_SHORT),
        entry__site=site,
        entry__kind__in=sorted(BANKS),
        **{f"entry__{name}": value for name, value in dated.items()},
    )
    entries = JournalEntry.objects.filter(pk__in=lines.values("entry"))
    return _of(entries.select_related("actor").order_by("pk"))


def counts_of_banks(site: Site, day: date, **more: Any) -> list[tuple[datetime, dict[str, Any]]]:
    """Return when tables' banks were counted from this gaming day on, and the evidence. One query."""
    counts = JournalEntry.objects.filter(site=site, kind=EntryKind.BANK_COUNT, gaming_day__gte=day, **more)
    counts = counts.annotate(record_text=record_of("pk")).order_by("gaming_day", "pk")
    return [(one.recorded_at, json.loads(one.evidence)) for one in counts]


def uncounted_banks(site: Site, day: date) -> tuple[Account, ...]:
    """Return the banks of open tables, by their chips, that nobody has counted on an open gaming day or
    later. A bank that nothing has moved by then is empty and left out. Two queries at most."""
    moves = Transfer.objects.filter(Q(source=OuterRef("pk")) | Q(target=OuterRef("pk")))
    banks = Account.objects.filter(site=site, kind=AccountKind.TABLE_BANK, closed_at__isnull=True)
    open_ = list(banks.annotate(moved=Exists(moves.filter(entry__gaming_day__lte=day))).order_by("pk"))
    places = {one.label: one.opened_at for one in open_ if one.moved}
    for at, counted in counts_of_banks(site, day) if places else ():
        place = f"Table {counted['table']}"
        if at >= (places.get(place) or at):
            places.pop(place, None)
    return tuple(one for one in open_ if one.asset == Asset.CHIPS and one.label in places)


def difference_of(entry_id: int, site: Site) -> BankDifference | None:
    return next(iter(bank_differences(site, pk=entry_id)), None)


def _of(entries: Iterable[JournalEntry]) -> list[BankDifference]:
    entries = list(entries)
    signed = {
        one.entry_id: one
        for one in BankSignOff.objects.filter(entry__in=entries).select_related("signed_by", "signed_with")
    }
    return [_difference(entry, signed.get(entry.pk)) for entry in entries]


def _difference(entry: JournalEntry, signed: BankSignOff | None) -> BankDifference:
    evidence = json.loads(entry.evidence)
    over = dict.fromkeys(Asset, 0)
    lines = entry.transfers.values_list("asset", "cents", "source__kind", "target__kind")
    cashiers = Drawer.objects.filter(pk=evidence.get("drawer")).values_list("cashier", flat=True)
    for asset, cents, source, target in lines:
        over[Asset(asset)] += cents * (source == AccountKind.OVER_SHORT)
        over[Asset(asset)] -= cents * (target == AccountKind.OVER_SHORT)
    return BankDifference(
        entry=entry,
        title=_title(entry.kind, evidence),
        place=BANKS[EntryKind(entry.kind)],
        session=evidence.get("session"),
        chips_cents=over[Asset.CHIPS],
        cash_cents=over[Asset.CASH],
        barred=barred_by(evidence, cashiers.first()),
        signed=signed,
    )


def _title(kind: str, evidence: dict[str, Any]) -> str:
    match kind:
        case EntryKind.BANK_COUNT:
            return f"Bank of table {evidence['table']}"
        case EntryKind.DRAWER_CLOSE:
            return f"Drawer {evidence['drawer_number']}"
    return TITLES[BANKS[EntryKind(kind)]]
