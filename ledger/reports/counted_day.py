"""The records of a gaming day's counts, in the order of the log, with those of the floor, for a paper of that
day: byte for byte as in an export of the day. Reads only."""

from collections.abc import Generator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import Q, QuerySet

from ledger import models
from ledger.chart import AccountKind, EntryKind
from ledger.db import snapshots
from ledger.journal.days import clocks_of
from ledger.journal.particulars import offsets_until
from ledger.journal.records import ENTRY
from ledger.papers.paper import Paper, PaperSource
from ledger.records.canonical import body_of
from ledger.reports.journal_csv import in_order
from ledger.rules.bank_signing import BANKS
from ledger.rules.documents import Step

_OVER = Q(source__kind=AccountKind.OVER_SHORT) | Q(target__kind=AccountKind.OVER_SHORT)


def lines_of_day(
    paper: type[Paper],
    site: models.Site,
    day: date,
    now: datetime,
    *,
    of_floor: Mapping[str, Sequence[int]],
    payments: QuerySet[Any],
) -> Generator[bytes, None, None]:
    """Yield a paper's header and its lines of a day, as of its closing, or of now while it is open.
    `of_floor` are ids of the floor's rows by kind of record; `payments` are the ids of entries that took or
    waived fees."""
    closed = models.ClosedDay.objects.filter(site=site, gaming_day=day).first()
    until = closed.closed_at if closed is not None else now
    made = paper(PaperSource(offsets=offsets_until(site, until), clocks=clocks_of(site)))
    wanted = _of_books(site, day, payments)
    for kind, rows in of_floor.items():
        wanted |= Q(kind=kind, subject__in=rows)
    if closed is not None:
        wanted |= Q(kind="closed_day", subject=closed.pk)
    yield paper.header()
    with snapshots.connected() as connection:
        records = in_order(models.AuditRecord.objects.using(connection.alias).filter(wanted))
        for text in records.values_list("text", flat=True):
            yield b"".join(made.take(body_of(text)))
    if closed is None:
        yield b"".join(made.finish())


def _of_books(site: models.Site, day: date, payments: QuerySet[Any]) -> Q:
    kinds = (EntryKind.DROP, *sorted(BANKS), EntryKind.DOCUMENT_RECEIVED)
    of_day = models.JournalEntry.objects.filter(site=site, gaming_day=day, kind__in=kinds)
    counted = list(of_day.values_list("pk", flat=True))
    boxes = list(models.DropBox.objects.filter(site=site, gaming_day=day))
    accounts = [account for box in boxes for account in (box.chips_id, box.cash_id)]
    moved = models.Transfer.objects.filter(Q(source__in=accounts) | Q(target__in=accounts))
    taken = models.JournalEntry.objects.filter(Q(pk__in=moved.values("entry")) | Q(pk__in=payments))
    back = models.JournalEntry.objects.filter(reverses__in=payments)
    events, kind = models.HouseEvent.objects.filter(site=site), models.HouseEvent.Kind
    installed = events.filter(kind=kind.BOX_INSTALLED, recorded_at__in=[box.installed_at for box in boxes])
    pulled_at = [box.pulled_at for box in boxes if box.pulled_at is not None]
    pulled = events.filter(kind=kind.BOX_PULLED, recorded_at__in=pulled_at)
    wanted = Q(kind=ENTRY, subject__in=counted) | _of(ENTRY, taken) | _of(ENTRY, back)
    wanted |= _of("house_event", installed) | _of("house_event", pulled)
    wanted |= _of("sign_off", models.DropSignOff.objects.filter(box__in=[box.pk for box in boxes]))
    wanted |= _of("document_step", models.DocumentStep.objects.filter(entry__in=counted, step=Step.DIFFERED))
    return wanted | _of("bank_sign_off", models.BankSignOff.objects.filter(entry__in=counted))


def _of(kind: str, rows: QuerySet[Any]) -> Q:
    # The ids, as SQLite would read each whole table inside this OR.
    return Q(kind=kind, subject__in=list(rows.values_list("pk", flat=True)))


def pages_of(site: models.Site, day: date) -> dict[int, tuple[str, int]]:
    """Return the page of each entry of a day's counts, by the entry's id: the name of the page and the id
    there. A bank without a difference has none."""
    dated = {"entry__site": site, "entry__gaming_day": day}
    differed = models.DocumentStep.objects.filter(**dated, step=Step.DIFFERED)
    slips = models.CageSlip.objects.filter(**{f"result__{name}": value for name, value in dated.items()})
    banks = models.Transfer.objects.filter(_OVER, **dated, entry__kind__in=sorted(BANKS))
    rows = (
        ("cage-slip", slips.values_list("result__entry", "pk")),
        ("drawer", slips.filter(way=models.CageSlip.Way.CLOSING).values_list("result__entry", "drawer")),
        ("cashier-bank", banks.values_list("entry", "entry")),
        ("document", differed.values_list("entry", "document")),
        ("cashier-box", models.DropSignOff.objects.filter(**dated).values_list("entry", "box")),
    )
    return {entry: (name, there) for name, found in rows for entry, there in found}
