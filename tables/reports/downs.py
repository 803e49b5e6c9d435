"""The dealers and rates of downs, read from pushes, rounds and the log."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import prefetch_related_objects

from tables.models import Down, Rate, Round, TableEvent, TableSession


def dealers_of_downs(session: TableSession) -> dict[int, tuple[Any, ...]]:
    """Return the dealers of each down of a table, by its id, in order; four queries. Pushed in at its start
    or during it, or having started a round of it."""
    downs = list(Down.objects.filter(session=session).order_by("number"))
    pushed = list(session.events.filter(kind=TableEvent.Kind.PUSHED).order_by("pk").values_list("at", "data"))
    dealt = Round.objects.filter(session=session).order_by("number").values_list("down_id", "dealer_id")
    found: dict[int, list[int]] = {}
    for down, after in zip(downs, [*downs[1:], None], strict=False):
        end = after.started_at if after is not None else session.closed_at
        before = [data["dealer"] for at, data in pushed if at <= down.started_at]
        within = [data["dealer"] for at, data in pushed if down.started_at < at and (end is None or at < end)]
        started = [dealer for down_id, dealer in dealt if down_id == down.pk]
        came = [dealer for dealer in (*before[-1:], *within, *started) if dealer is not None]
        found[down.pk] = list(dict.fromkeys(came))
    people = get_user_model().objects.in_bulk({dealer for came in found.values() for dealer in came})
    return {pk: tuple(people[dealer] for dealer in came) for pk, came in found.items()}


def name_dealers(session: TableSession, downs: Iterable[Down]) -> None:
    dealers = dealers_of_downs(session)
    for down in downs:
        down.dealers = dealers.get(down.pk, ())  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class PlayedRate:
    from_down: int
    rate: Rate


def name_rates(sessions: Collection[TableSession]) -> None:
    """Set `rates_played`, oldest first, on each session; one query, two if one has not played."""
    played: defaultdict[int, list[PlayedRate]] = defaultdict(list)
    ids = {session.pk for session in sessions}
    for down in Down.objects.filter(session__in=ids).select_related("rate").order_by("number"):
        rates = played[down.session_id]
        if not rates or rates[-1].rate != down.rate:
            rates.append(PlayedRate(down.number, down.rate))
    prefetch_related_objects([session for session in sessions if session.pk not in played], "rate")
    for session in sessions:
        rates = played.get(session.pk) or [PlayedRate(1, session.rate)]
        session.rates_played = rates  # type: ignore[attr-defined]
