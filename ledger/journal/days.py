"""Gaming days: the day of a moment, its bounds, and whether it is open. closing.py closes them."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import connection
from django.db.models import Max, Min, Subquery, Value
from django.db.models.functions import Coalesce

from ledger.models import ClosedDay, ClosedShift, HouseEvent, JournalEntry, Site
from ledger.records.house import CLOCKS
from ledger.rules.gaming_days import Clock, bounds_of, day_of
from ledger.rules.shifts import Clocks, first_open, starts_of


def gaming_day(site: Site, at: datetime) -> date:
    """Return the gaming day of an aware datetime. It starts at the site's local hour `day_starts_at`."""
    return day_of(at, clock_of(site))


def day_bounds(site: Site, day: date) -> tuple[datetime, datetime]:
    """Return start and end of a gaming day in UTC, half-open: 23 or 25 hours when the clocks change."""
    return bounds_of(day, clock_of(site))


def clock_of(site: Site) -> Clock:
    return Clock(ZoneInfo(site.time_zone), site.day_starts_at, site.shifts)


def clocks_of(site: Site) -> Clocks:
    """Return the clocks that the house has had. One query."""
    events = HouseEvent.objects.filter(site=site, kind__in=CLOCKS).order_by("pk")
    clocks = Clocks()
    for recorded_at, data in events.values_list("recorded_at", "data"):
        clocks.take(recorded_at, data)
    return clocks


def clock_on(site: Site, closed_at: datetime | None) -> Clock:
    """Return the clock that a closed day had at its closing, or today's for an open day."""
    return (closed_at and clocks_of(site).at(closed_at)) or clock_of(site)


def open_shift(site: Site, day: date) -> tuple[int, int | None]:
    """Return the last closed shift of a gaming day (0 before the first), and the first with an entry that is
    not closed, unless it is the last. No query in a house of one shift, else two."""
    clock = clock_of(site)
    if clock.shifts == 1:
        return 0, None
    closed_to = ClosedShift.objects.filter(site=site, gaming_day=day).aggregate(last=Max("number"))["last"]
    starts = starts_of(day, clock)
    since = starts[min(closed_to or 0, clock.shifts - 1)]
    entries = JournalEntry.objects.filter(
        site=site, gaming_day=day, occurred_at__gte=since, occurred_at__lt=starts[-2]
    )
    first = entries.aggregate(first=Min("occurred_at"))["first"]
    return closed_to or 0, first_open((first,) if first else (), day, clock, closed_to or 0)


def open_day(site: Site, day: date, now: datetime) -> date:
    """Return the gaming day in which to date an event of `day` that is recorded now: `day` while it is open,
    else today. Call it in the transaction that writes the event; a day found open stays open until that
    transaction ends."""
    return gaming_day(site, now) if is_closed(site, day, now) else day


def is_closed(site: Site, day: date, now: datetime) -> bool:
    """Return whether a gaming day, or a later one, has been closed. Today and later days need no query.
    Closing the day waits until the asking transaction has ended."""
    if day >= gaming_day(site, now):
        return False
    # Take the lock of a foreign key, which delays only a closing. SQLite queues all writers anyway.
    if connection.features.has_select_for_no_key_update:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM ledger_site WHERE id = %s FOR KEY SHARE", [site.pk])
    return ClosedDay.objects.filter(site=site, gaming_day__gte=day).exists()


def last_closed(site: Site | int) -> Coalesce:
    """Return the last closed day as an expression; before the first, one before all days."""
    last = ClosedDay.objects.filter(site=site).order_by("-gaming_day").values("gaming_day")[:1]
    return Coalesce(Subquery(last), Value(date.min))


def open_among(site: Site, days: tuple[date, date]) -> date | None:
    """Return the first of some gaming days that is not closed; None if all are."""
    first, last = days
    closed = ClosedDay.objects.filter(site=site).order_by("-gaming_day").values_list("gaming_day", flat=True)
    newest = closed.first()
    opens = first if newest is None else max(first, newest + timedelta(days=1))
    return opens if opens <= last else None
