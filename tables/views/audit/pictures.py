"""The pictures of a gaming day, and of what was over or short in the last weeks: figures of reports, with the
house's clock and words. People who may not know what the boxes should hold, or who count the cage, get no
picture of it."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from ledger.reports.box_log import BoxRow
from ledger.reports.cage_hours import CageHours
from ledger.templatetags.figures import dollars, signed_dollars
from ledger.views.pictures import Picture, Said, bars, differences, steps
from tables.reports.days import DayHours
from tables.reports.variance import Variance

COLLECTION = Said(
    "collection",
    "Collection by hour and table",
    "Dollars of fees paid in each hour; beside each strip its sum and its highest hour.",
    dollars,
    empty="No fee was taken on this day.",
)
BOXES = Said(
    "boxes",
    "Over/short by box",
    "Dollars counted in each box, less those expected: hollow is short.",
    signed_dollars,
    column="Box",
    empty="No box of this day is counted yet.",
)
CAGE = Said(
    "cage",
    "The cage through the day",
    "Dollars in the vault and the drawers, and what is held for others.",
    dollars,
    column="At",
    empty="Nothing stood in the cage on this day.",
)
ROUNDS = Said(
    "rounds",
    "Rounds per hour",
    "Rounds begun in each hour at all tables, their sum and the highest hour.",
    lambda count: f"{count:,}",
    empty="No round was dealt on this day.",
)
WEEKS = Said(
    "weeks",
    "Over/short by week",
    "Dollars over or short in the boxes of each week, Monday to Sunday.",
    signed_dollars,
    column="Week from",
    empty="No box of these weeks is signed off yet.",
)
DEALERS = Said(
    "dealers",
    "Over/short by dealer",
    "Dollars over or short in boxes of downs that this dealer dealt, whole boxes, whoever else dealt there.",
    signed_dollars,
    column="Dealer",
    empty="No box of these weeks is signed off yet.",
)


def day_pictures(
    zone: ZoneInfo, hours: DayHours, cage: CageHours | None, boxes: Iterable[BoxRow], *, told: bool
) -> list[Picture]:
    """Return the pictures of a day; `cage` is None for a future day and for people who count the cage."""
    names = _clock(zone, hours.hours)
    tables = [("All tables", hours.taken_by_all)]
    tables += [(f"Table {number}", taken) for number, taken in hours.taken.items()]
    known = [(str(row.box), row.difference) for row in boxes if row.difference is not None]
    return [
        *([bars(COLLECTION, names, tables)] if told else []),
        differences(BOXES, known),
        *([_cage(zone, cage)] if cage is not None else []),
        bars(ROUNDS, names, [("All tables", hours.rounds)]),
    ]


def _cage(zone: ZoneInfo, cage: CageHours) -> Picture:
    return steps(CAGE, _clock(zone, cage.moments), [("Chips", cage.chips), ("Cash", cage.cash)])


def variance_pictures(variance: Variance) -> list[Picture]:
    """Return what was over or short by week and by dealer."""
    weeks = [(f"{week.first:%Y-%m-%d}, {_boxes(week.boxes)}", week.cents) for week in variance.weeks]
    dealers = [(f"{dealer.person}, {_boxes(dealer.boxes)}", dealer.cents) for dealer in variance.dealers]
    return [differences(WEEKS, weeks), differences(DEALERS, dealers)]


def _boxes(count: int) -> str:
    return f"{count} box" if count == 1 else f"{count} boxes"


def _clock(zone: ZoneInfo, moments: Sequence[datetime]) -> list[str]:
    return [f"{moment.astimezone(zone):%H:%M}" for moment in moments]
