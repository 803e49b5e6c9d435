"""The transfers of accounts, and balances now and at any moment. Reads only; not on the hot path. A past
balance is the balance at the last closed gaming day before it plus the transfers recorded since, so the
cost does not grow with the years."""

import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import Q, QuerySet, Sum

from ledger.chart import Asset
from ledger.journal.closing import GRACE
from ledger.journal.days import gaming_day
from ledger.models import Account, ClosedDay, JournalEntry, Site, Transfer

ABREAST = 1000
"""How many transfers may be written concurrently, so that their ids are not in the order of their entries."""
LATE = timedelta(days=2)
"""A gaming day that begins this long after a moment has no entry recorded before the moment, whatever the
clock did."""


@dataclass(frozen=True)
class Base:
    """The balances in cents by account id when `day` was closed; empty before the first closing."""

    day: date = date.min
    cents: dict[int, int] = field(default_factory=dict)


def base_of(site: Site, at: datetime | None) -> Base:
    """Return the newest day whose closing was certainly complete at a moment. One query."""
    if at is None:
        return Base()
    # Writing an entry may have begun before the closing, but less than GRACE before.
    closed = ClosedDay.objects.filter(site=site, closed_at__lte=at - GRACE).order_by("-gaming_day").first()
    if closed is None:
        return Base()
    return Base(closed.gaming_day, {account: cents for _, _, account, cents in json.loads(closed.balances)})


def recorded(site: Site, base: Base, until: datetime) -> QuerySet[Transfer]:
    """Return the transfers of the days after `base`, recorded up to and including a moment."""
    found = Transfer.objects.filter(entry__site=site, entry__recorded_at__lte=until)
    if base.day > date.min:
        begin = _first_after(site, base.day)
        found = found.filter(entry__gaming_day__gt=base.day)
        found = found.none() if begin is None else found.filter(pk__gt=begin - ABREAST)
    end = _first_after(site, gaming_day(site, until) + LATE)
    return found if end is None else found.filter(pk__lt=end + ABREAST)


def _first_after(site: Site, day: date) -> int | None:
    entries = JournalEntry.objects.filter(site=site, gaming_day__gt=day).order_by("gaming_day", "pk")
    for entry in entries.values_list("pk", flat=True)[:1]:
        moved = Transfer.objects.filter(entry__gte=entry).order_by("entry", "line")
        return moved.values_list("pk", flat=True).first()
    return None


def balances_at(site: Site, at: datetime) -> dict[int, int]:
    """Return the balances recorded by a moment, in cents by account id, without zeros."""
    base = base_of(site, at)
    held = Counter(base.cents)
    for end, sign in (("target", 1), ("source", -1)):
        moved = recorded(site, base, at).order_by().values_list(end).annotate(cents=Sum("cents"))
        for account, cents in moved:
            held[account] += sign * cents
    return {account: cents for account, cents in held.items() if cents}


def entries_of(ids: Collection[int]) -> QuerySet[JournalEntry]:
    """Return entries by their ids alone: with the site beside them, SQLite would read all of its entries."""
    return JournalEntry.objects.filter(pk__in=ids)


def transfers_of(accounts: Iterable[int]) -> QuerySet[Transfer]:
    accounts = list(accounts)
    transfers = Transfer.objects.filter(Q(source__in=accounts) | Q(target__in=accounts))
    return transfers.select_related("entry__actor").order_by("entry_id", "line")


def asset_sums(site: Site) -> dict[str, int]:
    """Return the sum of stored balances by asset, in cents; anything but zero is a fault."""
    stored = Account.objects.filter(site=site, closed_at__isnull=True).values_list("asset")
    return {**{asset.value: 0 for asset in Asset}, **dict(stored.annotate(sum=Sum("balance_cents")))}
