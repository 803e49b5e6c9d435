"""The shifts of a gaming day: how far each is from being closed, and what was collected in it."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ledger.journal.closing_shifts import ShiftState, states_beside
from ledger.reports.box_log import BoxRow
from tables.reports.reconciliation import DayCollections, Sums, sums_by_shift


@dataclass(frozen=True)
class ShiftRow:
    """One shift: `sums` of the fees charged in it, and in cents the uncollected fees recovered in it and the
    counts of the boxes installed in it; `uncounted` is how many of those are not counted yet."""

    state: ShiftState
    sums: Sums
    recovered_cents: int
    counted_cents: int
    uncounted: int


def shifts_of(
    site: Any, collections: DayCollections, boxes: Iterable[BoxRow], closed: Any, now: datetime
) -> list[ShiftRow]:
    """Return the shifts of a day, none in a house of one. `boxes` are those installed on it, `closed` is its
    closing, if there is one."""
    states = states_beside(site, collections.day, now, closed)
    if not states:
        return []
    starts = [state.start for state in states]
    recovered, counted, uncounted = Counter[int](), Counter[int](), Counter[int]()
    for paper in collections.recoveries:
        entry = paper.payment.entry
        if not hasattr(entry, "reversed_by"):
            recovered[bisect_right(starts, entry.occurred_at) or 1] += paper.payment.charge.cents
    for row in boxes:
        number = bisect_right(starts, row.box.installed_at)
        counted[number] += row.counted or 0
        uncounted[number] += row.counted is None
    sums = sums_by_shift(site, collections.day, starts)
    return [
        ShiftRow(state, sums.get(number, Sums()), recovered[number], counted[number], uncounted[number])
        for number, state in enumerate(states, start=1)
    ]
