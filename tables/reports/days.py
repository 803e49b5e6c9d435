"""The events of a gaming day that move no money."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from tables.models import Claim, ClockStop, CorrectionRequest, Match, Round, TableSession
from tables.reports.rounds import rounds


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
