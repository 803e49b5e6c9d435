"""Who of the staff the numbers of a gaming day's papers are, as CSV: what an export of the day has, byte by byte. Reads only.

A closed day's register reaches to its closing, as its export does; that of an open day to now.
"""

from collections.abc import Generator
from datetime import date
from typing import Any

from django.db.models import F, Q

from ledger.audit.export import papers
from ledger.audit.export.bundle_writing import body_of
from ledger.db import snapshots
from ledger.models import AuditRecord, ClosedDay, HouseEvent


def blocks(site: Any, day: date) -> Generator[bytes, None, None]:
    """Yield the register as blocks of UTF-8: the header, then a line for each thing that was said of somebody."""
    register = papers.Papers()
    yield papers.line_of(papers.STAFF_COLUMNS)
    with snapshots.connected() as connection:
        every = AuditRecord.objects.using(connection.alias).order_by(
            F("leaf__number").asc(nulls_last=True), "pk"
        )
        closings = ClosedDay.objects.filter(site=site, gaming_day__gte=day)
        closing = every.filter(kind="closed_day", subject__in=closings.values("pk"))
        changes = HouseEvent.objects.filter(site=site, kind=HouseEvent.Kind.STAFF_CHANGED)
        said = every.filter(kind="house_event", subject__in=changes.values("pk"))
        for record, leaf in closing.values_list("pk", "leaf__number")[:1]:
            sealed = Q(leaf__isnull=False)
            said = said.filter(sealed | Q(pk__lt=record) if leaf is None else Q(leaf__number__lt=leaf))
        for text in said.values_list("text", flat=True):
            register.earlier(body_of(text))
    yield b"".join(line for _, line in register.finish())
