"""The contents of the cage at the beginning of a gaming day and at the end of each of its hours. Reads only.
The cage includes everything below it in the tree of places: the vault, the drawers, and what it holds for
others. An entry counts in the hour in which it was recorded, as for every balance."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from django.db.models import Case, Q, Sum, When

from ledger.chart import Asset
from ledger.journal.balances import LATE, base_of, recorded
from ledger.journal.days import gaming_day
from ledger.models import Account, Site
from ledger.rules.places import PLACES

CAGE = tuple(kind.account for kind in PLACES if kind.inside == "cage" and kind.account is not None)


def hours_of(start: datetime, end: datetime) -> tuple[datetime, ...]:
    """Return when each hour of a gaming day begins: 23 or 25 of them where the clock changes."""
    return tuple(start + timedelta(hours=at) for at in range(max(1, (end - start) // timedelta(hours=1))))


def hour_in(moment: str, starts: Sequence[datetime]) -> Case:
    """Return the number of the hour that a moment lies in, from 0; the first and the last have no end."""
    ends = (When(**{f"{moment}__lt": end}, then=number) for number, end in enumerate(starts[1:]))
    return Case(*ends, default=len(starts) - 1)


@dataclass(frozen=True)
class CageHours:
    """The cents in the cage at each of `moments`, of which the first is the beginning of the day."""

    moments: tuple[datetime, ...]
    chips: tuple[int, ...]
    cash: tuple[int, ...]


def cage_hours(site: Site, start: datetime, end: datetime, now: datetime) -> CageHours | None:
    """Return the contents of the cage during a day, up to now; None before it has begun. Seven queries."""
    moments = [one for one in (*hours_of(start, end), end) if one < now]
    if not moments:
        return None
    moments += [now] if moments[-1] < end else []
    base = base_of(site, start)
    held = Account.objects.filter(pk__in=base.cents, kind__in=CAGE).values_list("asset", "pk")
    moved = {asset: [0] * len(moments) for asset in Asset}
    for asset, account in held:
        moved[Asset(asset)][0] += base.cents[account]
    # Recorded at a moment counts as being before it, as balances do.
    until = (When(entry__recorded_at__lte=moment, then=at) for at, moment in enumerate(moments[:-1]))
    # The days are named too, for the index of days: all would be read before the first closing.
    days = {"entry__gaming_day__gt": base.day, "entry__gaming_day__lt": gaming_day(site, moments[-1]) + LATE}
    lines = recorded(site, base, moments[-1]).filter(**days)
    lines = lines.filter(Q(source__kind__in=CAGE) | Q(target__kind__in=CAGE))
    sums = lines.order_by().values_list(
        Case(*until, default=len(moments) - 1), "asset", "source__kind", "target__kind"
    )
    for at, asset, source, target, cents in sums.annotate(cents=Sum("cents")):
        moved[Asset(asset)][at] += cents * ((target in CAGE) - (source in CAGE))
    chips, cash = (tuple(accumulate(moved[asset])) for asset in (Asset.CHIPS, Asset.CASH))
    return CageHours(tuple(moments), chips, cash)
