"""Who dealt: the dealers of each down, read from pushes and rounds, and who could come in. Nothing is written."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from tables.models import Down, Round, TableEvent, TableSession


def dealers_of_downs(session: TableSession) -> dict[int, tuple[Any, ...]]:
    """The dealers of each down of a table by its id: in the order in which they came; four queries.

    Whoever was pushed in when the down began, came in while it ran, or started a round of it.
    """
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
    """Give each of these downs of one table its `dealers`, for a page to show."""
    found = dealers_of_downs(session)
    for down in downs:
        down.dealers = found.get(down.pk, ())


def with_pins(*rights: str, but: Any = None) -> QuerySet[Any]:
    """Everybody who works here with one of these rights (their names without the app) and has a PIN, by name."""
    people = get_user_model().objects.filter(is_active=True).exclude(pin="")
    if but is not None:
        people = people.exclude(pk=but.pk)
    return people.filter(groups__permissions__codename__in=rights).distinct().order_by("username")
