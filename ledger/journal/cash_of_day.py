"""The cash of patrons on a gaming day, from the records of its entries. Reads only."""

import json
from collections.abc import Iterable, Mapping
from datetime import date

from django.db.models import Exists, OuterRef, Q

from ledger.chart import AccountKind, EntryKind
from ledger.db.packed_text import unpacked
from ledger.models import JournalEntry, Site, Transfer, record_of
from ledger.rules.cash_of_day import KINDS, PLAYER, CashOfDay

_WITHOUT_TRANSFERS = (EntryKind.CHIP_CHANGE, EntryKind.REVERSAL, EntryKind.UNDO)


def cash_of_day(site: Site, day: date, merged: Mapping[int, int] | None = None) -> CashOfDay:
    """Return the cash that passed between the house and its patrons on a day so far. `merged` maps numbers of
    the register of players to the one of the person. One query."""
    return cash_of_days(site, [day], merged)[day]


def cash_of_days(
    site: Site, days: Iterable[date], merged: Mapping[int, int] | None = None
) -> dict[date, CashOfDay]:
    """Return the same of several days. One query."""
    found = {day: CashOfDay() for day in days}
    for cash in found.values():
        for one, into in (merged or {}).items():
            cash.join((PLAYER, one), (PLAYER, into))
    of_public = Q(source__kind=AccountKind.PUBLIC) | Q(target__kind=AccountKind.PUBLIC)
    crosses = Exists(Transfer.objects.filter(of_public, entry=OuterRef("pk")))
    entries = JournalEntry.objects.filter(site=site, gaming_day__in=list(found), kind__in=KINDS)
    entries = entries.filter(Q(kind__in=_WITHOUT_TRANSFERS) | crosses).order_by("pk")
    for day, text in entries.values_list("gaming_day", record_of("pk")):
        found[day].take(json.loads(unpacked(text))[1])
    return found
