"""What happened on a gaming day, as the figures of six sentences: collection against count, over/short,
corrections, exceptions, people, log, and of each of its shifts. The six sentences make no query."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ledger.journal.bank_differences import BankDifference
from ledger.journal.closing_shifts import ShiftState, states_beside
from ledger.reports.box_log import BoxRow
from tables.models import CorrectionRequest
from tables.reports.days import DayEvents
from tables.reports.reconciliation import DayCollections, Sums, sums_by_shift


@dataclass(frozen=True, slots=True)
class DayTold:
    """A number of things, in words, and the part of the page that lists them."""

    count: int
    words: str
    part: str

    def __str__(self) -> str:
        return f"{self.count} {self.words}"


@dataclass(frozen=True)
class BoxesTold:
    """The day's boxes: `counted` are counted and were expected to hold `expected_cents`; `differing` of them
    differ."""

    installed: int
    counted: int
    counted_cents: int
    expected_cents: int
    differing: int

    @property
    def uncounted(self) -> int:
        return self.installed - self.counted


@dataclass(frozen=True)
class DayLines:
    """`unsigned` are the differences of banks, drawers and the vault that nobody has signed off."""

    boxes: BoxesTold
    differing: int
    unsigned: tuple[BankDifference, ...]
    corrections: tuple[DayTold, ...]
    exceptions: tuple[DayTold, ...]


def boxes_told(boxes: Iterable[BoxRow]) -> BoxesTold:
    every = list(boxes)
    known = [row for row in every if row.counted is not None]
    return BoxesTold(
        installed=len(every),
        counted=len(known),
        counted_cents=sum(row.counted or 0 for row in known),
        expected_cents=sum(row.expected for row in known),
        differing=sum(row.differs for row in known),
    )


def day_lines(facts: dict[str, Any]) -> DayLines:
    """Return the lines of a day from the facts of its page: `boxes`, `banks`, `events` and so on."""
    boxes, banks = boxes_told(facts["boxes"]), facts["banks"]
    return DayLines(
        boxes=boxes,
        differing=boxes.differing + len(banks) + len(facts["differed"]),
        unsigned=tuple(one for one in banks if one.open),
        corrections=corrections_told(facts["events"]),
        exceptions=exceptions_told(
            facts["events"], facts["collections"], facts["variances"], facts["reversals"], facts["boxes"]
        ),
    )


def corrections_told(events: DayEvents) -> tuple[DayTold, ...]:
    became = Counter(request.state for request in events.corrections)
    state = CorrectionRequest.State
    hand, claims = len(events.by_hand), len(events.claims)
    return (
        *_told(
            "corrections",
            (became[state.APPROVED], "correction was approved", "corrections were approved"),
            (became[state.REFUSED], "correction was refused", "corrections were refused"),
            (became[state.ASKED], "correction waits for a decision", "corrections wait for a decision"),
            (became[state.OVERTAKEN], "correction was overtaken", "corrections were overtaken"),
        ),
        *_told("voids", (len(events.voids), "round was voided", "rounds were voided")),
        *_told("by-hand", (hand, "settlement by hand was asked for", "settlements by hand were asked for")),
        *_told("claims", (claims, "claim between players was left", "claims between players were left")),
    )


def exceptions_told(
    events: DayEvents,
    collections: DayCollections,
    variances: Sequence[Any],
    reversals: Sequence[Any],
    boxes: Iterable[BoxRow],
) -> tuple[DayTold, ...]:
    every = [row.box for row in boxes]
    emergencies = sum(bool(one.emergency) for one in every)
    otherwise = sum(bool(one.seal_reason) for one in every)
    return (
        *_told("variances", (len(variances), "chip count differed", "chip counts differed")),
        *_told("stops", (len(events.stops), "clock was stopped", "clocks were stopped")),
        *_told("called-off", (len(events.called_off), "match was called off", "matches were called off")),
        *_told("taken-back", (len(reversals), "act was taken back", "acts were taken back")),
        *_told(
            "serials",
            (len(collections.waivers), "fee was waived", "fees were waived"),
            (len(collections.uncollected), "fee went uncollected", "fees went uncollected"),
        ),
        *_told(
            "boxes",
            (emergencies, "box was an emergency drop", "boxes were emergency drops"),
            (otherwise, "seal was not the one noted", "seals were not those noted"),
        ),
    )


def _told(part: str, *found: tuple[int, str, str]) -> tuple[DayTold, ...]:
    return tuple(DayTold(count, one if count == 1 else many, part) for count, one, many in found if count)


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
