"""Events of the house without money and without a table: noted once, with their audit record."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.journal import records
from ledger.journal.acts import Act
from ledger.models import HouseEvent, Site


def note(
    site: Site,
    kind: str,
    *,
    at: datetime | None = None,
    act: Act,
    **data: Any,
) -> HouseEvent:
    """Write an event and its record, together. `at` is when it happened where that is not now; `data` is JSON."""
    with transaction.atomic():
        event = HouseEvent.objects.create(
            site=site,
            kind=kind,
            at=at or act.now,
            recorded_at=act.now,
            actor=act.actor,
            terminal=act.terminal,
            data=data,
        )
        records.keep(site.pk, act.now, event)
    return event


def note_particulars(site: Site, *, now: datetime, opened: bool) -> HouseEvent:
    """Write down what the house is by law and by its clock: when it opens, and again whenever that changes."""
    kind = HouseEvent.Kind.HOUSE_OPENED if opened else HouseEvent.Kind.HOUSE_CHANGED
    return note(
        site,
        kind,
        name=site.name,
        licence=site.licence,
        time_zone=site.time_zone,
        day_starts_at=site.day_starts_at,
        return_minutes=site.return_minutes,
        authorised_tables=site.authorised_tables,
        hold_minutes=site.hold_minutes,
        jurisdiction=site.jurisdiction,
        act=Act(actor=None, now=now),
    )
