"""The trial balance and the totals of a gaming day."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain
from typing import Any

from django.db.models import Count, Q, Sum

from ledger.chart import Asset
from ledger.journal.balances import balances_at
from ledger.models import Account, ClosedDay, JournalEntry, Site, Transfer
from ledger.money import amount_text
from ledger.papers import cells as csv_cells
from ledger.reports.journal_jsonl import entries_on, time_text


@dataclass(frozen=True)
class AccountRow:
    """One account in the trial balance; only MAY_BE_NEGATIVE of the chart may be below zero."""

    account: int
    kind: str
    label: str
    asset: str
    balance_cents: int


@dataclass(frozen=True)
class KindTotals:
    """A day's totals for one kind of entry: entries (JSON lines), rows (CSV), and cents moved by asset."""

    kind: str
    entries: int
    rows: int
    chips_cents: int
    cash_cents: int


class Amount(int):
    """Cents that CSV shows as `45.00` or `-7.50`."""


def table_lines(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Yield a table as CSV: the header, then the rows. Text like a formula is escaped."""
    for cells in chain((heads,), (map(cell, row) for row in rows)):
        yield csv_cells.line_of(tuple(cells)).decode()


def day_totals(site: Site, day: date) -> list[KindTotals]:
    """Return a day's journal totals by kind of entry, to check other reports with. Three queries."""
    by_kind = entries_on(site, day).order_by().values_list("kind").annotate(count=Count("pk"))
    entries = dict(by_kind)
    bare = dict(by_kind.filter(transfers__isnull=True))
    moved = {
        (kind, asset): (count, cents)
        for kind, asset, count, cents in Transfer.objects.filter(entry__in=entries_on(site, day))
        .values_list("entry__kind", "asset")
        .annotate(count=Count("pk"), cents=Sum("cents"))
        .order_by("entry__kind", "asset")
    }
    none = (0, 0)
    return [
        KindTotals(
            kind=kind,
            entries=entries[kind],
            rows=bare.get(kind, 0) + sum(moved.get((kind, asset), none)[0] for asset in Asset),
            chips_cents=moved.get((kind, Asset.CHIPS), none)[1],
            cash_cents=moved.get((kind, Asset.CASH), none)[1],
        )
        for kind in sorted(entries)
    ]


def days_with_entries(site: Site, most: int) -> list[tuple[date, int]]:
    """Return the newest gaming days with their numbers of entries. Three queries."""
    closed = ClosedDay.objects.filter(site=site).order_by("-gaming_day")
    entries = JournalEntry.objects.filter(site=site)
    for last in closed.values_list("gaming_day", flat=True)[:1]:
        entries = entries.filter(gaming_day__gt=last)
    days = entries.order_by().values_list("gaming_day").annotate(count=Count("pk")).order_by("-gaming_day")
    counted = closed.filter(entries__gt=0).values_list("gaming_day", "entries")
    return [*days[:most], *counted[:most]][:most]


def trial_balance(site: Site, at: datetime | None = None) -> list[AccountRow]:
    """Return every account that was open or had a balance at a moment, by asset and kind; each asset adds up
    to zero. Without `at`, the balances are the stored ones; with it, those of the last closed day before plus
    what was recorded since, up to and including that moment. One query, or nine."""
    accounts = Account.objects.filter(site=site).order_by("asset", "kind", "pk")
    columns = ("pk", "kind", "label", "asset")
    if at is None:
        found = accounts.filter(closed_at__isnull=True)  # a closed account is empty
        return [AccountRow(*row) for row in found.values_list(*columns, "balance_cents")]
    held = balances_at(site, at)
    opened = Account.objects.filter(Q(opened_at__isnull=True) | Q(opened_at__lte=at))
    # By what is few, each by itself: with OR or with the house, a year's accounts would be read.
    wanted = (Q(closed_at__isnull=True, site=site), Q(closed_at__gt=at))
    shown = {pk for where in wanted for pk in opened.filter(where).values_list("pk", flat=True)}
    rows = Account.objects.filter(pk__in=shown | held.keys()).values_list("site", *columns)
    own = [row for of, *row in rows if of == site.pk]
    shown_rows = (AccountRow(pk, kind, label, asset, held.get(pk, 0)) for pk, kind, label, asset in own)
    return sorted(shown_rows, key=lambda row: (row.asset, row.kind, row.account))


def trial_balance_lines(rows: Iterable[AccountRow], at: datetime) -> Iterator[str]:
    rows = list(rows)
    cells: list[tuple[Any, ...]] = [
        (at, row.account, row.kind, row.label, row.asset, Amount(row.balance_cents)) for row in rows
    ]
    for asset, cents in sums_of(rows).items():
        cells.append((at, "", "together", "", asset, Amount(cents)))
    return table_lines(("at", "account", "kind", "label", "asset", "balance"), cells)


def sums_of(rows: Iterable[AccountRow]) -> dict[str, int]:
    """Return asset -> sum of a trial balance's rows, in cents: zero for each."""
    sums = {asset.value: 0 for asset in Asset}
    for row in rows:
        sums[row.asset] += row.balance_cents
    return sums


def cell(value: Any) -> str:
    """Return the text of a cell. Text like a formula gets a ' in front; amounts do not."""
    if isinstance(value, Amount):
        return amount_text(value)
    if isinstance(value, datetime):
        return time_text(value)
    return csv_cells.cell(None if value is None else str(value))
