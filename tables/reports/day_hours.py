"""A gaming day hour by hour: what each table took, and how many rounds were dealt. Reads only."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce

from ledger.reports.cage_hours import hour_in, hours_of
from ledger.reports.journal_jsonl import entries_on
from tables.models import FeePayment, Round, Sitting, TableSession
from tables.rules.table.paying import WAYS


@dataclass(frozen=True)
class DayHours:
    """`taken` are cents by hour and table number, of fees in the day's journal that were not taken back;
    `rounds` counts the rounds begun, settled or not."""

    hours: tuple[datetime, ...]
    taken: dict[int, list[int]]
    rounds: list[int]
    dealers: int

    @property
    def taken_by_all(self) -> list[int]:
        return [sum(of_hour) for of_hour in zip(*self.taken.values(), strict=True)] or [0] * len(self.hours)


def day_hours(
    site: Any, day: Any, bounds: tuple[datetime, datetime], sessions: Sequence[TableSession]
) -> DayHours:
    """Return the hours of a day on which these sessions were open. Two queries."""
    hours = hours_of(*bounds)
    taken: defaultdict[int, list[int]] = defaultdict(lambda: [0] * len(hours))
    paid = FeePayment.objects.filter(
        entry__site=site, entry__gaming_day=day, entry__reversed_by__isnull=True, method__in=WAYS
    )
    sums = paid.order_by().values_list("charge__session__table__number", hour_in("taken_at", hours))
    for table, hour, cents in sums.annotate(cents=Sum("charge__cents")):
        taken[table][hour] += cents
    rounds, dealers = [0] * len(hours), set()
    begun = Round.objects.filter(session__in=sessions, started_at__gte=bounds[0], started_at__lt=bounds[1])
    counts = begun.order_by().values_list(hour_in("started_at", hours), "dealer")
    for hour, dealer, count in counts.annotate(count=Count("pk")):
        rounds[hour] += count
        dealers.add(dealer)
    return DayHours(hours, dict(sorted(taken.items())), rounds, len(dealers))


@dataclass(frozen=True)
class DayPeople:
    """How many players sat, and how many of the house made an entry in the day's journal."""

    players: int
    staff: int


def day_people(
    site: Any, day: Any, bounds: tuple[datetime, datetime], sessions: Sequence[TableSession]
) -> DayPeople:
    """Return how many people a day saw; merged entries of players are one. Two queries."""
    start, end = bounds
    there = Q(left_at__isnull=True) | Q(left_at__gte=start)
    sat = Sitting.objects.filter(there, session__in=sessions, entered_at__lt=end)
    person = Coalesce(F("player__merged_into"), F("player"))
    return DayPeople(
        players=sat.aggregate(people=Count(person, distinct=True))["people"],
        staff=entries_on(site, day).order_by().aggregate(people=Count("actor", distinct=True))["people"],
    )
