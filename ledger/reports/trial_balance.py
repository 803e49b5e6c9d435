"""The trial balance and the totals of a gaming day."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import BigIntegerField, Count, F, OuterRef, Q, Subquery, Sum, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce

from ledger.chart import Asset
from ledger.journal import balances
from ledger.models import Account, JournalEntry, Site, Transfer
from ledger.money import amount_text
from ledger.reports.journal_jsonl import Passing, entries_on, time_text

"""Rows fetched at once: enough to keep the database busy, little enough to hold."""


@dataclass(frozen=True)
class AccountRow:
    """One account in the trial balance; cents may be negative for outside and over/short alone."""

    account: int
    kind: str
    label: str
    asset: str
    balance_cents: int


@dataclass(frozen=True)
class KindTotals:
    """How many entries of one kind a day has (lines of JSON), how many rows (of CSV), and the cents moved by asset."""

    kind: str
    entries: int
    rows: int
    chips_cents: int
    cash_cents: int


class Amount(int):
    """Cents in a row that becomes CSV, where they stand as `45.00` or `-7.50`."""


def table_lines(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """A table as lines of CSV: first its heads, then a line per row. Text that a spreadsheet would run is kept text."""
    writer = csv.writer(Passing(), lineterminator="\r\n")
    yield writer.writerow(heads)
    for row in rows:
        yield writer.writerow([cell(value) for value in row])


def day_totals(site: Site, day: date) -> list[KindTotals]:
    """What the journal of a day adds up to, by kind of entry, as a check of what was written elsewhere. Three queries."""
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
    """The newest gaming days that have entries, each with how many. One query."""
    days = JournalEntry.objects.filter(site=site).order_by().values_list("gaming_day")
    return list(days.annotate(count=Count("pk")).order_by("-gaming_day")[:most])


def trial_balance(site: Site, at: datetime | None = None) -> list[AccountRow]:
    """Every account that was open or held something at a moment, by asset and kind; the rows of an asset add up to zero.

    Now (None) the balances are the stored ones. For a moment they are what the transfers recorded up to and including it
    add up to, whatever is stored. One query.
    """
    accounts = Account.objects.filter(site=site).order_by("asset", "kind", "pk")
    if at is None:
        held: F | CombinedExpression = F("balance_cents")
        open_then = Q(closed_at__isnull=True)
    else:
        held = _recorded("target", at) - _recorded("source", at)
        opened = Q(opened_at__isnull=True) | Q(opened_at__lte=at)
        open_then = opened & (Q(closed_at__isnull=True) | Q(closed_at__gt=at))
    found = accounts.annotate(held=held).filter(open_then | ~Q(held=0))
    return [AccountRow(*row) for row in found.values_list("pk", "kind", "label", "asset", "held")]


def _recorded(end: str, at: datetime) -> Coalesce:
    moved = Transfer.objects.filter(**{end: OuterRef("pk")}, entry__recorded_at__lte=at).order_by()
    sums = moved.values(end).annotate(sum=Sum("cents")).values("sum")
    return Coalesce(Subquery(sums), Value(0), output_field=BigIntegerField())


def trial_balance_lines(rows: Iterable[AccountRow], at: datetime) -> Iterator[str]:
    """A trial balance as lines of CSV: an account a row, then what each asset adds up to."""
    rows = list(rows)
    cells: list[tuple[Any, ...]] = [
        (at, row.account, row.kind, row.label, row.asset, Amount(row.balance_cents)) for row in rows
    ]
    for asset, cents in sums_of(rows).items():
        cells.append((at, "", "together", "", asset, Amount(cents)))
    return table_lines(("at", "account", "kind", "label", "asset", "balance"), cells)


def sums_of(rows: Iterable[AccountRow]) -> dict[str, int]:
    """Asset -> what the rows of a trial balance add up to, in cents: zero for each."""
    sums = {asset.value: 0 for asset in Asset}
    for row in rows:
        sums[row.asset] += row.balance_cents
    return sums


def asset_sums(site: Site) -> dict[str, int]:
    """Asset -> sum of all balances in cents: zero, always."""
    return balances.asset_sums(site)


def cell(value: Any) -> str:
    """Text of a cell. What a spreadsheet would take for a formula gets a ' first, unless it is an amount."""
    if value is None:
        return ""
    if isinstance(value, Amount):
        return amount_text(value)
    if isinstance(value, datetime):
        return time_text(value)
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else text
