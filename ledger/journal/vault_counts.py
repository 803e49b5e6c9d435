"""The counts of the vault, and what moved it between and after them. Reads only."""

from datetime import date

from django.db.models import Exists, OuterRef, Q

from ledger.chart import AccountKind
from ledger.journal.days import last_closed
from ledger.models import CageSlip, JournalEntry, Site, Transfer


def last_count(site: Site) -> CageSlip | None:
    """Return the slip of the latest count of the vault on which two people agreed. One query."""
    counts = CageSlip.objects.filter(site=site, way=CageSlip.Way.COUNT, result__entry__isnull=False)
    return counts.select_related("result__entry", "result__person", "counted_by").order_by("-number").first()


def counted_since_moved(site: Site, day: date) -> bool:
    """Return whether the vault was counted after everything that moved it up to the end of an open gaming
    day. Two queries."""
    slip = last_count(site)
    after = slip.result.entry_id if slip is not None else 0
    return not _moved(site, pk__gt=after, gaming_day__lte=day)


def moved_after(slip: CageSlip) -> bool:
    """Return whether the vault moved since the first count on a slip. One query."""
    return _moved(slip.site, recorded_at__gt=slip.counted_at)


def _moved(site: Site, **entries: object) -> bool:
    """Return whether such entries moved the vault. Only those of open days are read."""
    of_vault = Q(source__kind=AccountKind.VAULT) | Q(target__kind=AccountKind.VAULT)
    moves = Transfer.objects.filter(of_vault, entry=OuterRef("pk"))
    open_ = JournalEntry.objects.filter(site=site, gaming_day__gt=last_closed(site), **entries)
    return open_.filter(Exists(moves)).exists()
