"""Change the particulars of the house; the log keeps the former ones."""

import json
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from django.db import transaction

from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.journal.particulars import Particulars, change_house, checked, particulars_of
from ledger.rights import require
from tables.errors import NothingChanges, StalePage, TableOpen
from tables.models import TableSession
from tables.rights import MANAGE_HOUSE

CHANGED = "house_changed"
CLOCK = ("time_zone", "day_starts_at", "shifts")


def mark_of(particulars: Particulars) -> str:
    """Return a short hash that tells whether particulars changed since a page was shown."""
    text = json.dumps(asdict(particulars), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def change_particulars(*, site: Any, particulars: Particulars, seen: str, act: Act) -> dict[str, Any]:
    """Change the house's particulars; return the former values of the changed ones. `seen` is the mark of
    those that the page showed. Refuses `stale_page` if they changed since, `nothing_changes`, `table_open`
    for a change of clock while a table is open, and invalid particulars."""
    require(act.actor, MANAGE_HOUSE)
    wanted = asdict(checked(particulars))
    with transaction.atomic():
        posting.lock_house(site)
        if house_events.noted_before(site, CHANGED, act, wanted):
            return {}
        site.refresh_from_db()
        now = particulars_of(site)
        if mark_of(now) != seen:
            raise StalePage("Somebody else has changed the particulars meanwhile: look at them again.")
        changed = {name for name, value in asdict(now).items() if value != wanted[name]}
        if not changed:
            raise NothingChanges("Nothing differs from what the house has.")
        if (
            changed.intersection(CLOCK)
            and TableSession.objects.filter(table__site=site, closed_at__isnull=True).exists()
        ):
            name = next(name for name in CLOCK if name in changed)
            raise TableOpen("The clock changes only while every table is closed.", field=name)
        return change_house(site=site, particulars=particulars, act=act)
