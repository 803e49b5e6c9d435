"""Work that the scheduler does for the floor: telling screens that a down ends or begins. It decides nothing.

What is owed follows from recorded times when a round starts, so a scheduler that sleeps changes no amount.
"""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from tables.live import announce
from tables.queries import load_states, sessions

# Screens hear of a boundary this long before it, so that fees can be collected before the next round.
WARNING = timedelta(minutes=2)


@shared_task
def announce_boundaries(every_seconds: int = 5) -> int:
    """Tell the screens of every table whose down has ended, or ends soon, since the last call; return how many."""
    now = timezone.now()
    since = now - timedelta(seconds=every_seconds)
    told = 0
    for state in load_states(sessions().filter(closed_at__isnull=True)):
        before, after = state.down_ends_at(since), state.down_ends_at(now)
        boundary = before is not None and since < before <= now
        warned = after is not None and since < after - WARNING <= now
        if boundary or warned:
            announce(state.session.pk)
            told += 1
    return told
