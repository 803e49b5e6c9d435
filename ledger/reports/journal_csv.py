"""A gaming day's journal, staff and closing balances as CSV, byte for byte as in an export of the day.
Reads only. The lines are made from audit records by the export's own code (`ledger.papers`), in the
order of the log; unsealed records come last, in the order in which they will be sealed."""

import json
from collections.abc import Generator
from datetime import date
from typing import Any

from django.db.models import F, Max, Q, QuerySet

from ledger.db import snapshots
from ledger.journal.particulars import offsets_until
from ledger.journal.records import ENTRY
from ledger.models import AuditRecord, ClosedDay, HouseEvent, JournalEntry
from ledger.papers.books import ClosingBalancesPaper, JournalLines, JournalPaper, StaffPaper, closing_lines
from ledger.papers.paper import PaperSource
from ledger.records.canonical import body_of

ROWS_AT_A_TIME = 500
"""Entries per block: enough to keep the database busy, few enough for memory."""
COLUMNS = JournalPaper.columns


def blocks(site: Any, day: date) -> Generator[bytes, None, None]:
    """Yield the journal as blocks of UTF-8: the header (COLUMNS), then a line per transfer and per entry
    without any. The blocks are read from one state of the database."""
    yield JournalPaper.header()
    with snapshots.connected() as connection:
        entries = JournalEntry.objects.using(connection.alias).filter(site=site, gaming_day=day)
        until = entries.aggregate(until=Max("recorded_at"))["until"]
        if until is None:
            return
        journal = JournalLines(offsets_until(site, until))
        every = AuditRecord.objects.using(connection.alias)
        ordered = in_order(every.filter(kind=ENTRY, subject__in=entries.values("pk")))
        numbers = list(ordered.values_list("pk", flat=True))
        for begin in range(0, len(numbers), ROWS_AT_A_TIME):
            some = numbers[begin : begin + ROWS_AT_A_TIME]
            texts = dict(every.filter(pk__in=some).values_list("pk", "text"))
            yield b"".join(line for number in some for line in journal.of(body_of(texts[number])))


def staff_blocks(site: Any, day: date) -> Generator[bytes, None, None]:
    """Yield the staff register as blocks of UTF-8: a header, then a line for each fact about somebody, up to
    the day's closing, or now if it is open."""
    staff = StaffPaper(PaperSource())
    yield StaffPaper.header()
    with snapshots.connected() as connection:
        every = in_order(AuditRecord.objects.using(connection.alias))
        closings = ClosedDay.objects.filter(site=site, gaming_day__gte=day)
        closing = every.filter(kind="closed_day", subject__in=closings.values("pk"))
        changes = HouseEvent.objects.filter(site=site, kind=HouseEvent.Kind.STAFF_CHANGED)
        records = every.filter(kind="house_event", subject__in=changes.values("pk"))
        for record, leaf in closing.values_list("pk", "leaf__number")[:1]:
            sealed = Q(leaf__isnull=False)
            records = records.filter(sealed | Q(pk__lt=record) if leaf is None else Q(leaf__number__lt=leaf))
        for text in records.values_list("text", flat=True):
            staff.earlier(body_of(text))
    yield b"".join(staff.finish())


def closing_blocks(closed: ClosedDay) -> Generator[bytes, None, None]:
    """Yield a closed day's balances as blocks of UTF-8: the header, then the lines of its record."""
    yield ClosingBalancesPaper.header()
    body = {"gaming_day": closed.gaming_day.isoformat(), "balances": json.loads(closed.balances)}
    yield b"".join(closing_lines(body))


def in_order(records: QuerySet[AuditRecord]) -> QuerySet[AuditRecord]:
    return records.order_by(F("leaf__number").asc(nulls_last=True), "pk")
