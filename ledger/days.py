"""Gaming days: which one a moment belongs to, and when it starts and ends. Closing a day is not done here."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def gaming_day(site, at: datetime) -> date:
    """The gaming day of an aware moment. A day starts at the site's local hour `day_starts_at` and is named by that date."""
    if at.tzinfo is None:
        raise ValueError("a moment needs its time zone")
    local = at.astimezone(ZoneInfo(site.time_zone))
    return local.date() if local.hour >= site.day_starts_at else local.date() - timedelta(days=1)


def day_bounds(site, day: date) -> tuple[datetime, datetime]:
    """Start and end of a gaming day in UTC, half-open: 23 or 25 hours when the clocks change."""
    return _start(site, day), _start(site, day + timedelta(days=1))


def _start(site, day: date) -> datetime:
    return datetime.combine(day, time(site.day_starts_at), ZoneInfo(site.time_zone)).astimezone(UTC)
