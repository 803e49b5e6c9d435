"""Which leaves an export of some gaming days contains, by the order of sealing and the days in the
records. A record belongs to the gaming day it names, otherwise to the day in which it was recorded. A day
ends with the record that closes it: until then it may be counted, paid for and corrected."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from ledger.errors import BadPeriod
from ledger.journal.days import day_bounds
from ledger.journal.records import moment
from ledger.models import AuditLog, Leaf
from ledger.papers.cells import mapping
from ledger.proof.log import sealing
from ledger.records.canonical import body_of

AT_ONCE = 1000  # records in memory

Days = tuple[date | None, date | None]
"""The first and last gaming day of a period, both included; None where it is unbounded."""
EVERY_DAY: Days = (None, None)

_NEVER = "9999-12-31"


def leaves_of(log: AuditLog, days: Days, size: int) -> tuple[int, int]:
    """Return the first leaf and the number of leaves of a period, in a tree of `size` leaves. Raises
    BadPeriod if it is empty.

    It begins with the first record of the period or of a table that still runs in it, and at the latest with
    an entry or closing of an earlier day, or the start of the log. That shows that no closing of the period
    is left out, and a closing has the balances before the period. It ends with the closing of the last day,
    or with the tree while that day is open."""
    first, last = days
    end = size if last is None else _end(log, last, size)
    begin = 0 if first is None else _Beginning(log, first, last).before(end)
    return begin, end - begin


def _end(log: AuditLog, last: date, size: int) -> int:
    closings = Leaf.objects.filter(log=log, number__lt=size, record__kind="closed_day").order_by("number")
    for number, text in closings.values_list("number", "record__text"):
        if str(body_of(text).get("gaming_day")) >= last.isoformat():
            return int(number) + 1
    return size


class _Beginning:
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
        """Return the first leaf. The search ends once the openings of all running tables were found, and a
        record that shows that no closing of the period comes earlier."""
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
        late, within = self._place(body)
        if self._shown is None and _shows_beginning(body, self._first_day):
            self._shown = leaf
        session = body.get("session") or mapping(body.get("evidence")).get("session")
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
        day = body.get("gaming_day")
        if day is not None:
            return str(day) >= self._first_day, self._first_day <= str(day) <= self._last_day
        at = str(body.get("recorded_at"))
        return at >= self._start, self._start <= at < self._end


def _shows_beginning(body: Mapping[str, Any], first: str) -> bool:
    """Return whether no closing from `first` on comes before: nothing is dated in a closed day."""
    day, record = str(body.get("gaming_day")), body.get("record")
    return (record == "closed_day" and day < first) or (record == "entry" and day < first)
