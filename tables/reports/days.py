"""A gaming day at the tables: its events that move no money, and hour by hour what each table took and how
many rounds were dealt; the tables without a drop box. Reads only."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from ledger.cage.boxes import boxes_of
from ledger.reports.cage_hours import hour_in, hours_of
from ledger.reports.journal_jsonl import entries_on
from tables.models import (
    Claim,
    ClockStop,
    CorrectionRequest,
    FeePayment,
    Match,
    Round,
    Sitting,
    Table,
    TableSession,
)
from tables.reports.rounds import rounds
from tables.rules.table.paying import WAYS


@dataclass(frozen=True)
class DayEvents:
    """What happened at the tables between two moments, besides fees."""

    sessions: tuple[TableSession, ...]
    voids: tuple[Round, ...]
    corrections: tuple[CorrectionRequest, ...]
    stops: tuple[ClockStop, ...]
    claims: tuple[Claim, ...]
    called_off: tuple[Match, ...]
    by_hand: tuple[CorrectionRequest, ...]

    @property
    def settled(self) -> int:
        return sum(session.settled for session in self.sessions)  # type: ignore[attr-defined]


def day_events(site: Any, start: datetime, end: datetime) -> DayEvents:
    """Return the events from `start` up to `end`. Seven queries."""

    def within(model: Any, moment: str, *related: str, **found: Any) -> QuerySet[Any]:
        found |= {f"{moment}__gte": start, f"{moment}__lt": end}
        rows: QuerySet[Any] = model.objects.filter(**found)
        return rows.select_related(*related).order_by(moment)

    begun = Q(rounds__started_at__gte=start, rounds__started_at__lt=end)
    open_then = Q(closed_at__isnull=True) | Q(closed_at__gte=start)
    here = {"session__table__site": site}
    requests = within(
        CorrectionRequest, "asked_at", "round__session__table", "asked_by", "decided_by", site=site
    )
    owed = within(
        Claim, "settlement__settled_at", *Claim.SHOWN_WITH, "settlement__round__session__table", site=site
    )
    sessions = tuple(
        TableSession.objects.filter(open_then, table__site=site, opened_at__lt=end)
        .select_related("table", "sheet", "opened_by", "closed_by")
        .defer("sheet__raw")
        .annotate(
            settled=Count("rounds", filter=begun & Q(rounds__state=Round.State.SETTLED)),
            void=Count("rounds", filter=begun & Q(rounds__state=Round.State.VOID)),
        )
        .order_by("table__number", "opened_at")
    )
    return DayEvents(
        sessions=sessions,
        voids=tuple(  # by session: rounds have no index by end
            rounds()
            .filter(session__in=sessions, state=Round.State.VOID, ended_at__gte=start, ended_at__lt=end)
            .order_by("ended_at")
        ),
        corrections=tuple(requests.filter(hands__isnull=False)),
        stops=tuple(within(ClockStop, "stopped_at", "session__table", "stopped_by", "started_by", **here)),
        claims=tuple(owed.order_by("number")),
        called_off=tuple(within(Match, "called_off_at", "session__table", "called_off_by", **here)),
        by_hand=tuple(requests.filter(points__isnull=False)),
    )


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


def without_box(site: Any, day: date) -> list[str]:
    places = {box.place for box in boxes_of(site, day).boxes}
    tables = Table.objects.filter(site=site, retired_at__isnull=True).order_by("number")
    return [str(table) for table in tables if str(table) not in places]
