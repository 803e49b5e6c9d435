"""Gaming days: which one a moment belongs to, when it starts and ends, and whether its papers are still open.

Closing a day is not done here (closing.py).
"""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db import connection

from ledger.audit.gaming_days import Clock, bounds_of, day_of
from ledger.models import ClosedDay


def gaming_day(site, at: datetime) -> date:
    """The gaming day of an aware moment. A day starts at the site's local hour `day_starts_at` and is named by that date."""
    return day_of(at, clock_of(site))


def day_bounds(site, day: date) -> tuple[datetime, datetime]:
    """Start and end of a gaming day in UTC, half-open: 23 or 25 hours when the clocks change."""
    return bounds_of(day, clock_of(site))


def clock_of(site) -> Clock:
    """The clock of a house."""
    return Clock(ZoneInfo(site.time_zone), site.day_starts_at)


def open_day(site, day: date, now: datetime) -> date:
    """The gaming day in whose papers something of `day` is written down now: that day while it is open, else today's.

    Called in the transaction that writes it; a day that is found open stays open until that transaction ends.
    """
    return gaming_day(site, now) if is_closed(site, day, now) else day


def is_closed(site, day: date, now: datetime) -> bool:
    """Whether a gaming day, or one after it, has been closed. Of today's and of those to come that is known unasked.

    Whoever closes the day waits for the transaction that has asked.
    """
    if day >= gaming_day(site, now):
        return False
    _hold(site)
    return ClosedDay.objects.filter(site=site, gaming_day__gte=day).exists()


def _hold(site) -> None:
    """Keep a closing waiting, and nobody else: the lock that every foreign key takes. SQLite's writers stand in line."""
    if connection.features.has_select_for_no_key_update:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM ledger_site WHERE id = %s FOR KEY SHARE", [site.pk])
