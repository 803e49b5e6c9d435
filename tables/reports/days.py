"""The events of a gaming day that move no money."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q

from tables.models import (
    Claim,
    ClockStop,
    CorrectionRequest,
    Match,
    Round,
    TableSession,
)
from tables.reports.rounds import rounds


@dataclass(frozen=True)
class DayEvents:
    """What happened at the tables between two moments, besides fees: openings, voids, corrections, settlements by hand,
    stops, claims, and matches that were called off."""

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
    """Return the events from `start` up to `end`. Seven queries, however many tables."""
    begun = Q(rounds__started_at__gte=start, rounds__started_at__lt=end)
    open_then = Q(closed_at__isnull=True) | Q(closed_at__gte=start)
    requests = (
        CorrectionRequest.objects.filter(asked_at__gte=start, asked_at__lt=end, site=site)
        .select_related("round__session__table", "asked_by", "decided_by")
        .order_by("asked_at")
    )
    return DayEvents(
        sessions=tuple(
            TableSession.objects.filter(open_then, table__site=site, opened_at__lt=end)
            .select_related("table", "sheet", "opened_by", "closed_by")
            .defer("sheet__raw")
            .annotate(
                settled=Count("rounds", filter=begun & Q(rounds__state=Round.State.SETTLED)),
                void=Count("rounds", filter=begun & Q(rounds__state=Round.State.VOID)),
            )
            .order_by("table__number", "opened_at")
        ),
        voids=tuple(
            rounds()
            .filter(session__table__site=site, state=Round.State.VOID, ended_at__gte=start, ended_at__lt=end)
            .order_by("ended_at")
        ),
        corrections=tuple(requests.filter(hands__isnull=False)),
        stops=tuple(
            ClockStop.objects.filter(session__table__site=site, stopped_at__gte=start, stopped_at__lt=end)
            .select_related("session__table", "stopped_by", "started_by")
            .order_by("stopped_at")
        ),
        claims=tuple(
            Claim.objects.filter(site=site, settlement__settled_at__gte=start, settlement__settled_at__lt=end)
            .select_related(*Claim.SHOWN_WITH, "settlement__round__session__table")
            .order_by("number")
        ),
        called_off=tuple(
            Match.objects.filter(session__table__site=site, called_off_at__gte=start, called_off_at__lt=end)
            .select_related("session__table", "called_off_by")
            .order_by("called_off_at")
        ),
        by_hand=tuple(requests.filter(points__isnull=False)),
    )
