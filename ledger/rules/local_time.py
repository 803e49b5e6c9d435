"""The house's local time, by a list of offsets in the export, so that it is the same on every computer. Pure.

An offset is the minute of UTC from which it holds, such as `2026-11-01T09:00` (empty for the first), and its
value, such as `-08:00`. Computers have time zone tables of their own, or none; these are compared with the
list."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Offsets = tuple[tuple[str, str], ...]
Zones = Iterable[tuple[str, str]]
"""Pairs of a recorded time and the time zone from then on."""

_FORM, _LENGTH = "%Y-%m-%dT%H:%M", 16
_MINUTE = timedelta(minutes=1)
_STEP = timedelta(days=1)
_MOST_YEARS = 200
"""The longest span of days, longer than any log: a forged record must not make us look at every day
between."""


class LocalTime:
    """Writes recorded times in the house's local time. It never raises: other text gives an empty one."""

    def __init__(self, offsets: Sequence[tuple[str, str]]) -> None:
        self._begins = [begin for begin, _ in offsets]
        self._offsets = [offset for _, offset in offsets]
        self._minute = lru_cache(maxsize=1024)(self._shifted)

    def of(self, at: object) -> str:
        if not (isinstance(at, str) and at[-1:] == "Z"):
            return ""
        minute, offset = self._minute(at[:_LENGTH])
        return f"{minute}{at[_LENGTH:-1]}{offset}" if offset else ""

    def _shifted(self, minute: str) -> tuple[str, str]:
        number = bisect_right(self._begins, minute) - 1
        if number < 0:
            return "", ""
        try:
            at = datetime.strptime(f"{minute}{self._offsets[number]}", f"{_FORM}%z")
            shift = at.utcoffset() or timedelta()
            return _text(at.replace(tzinfo=None) + shift), self._offsets[number]
        except (ValueError, OverflowError):
            return "", ""


def offsets_of(zones: Zones, until: str) -> Offsets:
    """Return a house's offsets up to a recorded time. Raises ZoneInfoNotFoundError or ValueError."""
    begins = sorted(zones)
    if not begins:
        return ()
    if int(until[:4]) - int(begins[0][0][:4]) > _MOST_YEARS:
        raise ValueError("the records are not of one log")
    begins[0] = (f"{begins[0][0][:4]}-01-01T00:00", begins[0][1])
    found: list[tuple[str, str]] = []
    for (begin, name), (end, _) in pairwise([*begins, (until, "")]):
        at, zone = _moment(begin), _zone(name)
        if not found or found[-1][1] != _offset(zone, at):
            found.append((_text(at) if found else "", _offset(zone, at)))
        found += _changes(zone, at, _moment(end))
    return tuple(found)


def _changes(zone: ZoneInfo, at: datetime, end: datetime) -> Iterator[tuple[str, str]]:
    while at < end:
        after = min(at + _STEP, end)
        if (offset := _offset(zone, after)) != _offset(zone, at):
            times = [at + number * _MINUTE for number in range(1, (after - at) // _MINUTE + 1)]
            first = bisect_left(times, True, key=lambda time: _offset(zone, time) == offset)
            yield _text(times[first]), offset
        at = after


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (OSError, TypeError) as error:
        raise ZoneInfoNotFoundError(name) from error


def _moment(at: str) -> datetime:
    return datetime.strptime(at[:_LENGTH], _FORM).replace(tzinfo=UTC)


def _text(at: datetime) -> str:
    return at.strftime(_FORM)


def _offset(zone: ZoneInfo, at: datetime) -> str:
    return at.astimezone(zone).isoformat()[-6:]
