"""The papers of custody of a closed day as CSV, byte for byte as in an export of the day. Reads only."""

from collections.abc import Generator
from typing import Any

from django.db.models import Q, QuerySet

from ledger.chart import EntryKind
from ledger.db import snapshots
from ledger.journal.days import clocks_of
from ledger.journal.particulars import offsets_until
from ledger.journal.records import ENTRY
from ledger.models import (
    AuditRecord,
    BankSignOff,
    BoxReceipt,
    CageSlip,
    ClosedDay,
    Count,
    CountNote,
    CountSheet,
    CountSheetReceipt,
    CountSheetSignature,
    Document,
    DocumentStep,
    Drawer,
    DropBox,
    HouseEvent,
    JournalEntry,
    StruckCount,
    Transfer,
)
from ledger.papers.counting import CountSheetsPaper
from ledger.papers.custody import DocumentsPaper, DrawersPaper, OverShortPaper
from ledger.papers.paper import Paper, PaperSource
from ledger.records.canonical import body_of
from ledger.reports.journal_csv import in_order
from ledger.rules.bank_signing import BANKS


def count_sheet_blocks(closed: ClosedDay) -> Generator[bytes, None, None]:
    """Yield the count sheets of the day's boxes as blocks of UTF-8."""
    sheets = CountSheet.objects.filter(site=closed.site_id, gaming_day=closed.gaming_day)
    boxes = DropBox.objects.filter(site=closed.site_id, gaming_day=closed.gaming_day)
    events, kinds = HouseEvent.objects.filter(site=closed.site_id), HouseEvent.Kind
    installed = events.filter(kind=kinds.BOX_INSTALLED, recorded_at__in=boxes.values("installed_at"))
    pulled = events.filter(kind=kinds.BOX_PULLED, recorded_at__in=boxes.values("pulled_at"))
    of_day = _of("house_event", installed) | _of("house_event", pulled) | _of("count_sheet", sheets)
    of_day |= _of("box_received", BoxReceipt.objects.filter(box__in=boxes))
    for kind, rows in (
        ("count", Count),
        ("count_note", CountNote),
        ("count_sheet_signed", CountSheetSignature),
        ("count_sheet_received", CountSheetReceipt),
        ("struck_count", StruckCount),
    ):
        of_day |= _of(kind, rows.objects.filter(sheet__in=sheets))
    source = PaperSource(offsets=offsets_until(closed.site, closed.closed_at))
    return _blocks(CountSheetsPaper(source), of_day)


def document_blocks(closed: ClosedDay) -> Generator[bytes, None, None]:
    """Yield the steps of documents that were taken on the day as blocks of UTF-8."""
    dated = {"site": closed.site_id, "gaming_day": closed.gaming_day}
    begun, steps = Document.objects.filter(**dated), DocumentStep.objects.filter(**dated)
    counted = JournalEntry.objects.filter(pk__in=steps.values("entry"))
    of_day = _of("document", begun) | _of("document_step", steps) | _of(ENTRY, counted)
    return _blocks(DocumentsPaper(_source(closed)), of_day)


def drawer_blocks(closed: ClosedDay) -> Generator[bytes, None, None]:
    """Yield the drawers that were opened on the day, what they came to, as blocks of UTF-8."""
    opened = Drawer.objects.filter(site=closed.site_id, gaming_day=closed.gaming_day)
    accounts = [account for drawer in opened for account in (drawer.chips_id, drawer.cash_id)]
    moved = Transfer.objects.filter(Q(source__in=accounts) | Q(target__in=accounts))
    slips = CageSlip.objects.filter(drawer__in=opened, result__entry__isnull=False)
    closings = JournalEntry.objects.filter(pk__in=slips.values("result__entry"))
    entries = JournalEntry.objects.filter(pk__in=moved.values("entry"))
    of_day = _of("drawer", opened) | _of(ENTRY, entries) | _of(ENTRY, closings)
    return _blocks(DrawersPaper(_source(closed)), of_day)


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
    return _blocks(OverShortPaper(_source(closed)), of_day)


def _source(closed: ClosedDay) -> PaperSource:
    offsets = offsets_until(closed.site, closed.closed_at)
    return PaperSource(offsets=offsets, clocks=clocks_of(closed.site))


def _of(kind: str, rows: QuerySet[Any]) -> Q:
    return Q(kind=kind, subject__in=rows.values("pk"))


def _blocks(paper: Paper, of_day: Q) -> Generator[bytes, None, None]:
    yield paper.header()
    with snapshots.connected() as connection:
        records = in_order(AuditRecord.objects.using(connection.alias).filter(of_day))
        for text in records.values_list("text", flat=True):
            yield b"".join(paper.take(body_of(text)))
