"""How long players waited for a seat lately, by game and limit."""

from collections import defaultdict
from datetime import date, timedelta
from typing import Any

from tables.models import PlaceAct, WaitingPlace

NIGHTS = 14


def waits_lately(site: Any, day: date, **listed: Any) -> dict[tuple[str, int], list[timedelta]]:
    """Return the time from joining a list to the first call, for the players of the last NIGHTS gaming days
    before `day` and of that day; one query. Players who already sat at another table are left out. `listed`:
    of the list of this `game` and `limit_cents` alone."""
    since = day - timedelta(days=NIGHTS)
    of_lists = {"place__site": site, "place__gaming_day__gte": since, "place__sitting": None}
    of_lists |= {f"place__{name}": value for name, value in listed.items()}
    acts = PlaceAct.objects.filter(said__state=WaitingPlace.State.CALLED, **of_lists).order_by("pk")
    facts = ("place", "place__game", "place__limit_cents", "place__joined_at", "at")
    called: dict[int, tuple[tuple[str, int], timedelta]] = {}
    for place, game, limit_cents, joined_at, at in acts.values_list(*facts):
        called.setdefault(place, ((game, limit_cents), at - joined_at))
    found = defaultdict(list)
    for of_list, wait in called.values():
        found[of_list].append(wait)
    return found
