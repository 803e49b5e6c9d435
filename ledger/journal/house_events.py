"""Record events of the site that involve neither money nor a table, each with its audit record."""

from collections.abc import Mapping
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
    """Write an event and its audit record in one transaction. `at` is when it happened, if not now; `data` is JSON."""
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


def note_particulars(
    site: Site, *, act: Act, opened: bool, before: Mapping[str, Any] | None = None
) -> HouseEvent:
    """Record the site's licence, clock and limits: when it is set up, and whenever they change.

    `before` is what the changed ones were, where that is known; whoever reads the log goes by the rest.
    """
    kind = HouseEvent.Kind.HOUSE_OPENED if opened else HouseEvent.Kind.HOUSE_CHANGED
    data: dict[str, Any] = {
        "name": site.name,
        "licence": site.licence,
        "time_zone": site.time_zone,
        "day_starts_at": site.day_starts_at,
        "return_minutes": site.return_minutes,
        "authorised_tables": site.authorised_tables,
        "hold_minutes": site.hold_minutes,
        "jurisdiction": site.jurisdiction,
        "chip_values": site.chip_values,
    }
    if before:
        data["before"] = dict(before)
    return note(site, kind, act=act, **data)
