"""The counts of the vault and of the unclaimed chips, and the entries that moved them between and after.
Reads only."""

from datetime import date

from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Subquery

from ledger.chart import AccountKind
from ledger.journal.days import last_closed
from ledger.models import Account, AuditRecord, CageSlip, DocumentStep, JournalEntry, Site, Transfer
from ledger.rules.documents import COUNTED
from ledger.rules.slip_ways import STAYS, counted_for


def counts(site: Site, way: str = CageSlip.Way.COUNT) -> QuerySet[CageSlip]:
    """Return the agreed slips that counted the vault, or another place of the ways STAYS, the latest
    first."""
    agreed = CageSlip.objects.filter(site=site, way=way, result__entry__isnull=False)
    return agreed.select_related("result__entry", "result__person", "counted_by").order_by("-number")


def last_count(site: Site, way: str = CageSlip.Way.COUNT) -> CageSlip | None:
    """Return the first of `counts`. One query."""
    return counts(site, way).first()


def moved_between(before: CageSlip, after: CageSlip) -> bool:
    """Return whether an entry between those of two counts moved their place. Two queries."""
    of_kind = Account.objects.filter(site=before.site, kind=STAYS[before.way])
    place = list(of_kind.values_list("pk", flat=True))
    moves = Transfer.objects.filter(Q(source__in=place) | Q(target__in=place))
    return moves.filter(entry__gt=before.result.entry_id, entry__lt=after.result.entry_id).exists()


def counted_since_moved(site: Site, day: date) -> bool:
    """Return whether the vault was counted after everything that moved it up to the end of an open gaming
    day. Two queries."""
    slip = last_count(site)
    after = slip.result.entry_id if slip is not None else 0
    return not _moved(site, AccountKind.VAULT, pk__gt=after, gaming_day__lte=day)


def unclaimed_counted(site: Site, day: date) -> bool:
    """Return whether the unclaimed chips, if there are any, were counted on an open gaming day or later,
    after everything that moved them up to its end. Three queries at most."""
    unclaimed = Account.objects.filter(site=site, kind=AccountKind.UNCLAIMED)
    if not unclaimed.filter(balance_cents__gt=0).exists():
        return True
    slip = last_count(site, CageSlip.Way.UNCLAIMED)
    entry = None if slip is None else slip.result.entry
    if entry is None or not counted_for(entry.gaming_day, day):
        return False
    return not _moved(site, AccountKind.UNCLAIMED, pk__gt=entry.pk, gaming_day__lte=day)


def reserve_counted_on(site: Site) -> date | None:
    """Return the gaming day of the last count of the reserve sets, or of the first sealing if there is none;
    None while nothing is in reserve. Three queries at most."""
    if not Account.objects.filter(site=site, kind=AccountKind.RESERVE, balance_cents__gt=0).exists():
        return None
    slip = last_count(site, CageSlip.Way.RESERVE)
    if slip is not None and slip.result.entry is not None:
        return slip.result.entry.gaming_day
    sealed = DocumentStep.objects.filter(site=site, document__kind="reserve_set", step__in=COUNTED)
    first: date | None = sealed.aggregate(first=Min("gaming_day"))["first"]
    return first


def was_moved(site: Site) -> bool:
    """Return whether anything was ever brought into the vault or taken out of it."""
    vault = list(Account.objects.filter(site=site, kind=AccountKind.VAULT).values_list("pk", flat=True))
    return Transfer.objects.filter(Q(source__in=vault) | Q(target__in=vault)).exists()


def moved_after(slip: CageSlip) -> bool:
    """Return whether the place or the drawer that a slip counts moved since its first count, in the order in
    which both were recorded. One query."""
    record = AuditRecord.objects.filter(site=slip.site_id)
    begun = record.filter(kind="cage_slip", subject=slip.pk).values("pk")
    entries = record.filter(kind="entry", pk__gt=Subquery(begun)).values("subject")
    moves = Transfer.objects.filter(entry__in=entries)
    if slip.drawer is None:
        of_place = Q(source__kind=STAYS[slip.way]) | Q(target__kind=STAYS[slip.way])
    else:
        accounts = slip.drawer.chips_id, slip.drawer.cash_id
        of_place = Q(source__in=accounts) | Q(target__in=accounts)
    return moves.filter(of_place).exists()


def _moved(site: Site, place: AccountKind, **entries: object) -> bool:
    """Return whether one of these entries moved this kind of account. Only those of open days are read."""
    of_place = Q(source__kind=place) | Q(target__kind=place)
    moves = Transfer.objects.filter(of_place, entry=OuterRef("pk"))
    open_ = JournalEntry.objects.filter(site=site, gaming_day__gt=last_closed(site), **entries)
    return open_.filter(Exists(moves)).exists()
