"""The journal as JSON lines, one entry per line."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import chain
from typing import Any

from django.db.models import QuerySet

from ledger.journal.records import evidence_in
from ledger.models import JournalEntry, Site, Transfer, record_of
from ledger.money import amount_text

ROWS_AT_A_TIME = 2000

Row = tuple[Any, ...]

_ENTRY = {
    "entry": "pk",
    "kind": "kind",
    "gaming_day": "gaming_day",
    "occurred_at": "occurred_at",
    "recorded_at": "recorded_at",
    "actor": "actor__username",
    "approver": "approver__username",
    "terminal": "terminal",
    "reason": "reason",
    "reverses": "reverses_id",
    "key": "key",
    "content_hash": "content_hash",
}
"""The fields of an entry and their columns."""
_TRANSFER = ("line", "source__kind", "source__label", "target__kind", "target__label", "asset", "cents")


def jsonl_lines(site: Site, day: date) -> Iterator[str]:
    """Yield the journal of a day as JSON lines: one object per entry, with its transfers and evidence."""
    for entry in _journal_objects(site, day):
        yield json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"


def entries_on(site: Site, day: date) -> QuerySet[JournalEntry]:
    return JournalEntry.objects.filter(site=site, gaming_day=day)


def _journal_objects(site: Site, day: date) -> Iterator[dict[str, Any]]:
    """Merge two streams, both in order of the entry: entries with their evidence, and all their transfers. An
    entry and its transfers are committed together, so the second stream, opened later, contains every
    transfer of the entries in the first. Transfers of entries committed in between are skipped."""
    entries = entries_on(site, day).order_by("pk").values_list(*_ENTRY.values(), record_of("pk"))
    entry_stream = entries.iterator(ROWS_AT_A_TIME)
    if (first := next(entry_stream, None)) is None:
        return
    transfers = Transfer.objects.filter(entry__in=entries_on(site, day)).order_by("entry_id", "line")
    transfer_stream = transfers.values_list("entry_id", *_TRANSFER).iterator(ROWS_AT_A_TIME)
    waiting = next(transfer_stream, None)
    for entry in chain((first,), entry_stream):
        lines = []
        while waiting is not None and waiting[0] <= entry[0]:
            if waiting[0] == entry[0]:
                lines.append(_transfer_object(waiting))
            waiting = next(transfer_stream, None)
        yield _entry_object(entry, lines)


def _transfer_object(row: Row) -> dict[str, Any]:
    _, line, source_kind, source, target_kind, target, asset, cents = row
    return {
        "line": line,
        "source": {"kind": source_kind, "label": source},
        "target": {"kind": target_kind, "label": target},
        "asset": asset,
        "amount": amount_text(cents),
    }


def _entry_object(row: Row, transfers: list[dict[str, Any]]) -> dict[str, Any]:
    *values, record = row
    entry = dict(zip(_ENTRY, values, strict=True))
    entry["gaming_day"] = entry["gaming_day"].isoformat()
    for name in ("occurred_at", "recorded_at"):
        entry[name] = time_text(entry[name])
    return {**entry, "transfers": transfers, "evidence": evidence_in(record)}


def time_text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
