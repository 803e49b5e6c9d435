"""Which leaves an export of some gaming days holds: told by the sealed order and by what the records themselves say.

A record belongs to the gaming day that it names; one that names none, to the day it says it was recorded in. A day ends
with the record that closes it: it may be counted, paid for and corrected until then.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from ledger.audit.export.bundle_writing import body_of
from ledger.errors import BadPeriod
from ledger.journal.days import day_bounds
from ledger.journal.records import moment
from ledger.log import sealing
from ledger.models import AuditLog, Leaf

AT_ONCE = 1000  # records in memory

Days = tuple[date | None, date | None]
"""The first and the last gaming day of a period, both included; without one it has no end there."""
EVERY_DAY: Days = (None, None)

_NEVER = "9999-12-31"


def leaves_of(log: AuditLog, days: Days, size: int) -> tuple[int, int]:
    """Return the first leaf and the number of leaves of a period, in a tree of this size.

    They begin with the period's first record, or earlier where a table was opened that still runs in it; at the latest with an
    entry or closing of a day before it, or with the log: that shows that no closing of the period is left out, and a closing
    what the accounts held before it. They end with the record that closes the last day; while that day is open, with the
    tree. Raises BadPeriod if nothing is of these days.
    """
    first, last = days
    end = size if last is None else _end(log, last, size)
    begin = 0 if first is None else _Beginning(log, first, last).before(end)
    return begin, end - begin


def _end(log: AuditLog, last: date, size: int) -> int:
    """Return how many leaves there are up to the one that closes this day, alone or with a later one; `size` if none does."""
    closings = Leaf.objects.filter(log=log, number__lt=size, record__kind="closed_day").order_by("number")
    for number, text in closings.values_list("number", "record__text"):
        if str(body_of(text).get("gaming_day")) >= last.isoformat():
            return int(number) + 1
    return size


class _Beginning:
    """Looks for the first leaf of a period, backwards from its end."""

    def __init__(self, log: AuditLog, first: date, last: date | None) -> None:
        self._log = log
        self._first_day = first.isoformat()
        self._last_day = last.isoformat() if last else _NEVER
        self._start = moment(day_bounds(log.site, first)[0])
        self._end = moment(day_bounds(log.site, last)[1]) if last else _NEVER
        self._found: int | None = None
        self._shown: int | None = None
        self._running: set[Any] = set()
        self._opened: set[Any] = set()

    def before(self, end: int) -> int:
        """Return the first leaf. The search ends with a batch of older records, once each table's opening was seen, and a record
        that shows that no closing of the period comes before."""
        while end:
            begin = max(end - AT_ONCE, 0)
            leaves = sealing.leaves(self._log, begin, end).reverse()
            texts = leaves.values_list("number", "record__text")
            late = [self._take(number, body_of(text)) for number, text in texts]
            if not (any(late) or self._running or self._shown is None):
                break
            end = begin
        if self._found is None:
            raise BadPeriod("Nothing was recorded in these days.", field="from")
        return min(self._found, self._shown or 0)

    def _take(self, leaf: int, body: Mapping[str, Any]) -> bool:
        """Look at one record; return whether it is of the period or of later."""
        late, within = self._place(body)
        if self._shown is None and _shows_beginning(body, self._first_day):
            self._shown = leaf
        session = body.get("session") or _evidence(body).get("session")
        if body.get("record") == "table_event" and body.get("kind") in ("opened", "closed"):
            within = within or (body["kind"] == "opened" and session in self._running)
            self._running.discard(session)
            if body["kind"] == "opened":
                self._opened.add(session)
        elif within and session is not None:
            self._running |= {session} - self._opened  # a table's float is recorded before its opening
        if within:
            self._found = leaf
        return late

    def _place(self, body: Mapping[str, Any]) -> tuple[bool, bool]:
        """Return whether a record is not older than the period, and whether it is of it."""
        day = body.get("gaming_day")
        if day is not None:
            return str(day) >= self._first_day, self._first_day <= str(day) <= self._last_day
        at = str(body.get("recorded_at"))
        return at >= self._start, self._start <= at < self._end


def _shows_beginning(body: Mapping[str, Any], first: str) -> bool:
    """Whether a record was written before a day was closed: nothing is dated in a closed day."""
    day, record = str(body.get("gaming_day")), body.get("record")
    return (record == "closed_day" and day < first) or (record == "entry" and day < first)


def _evidence(body: Mapping[str, Any]) -> Mapping[str, Any]:
    evidence = body.get("evidence")
    return evidence if isinstance(evidence, dict) else {}
