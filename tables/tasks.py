"""Work that the scheduler does for the floor: telling screens and people what has become due, and writing papers.

It decides nothing. What is owed follows from recorded times when a round starts, so a scheduler that sleeps changes no
amount; each task can be late, be killed half-way, or run twice at once, and the next run makes up for it.
"""

from datetime import datetime, timedelta
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from tables.floor import attention, calling
from tables.live import announce
from tables.models import Table, TableSession
from tables.reports import paper_files
from tables.rules.table import downs
from tables.state.table_state import OPEN, TableState, load_states

# Screens hear of a boundary this long before it, so that fees can be collected before the next round.
WARNING = timedelta(minutes=2)


@shared_task
def announce_boundaries() -> int:
    """Tell the screens of every table whose down has ended, or ends soon, and was not told of yet; return how many.

    Whoever moves `told_until` on tells: once, however late it is and however many ask at the same time.
    """
    now = timezone.now()
    told = 0
    for state in load_states(OPEN.rows()):
        moment = _newest_moment(state, now)
        if moment is not None and _claim(state.session.pk, moment):
            announce(state.session.pk)
            told += 1
    return told


def _newest_moment(state: TableState, now: datetime) -> datetime | None:
    """The newest boundary or warning of a table up to `now`; None before its first."""
    if state.latest_down is None:
        return None
    current = state.down_at(now)
    if current is None:  # the clock waits, from the boundary on
        return downs.down_ends(state.latest_down.started_at, state.rule_stops)
    ends = downs.down_ends(current.started_at, state.rule_stops)
    if ends is not None and ends - WARNING <= now:
        return ends - WARNING
    return current.started_at if current.number > 1 else None


def _claim(session_id: int, moment: datetime) -> bool:
    """Take it upon oneself to tell of a moment, unless somebody has."""
    untold = Q(told_until__isnull=True) | Q(told_until__lt=moment)
    return bool(TableSession.objects.filter(untold, pk=session_id).update(told_until=moment))


def _sites() -> list[Any]:
    """The houses that have tables."""
    return list({table.site_id: table.site for table in Table.objects.select_related("site")}.values())


@shared_task
def tend_attention() -> int:
    """Raise and clear what waits for somebody in every house; return how many rows changed."""
    now = timezone.now()
    return sum(attention.tend(site, now) for site in _sites())


@shared_task
def expire_places() -> int:
    """Mark the calls and held seats that have run out; return how many. Their seats were free before."""
    return calling.mark_expired(now=timezone.now())


@shared_task
def write_papers() -> int:
    """Write the papers of gaming days that have been closed, each day once; return how many days."""
    now = timezone.now()
    return sum(paper_files.write_papers(site, settings.PAPERS, now) for site in _sites())
