"""The books on paper: the journal of a gaming day as JSON lines, and the trial balance at any moment. Reads only.

The journal streams in constant memory with a constant number of queries, however long the day was.
"""

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.db.models import BigIntegerField, Count, F, OuterRef, Q, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from ledger import balances
from ledger.chart import Asset
from ledger.models import Account, JournalEntry, Transfer
from ledger.money import amount_text

ROWS_AT_A_TIME = 2000
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


_ENTRY_FIELDS = (
    *("pk", "kind", "gaming_day", "occurred_at", "recorded_at", "actor__username", "approver__username"),
    *("terminal", "reason", "reverses_id", "key"),
)
_TRANSFER_FIELDS = (
    "line",
    "source__kind",
    "source__label",
    "target__kind",
    "target__label",
    "asset",
    "cents",
)


class Amount(int):
    """Cents in a row that becomes CSV, where they stand as `45.00` or `-7.50`."""


def table_lines(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """A table as lines of CSV: first its heads, then a line per row. Text that a spreadsheet would run is kept text."""
    writer = csv.writer(Passing(), lineterminator="\r\n")
    yield writer.writerow(heads)
    for row in rows:
        yield writer.writerow([cell(value) for value in row])


def jsonl_lines(site, day: date | None) -> Iterator[str]:
    """The journal of a day as JSON lines: one object per entry, with its transfers and evidence."""
    for entry in _journal_objects(site, day):
        yield json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"


def write_jsonl(site, day: date | None, out) -> int:
    """Write the journal of a day as JSON lines to a text file; how many entries."""
    count = 0
    for count, line in enumerate(jsonl_lines(site, day), start=1):  # noqa: B007 (the count is what is returned)
        out.write(line)
    return count


def day_totals(site, day: date) -> list[KindTotals]:
    """What the journal of a day adds up to, by kind of entry, as a check of what was written elsewhere. Three queries."""
    by_kind = _entries(site, day).order_by().values_list("kind").annotate(count=Count("pk"))
    entries = dict(by_kind)
    bare = dict(by_kind.filter(transfers__isnull=True))
    moved = {
        (kind, asset): (count, cents)
        for kind, asset, count, cents in Transfer.objects.filter(entry__in=_entries(site, day))
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


def days_with_entries(site, most: int) -> list[tuple[date, int]]:
    """The newest gaming days that have entries, each with how many. One query."""
    days = JournalEntry.objects.filter(site=site).order_by().values_list("gaming_day")
    return list(days.annotate(count=Count("pk")).order_by("-gaming_day")[:most])


def trial_balance(site, at: datetime | None = None) -> list[AccountRow]:
    """Every account that was open or held something at a moment, by asset and kind; the rows of an asset add up to zero.

    Now (None) the balances are the stored ones. For a moment they are what the transfers recorded up to and including it
    add up to, whatever is stored. One query.
    """
    accounts = Account.objects.filter(site=site).order_by("asset", "kind", "pk")
    if at is None:
        held, open_then = F("balance_cents"), Q(closed_at__isnull=True)
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
    cells = [(at, row.account, row.kind, row.label, row.asset, Amount(row.balance_cents)) for row in rows]
    for asset, cents in sums_of(rows).items():
        cells.append((at, "", "together", "", asset, Amount(cents)))
    return table_lines(("at", "account", "kind", "label", "asset", "balance"), cells)


def sums_of(rows: Iterable[AccountRow]) -> dict[str, int]:
    """Asset -> what the rows of a trial balance add up to, in cents: zero for each."""
    sums = {asset.value: 0 for asset in Asset}
    for row in rows:
        sums[row.asset] += row.balance_cents
    return sums


def asset_sums(site) -> dict[str, int]:
    """Asset -> sum of all balances in cents: zero, always."""
    return balances.asset_sums(site)


class Passing:
    """A file that keeps nothing: `write` gives back what a csv.writer wrote, and so does its `writerow`."""

    def write(self, line: str) -> str:
        return line


def _entries(site, day: date | None):
    entries = JournalEntry.objects.filter(site=site)
    return entries if day is None else entries.filter(gaming_day=day)


def _journal_objects(site, day: date | None) -> Iterator[dict]:
    """Two streams side by side, both in order of the entry: entries with their evidence, and all their transfers.

    An entry and its transfers are committed together, so the second stream, which is opened later, holds every transfer
    of an entry that the first one shows. What it holds beyond that came in between and is left out.
    """
    entries = _entries(site, day).order_by("pk").values_list(*_ENTRY_FIELDS, "content_hash", "evidence")
    entry_stream = entries.iterator(ROWS_AT_A_TIME)
    first = next(entry_stream, None)
    transfers = Transfer.objects.filter(entry__in=_entries(site, day)).order_by("entry_id", "line")
    transfer_stream = transfers.values_list("entry_id", *_TRANSFER_FIELDS).iterator(ROWS_AT_A_TIME)
    waiting = next(transfer_stream, None)
    for entry in _with_first(first, entry_stream):
        lines = []
        while waiting is not None and waiting[0] <= entry[0]:
            if waiting[0] == entry[0]:
                lines.append(_transfer_object(waiting))
            waiting = next(transfer_stream, None)
        yield _entry_object(entry, lines)


def _with_first(first, rest: Iterable) -> Iterator:
    if first is not None:
        yield first
        yield from rest


def _transfer_object(row) -> dict:
    _, line, source_kind, source, target_kind, target, asset, cents = row
    return {
        "line": line,
        "source": {"kind": source_kind, "label": source},
        "target": {"kind": target_kind, "label": target},
        "asset": asset,
        "amount": amount_text(cents),
    }


def _entry_object(row, transfers: list[dict]) -> dict:
    pk, kind, on, at, recorded, actor, approver, terminal, reason, reverses, key, content_hash, evidence = row
    return {
        "entry": pk,
        "kind": kind,
        "gaming_day": on.isoformat(),
        "occurred_at": _time(at),
        "recorded_at": _time(recorded),
        "actor": actor,
        "approver": approver,
        "terminal": terminal,
        "reason": reason,
        "reverses": reverses,
        "key": key,
        "content_hash": content_hash,
        "transfers": transfers,
        "evidence": json.loads(evidence),
    }


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def cell(value) -> str:
    """Text of a cell. What a spreadsheet would take for a formula gets a ' first, unless it is an amount."""
    if value is None:
        return ""
    if isinstance(value, Amount):
        return amount_text(value)
    if isinstance(value, datetime):
        return _time(value)
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else text
