"""The index by which the camera room finds something: the house's clock to the second, table, seat. Pure. The
search box accepts the same text (searches.py)."""

from datetime import datetime
from zoneinfo import ZoneInfo


def camera_index(place: str, at: datetime, until: datetime | None, zone: ZoneInfo) -> str:
    """Return `2026-11-26 02:14:05 PST, Table 3, seat 2`; with an end, `02:14:05 to 02:16:40`."""
    began = at.astimezone(zone)
    ended = until and until.astimezone(zone)
    if ended is None or f"{ended:%Y%m%d%H%M%S}" == f"{began:%Y%m%d%H%M%S}":
        return f"{began:%Y-%m-%d %H:%M:%S %Z}, {place}"
    day = "" if ended.date() == began.date() else f"{ended:%Y-%m-%d} "
    return f"{began:%Y-%m-%d %H:%M:%S} to {day}{ended:%H:%M:%S %Z}, {place}"


def seats_text(seats: list[int]) -> str:
    """Return `seat 2` or `seats 1, 2, 4`; empty without any."""
    named = ", ".join(map(str, sorted(seats)))
    return "" if not seats else f"seat{'s' if len(seats) > 1 else ''} {named}"
