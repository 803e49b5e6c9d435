"""The floor's scheduled tasks: notify screens of what has become due, expire held seats, write the daily papers.

They decide no amounts. Fees follow from recorded times when a round starts, so a stopped scheduler changes nothing
owed. A task may run late, be killed half-way or run twice at once; the next run makes up for it.
"""

from datetime import datetime, timedelta
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from tables.floor import attention, games, house_clock, waiting
from tables.live import announce
from tables.models import Table, TableSession
from tables.reports import paper_files
from tables.rules.table import downs
from tables.state.table_state import OPEN, TableState, load_states

# Screens are notified of a boundary this long before it, so that fees can be collected before the next round.
WARNING = timedelta(minutes=2)


@shared_task
def announce_boundaries() -> int:
    """Notify the screens of every table whose down has ended or ends soon, once each; return how many tables.

    The task that advances `told_until` sends the notice, so it is sent once however late or often this runs.
    """
    now = timezone.now()
    notified = 0
    for state in load_states(OPEN.rows()):
        moment = _newest_moment(state, now)
        if moment is not None and _claim(state.session.pk, moment):
            announce(state.session.pk)
            notified += 1
    return notified


@shared_task
def note_sheets() -> int:
    """Record which sheets of its own each house offers, once each; return how many were new."""
    act = Act(actor=None, now=timezone.now())
    return sum(games.note_sheets(site, act=act) for site in houses())


def _newest_moment(state: TableState, now: datetime) -> datetime | None:
    """Return the newest boundary or warning of a table up to `now`; None before its first."""
    if state.latest_down is None:
        return None
    current = state.down_at(now)
    if current is None:  # the clock has been waiting since the boundary
        return downs.down_ends(state.latest_down.started_at, state.rule_stops)
    ends = downs.down_ends(current.started_at, state.rule_stops)
    if ends is not None and ends - WARNING <= now:
        return ends - WARNING
    return current.started_at if current.number > 1 else None


def _claim(session_id: int, moment: datetime) -> bool:
    """Claim the notice of a moment. False if another run has already sent it."""
    untold = Q(told_until__isnull=True) | Q(told_until__lt=moment)
    return bool(TableSession.objects.filter(untold, pk=session_id).update(told_until=moment))


def _sites() -> list[Any]:
    """Return the houses that have tables."""
    return list({table.site_id: table.site for table in Table.objects.select_related("site")}.values())


@shared_task
def watch_clock() -> None:
    """Look at this machine's clock; one that has jumped is doubted."""
    house_clock.look()


@shared_task
def tend_attention() -> int:
    """Raise and clear every house's attention items; return how many rows changed."""
    now = timezone.now()
    return sum(attention.tend(site, now) for site in _sites())


@shared_task
def expire_places() -> int:
    """Mark the calls and held seats that have expired; return how many. Their seats were already free."""
    return waiting.mark_expired(now=timezone.now())


@shared_task
def write_papers() -> int:
    """Write the daily papers of closed gaming days, once per day; return how many days were written."""
    now = timezone.now()
    return sum(paper_files.write_papers(site, settings.PAPERS, now) for site in _sites())
