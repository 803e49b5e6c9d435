"""The papers of custody of a closed day as CSV, byte for byte as in an export of the day. Reads only."""

from collections.abc import Generator
from typing import Any

from django.db.models import Q, QuerySet

from ledger.chart import EntryKind
from ledger.db import snapshots
from ledger.journal.particulars import offsets_until
from ledger.journal.records import ENTRY
from ledger.models import (
    AuditRecord,
    BankSignOff,
    CageSlip,
    ClosedDay,
    Document,
    DocumentStep,
    Drawer,
    JournalEntry,
    Transfer,
)
from ledger.papers.custody import DocumentsPaper, DrawersPaper, OverShortPaper
from ledger.papers.paper import Paper, PaperSource
from ledger.records.canonical import body_of
from ledger.reports.journal_csv import in_order
from ledger.rules.bank_signing import BANKS


def document_blocks(closed: ClosedDay) -> Generator[bytes, None, None]:
    """Yield the steps of the documents that were begun on the day as blocks of UTF-8."""
    begun = Document.objects.filter(site=closed.site_id, gaming_day=closed.gaming_day)
    steps = DocumentStep.objects.filter(document__in=begun)
    of_day = _of("document", begun) | _of("document_step", steps)
    source = PaperSource(offsets=offsets_until(closed.site, closed.closed_at))
    return _blocks(DocumentsPaper(source), of_day)


def drawer_blocks(closed: ClosedDay) -> Generator[bytes, None, None]:
    """Yield the drawers that were opened on the day, what they came to, as blocks of UTF-8."""
    opened = Drawer.objects.filter(site=closed.site_id, gaming_day=closed.gaming_day)
    accounts = [account for drawer in opened for account in (drawer.chips_id, drawer.cash_id)]
    moved = Transfer.objects.filter(Q(source__in=accounts) | Q(target__in=accounts))
    slips = CageSlip.objects.filter(drawer__in=opened, result__entry__isnull=False)
    closings = JournalEntry.objects.filter(pk__in=slips.values("result__entry"))
    entries = JournalEntry.objects.filter(pk__in=moved.values("entry"))
    of_day = _of("drawer", opened) | _of(ENTRY, entries) | _of(ENTRY, closings)
    return _blocks(DrawersPaper(PaperSource()), of_day)


def over_short_blocks(closed: ClosedDay) -> Generator[bytes, None, None]:
    """Yield what was counted against the books on the day, and its sums, as blocks of UTF-8."""
    counted = JournalEntry.objects.filter(
        site=closed.site_id,
        gaming_day=closed.gaming_day,
        kind__in=(EntryKind.DROP, *sorted(BANKS), EntryKind.DOCUMENT_RECEIVED),
    )
    signed = BankSignOff.objects.filter(entry__in=counted)
    own = Q(kind="closed_day", subject=closed.pk)
    of_day = _of(ENTRY, counted) | _of("bank_sign_off", signed) | own
    return _blocks(OverShortPaper(PaperSource()), of_day)


def _of(kind: str, rows: QuerySet[Any]) -> Q:
    return Q(kind=kind, subject__in=rows.values("pk"))


def _blocks(paper: Paper, of_day: Q) -> Generator[bytes, None, None]:
    yield paper.header()
    with snapshots.connected() as connection:
        records = in_order(AuditRecord.objects.using(connection.alias).filter(of_day))
        for text in records.values_list("text", flat=True):
            yield b"".join(paper.take(body_of(text)))
