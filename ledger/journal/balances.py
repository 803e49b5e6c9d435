"""The transfers of accounts, and balances now and at any moment. Reads only; not on the hot path.

What was held at a moment is what was held when the last gaming day before it was closed, and what was recorded since: so it costs
the same in the tenth year as in the first week.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import Q, QuerySet, Sum

from ledger.chart import Asset
from ledger.journal.closing import GRACE
from ledger.journal.days import gaming_day
from ledger.models import Account, ClosedDay, JournalEntry, Site, Transfer

ABREAST = 1000
"""So many transfers may be written at once, and get their ids in another order than their entries."""
LATE = timedelta(days=2)
"""So far behind a moment begin gaming days of which nothing had been recorded by then, whatever the clock has done."""


@dataclass(frozen=True)
class Base:
    """What accounts held, by id, when everything up to `day` was closed; nothing, before the first closing."""

    day: date = date.min
    cents: dict[int, int] = field(default_factory=dict)


def base_of(site: Site, at: datetime | None) -> Base:
    """Return the newest closed day of which all had been recorded at a moment; without one, the time before the first. One query."""
    if at is None:
        return Base()
    # Whoever writes an entry has taken the time before the closing could begin, but less than GRACE before.
    closed = ClosedDay.objects.filter(site=site, closed_at__lte=at - GRACE).order_by("-gaming_day").first()
    if closed is None:
        return Base()
    return Base(closed.gaming_day, {account: cents for _, _, account, cents in json.loads(closed.balances)})


def recorded(site: Site, base: Base, until: datetime) -> QuerySet[Transfer]:
    """Return the transfers of the days after `base`, recorded up to and including a moment. Two queries for where they lie."""
    found = Transfer.objects.filter(entry__site=site, entry__recorded_at__lte=until)
    if base.day > date.min:
        begin = _first_after(site, base.day)
        found = found.filter(entry__gaming_day__gt=base.day)
        found = found.none() if begin is None else found.filter(pk__gt=begin - ABREAST)
    end = _first_after(site, gaming_day(site, until) + LATE)
    return found if end is None else found.filter(pk__lt=end + ABREAST)


def _first_after(site: Site, day: date) -> int | None:
    """Return the first transfer of the first gaming day with any after this one."""
    entries = JournalEntry.objects.filter(site=site, gaming_day__gt=day).order_by("gaming_day", "pk")
    for entry in entries.values_list("pk", flat=True)[:1]:
        moved = Transfer.objects.filter(entry__gte=entry).order_by("entry", "line")
        return moved.values_list("pk", flat=True).first()
    return None


def balances_at(site: Site, at: datetime) -> dict[int, int]:
    """Return what each account held at a moment, by what had been recorded by then; those that held nothing are left out."""
    base = base_of(site, at)
    held = Counter(base.cents)
    for end, sign in (("target", 1), ("source", -1)):
        moved = recorded(site, base, at).order_by().values_list(end).annotate(cents=Sum("cents"))
        for account, cents in moved:
            held[account] += sign * cents
    return {account: cents for account, cents in held.items() if cents}


def transfers_of(accounts: Iterable[int]) -> QuerySet[Transfer]:
    """Return every transfer into or out of these accounts, with its entry and actor, in the order of recording."""
    accounts = list(accounts)
    transfers = Transfer.objects.filter(Q(source__in=accounts) | Q(target__in=accounts))
    return transfers.select_related("entry__actor").order_by("entry_id", "line")


def asset_sums(site: Site) -> dict[str, int]:
    """Return the sum of all stored balances by asset, in cents. Anything but zero means that money was made or lost."""
    stored = Account.objects.filter(site=site, closed_at__isnull=True).values_list("asset")
    return {**{asset.value: 0 for asset in Asset}, **dict(stored.annotate(sum=Sum("balance_cents")))}
