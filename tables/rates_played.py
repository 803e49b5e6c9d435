"""The rates that a table has played at, in turn: a change takes effect with a down, and earlier downs keep theirs (R64)."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import prefetch_related_objects

from tables.models import Down, Schedule, TableSession


@dataclass(frozen=True, slots=True)
class PlayedRate:
    """A rate, and the number of the down from which it held."""

    from_down: int
    schedule: Schedule


def name_rates(sessions: Collection[TableSession]) -> None:
    """Give each opening of a table its `rates_played`, oldest first; one query, however many.

    A table that has not played yet has the rate of its opening; those cost one query more.
    """
    played: defaultdict[int, list[PlayedRate]] = defaultdict(list)
    ids = {session.pk for session in sessions}
    for down in Down.objects.filter(session__in=ids).select_related("schedule").order_by("number"):
        rates = played[down.session_id]
        if not rates or rates[-1].schedule != down.schedule:
            rates.append(PlayedRate(down.number, down.schedule))
    prefetch_related_objects([session for session in sessions if session.pk not in played], "schedule")
    for session in sessions:
        session.rates_played = played.get(session.pk) or [PlayedRate(1, session.schedule)]
