"""The floor's scheduled tasks: boundaries, expired holds, attention, daily papers.

They decide no amounts. A task may run late, be killed or run twice; the next run makes up for it.
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
from tables.log import paper_files
from tables.models import Table, TableSession
from tables.rules.table import downs
from tables.state.table_state import OPEN, TableState, load_states

# Screens are told this long before a boundary, so that fees can be collected in time.
WARNING = timedelta(minutes=2)


@shared_task
def announce_boundaries() -> int:
    """Notify the screens of tables whose down has ended or ends soon, once each; return how many.

    The task that advances `told_until` sends the notice.
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
    """Record newly offered sheets of each house; return how many."""
    act = Act(actor=None, now=timezone.now())
    return sum(games.note_sheets(site, act=act) for site in houses())


def _newest_moment(state: TableState, now: datetime) -> datetime | None:
    """Return a table's newest boundary or warning up to `now`; None before its first."""
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
    """Claim the notice of a moment; False if another run has sent it."""
    untold = Q(told_until__isnull=True) | Q(told_until__lt=moment)
    return bool(TableSession.objects.filter(untold, pk=session_id).update(told_until=moment))


def _sites() -> list[Any]:
    return list({table.site_id: table.site for table in Table.objects.select_related("site")}.values())


@shared_task
def watch_clock() -> None:
    """Check this machine's clock; one that has jumped is doubted."""
    house_clock.look()


@shared_task
def tend_attention() -> int:
    """Raise and clear every house's attention items; return how many rows changed."""
    now = timezone.now()
    return sum(attention.tend(site, now) for site in _sites())


@shared_task
def expire_places() -> int:
    """Mark expired calls and held seats; return how many. Their seats were already free."""
    return waiting.mark_expired(now=timezone.now())


@shared_task
def write_papers() -> int:
    """Write the daily papers of closed gaming days; return how many days."""
    now = timezone.now()
    return sum(paper_files.write_papers(site, settings.PAPERS, now) for site in _sites())
