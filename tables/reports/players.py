"""Finding players, and where each is right now.

Every word of a search must begin one of the player's words (ledger/cage/names.py): each is one range of an
index."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from ledger.cage import names
from tables.models import Player, PlayerMerge, PlayerWord, Sitting, TableSession, WaitingPlace
from tables.state.held_seats import STANDING

SEARCH_LENGTH = 80
"""How many characters of a search are used: enough to find anybody."""
MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """A player with a table and seat, waiting lists, or an empty text."""

    player: Player
    where: str


def find_players(site: Any, text: str) -> QuerySet[Player]:
    """Return the players that a search finds, by name; merged entries as one."""
    words = sorted(set(names.words(text)), key=len, reverse=True)[:MOST_WORDS]
    if not words:
        return Player.objects.none()
    found = every_player(site)
    for word in words:
        found = found.filter(pk__in=PlayerWord.objects.filter(word__begins=word).values("player"))
    return found.order_by("name", "number", "pk")


def every_player(site: Any) -> QuerySet[Player]:
    return Player.objects.filter(site=site, merged_into__isnull=True)


def here_now(site: Any) -> set[int]:
    """Return the ids of the players who sit or wait right now. Two queries."""
    seated = Sitting.objects.filter(session__table__site=site, left_at__isnull=True)
    waiting = WaitingPlace.objects.filter(player__site=site, state__in=STANDING)
    return {player for rows in (seated, waiting) for player in _persons(rows)}


def sat_down(site: Any, start: datetime, end: datetime) -> set[int]:
    """Return the ids of the players who sat at a table between two moments. Two queries."""
    open_then = Q(closed_at__isnull=True) | Q(closed_at__gte=start)
    sessions = TableSession.objects.filter(open_then, table__site=site, opened_at__lt=end)
    still = Q(left_at__isnull=True) | Q(left_at__gte=start)
    of_sessions = list(sessions.values_list("pk", flat=True))
    return set(_persons(Sitting.objects.filter(still, session__in=of_sessions, entered_at__lt=end)))


def _persons(rows: QuerySet[Any]) -> Iterable[int]:
    person = Coalesce(F("player__merged_into"), F("player"))
    found: Iterable[int] = rows.order_by().values_list(person, flat=True)
    return found


def name_of(player: int | None) -> str:
    """Return a player's name in the register; "" for nobody."""
    return "" if player is None else str(Player.objects.get(pk=player))


def with_whereabouts(players: Iterable[Player]) -> list[FoundPlayer]:
    """Return these players with where each is right now. Two queries."""
    every = list(players)
    where = whereabouts(every)
    return [FoundPlayer(player, where.get(player.pk, "")) for player in every]


def whereabouts(players: Sequence[Player]) -> dict[int, str]:
    """Return where players are, by id: "Table 3, seat 2" or "waiting, place 7"."""
    where = {
        place.player_id: f"waiting, place {place.number}"
        for place in WaitingPlace.objects.filter(player__in=players, state__in=STANDING).order_by("-pk")
    }
    seated = Sitting.objects.filter(player__in=players, left_at__isnull=True).select_related("session__table")
    return where | {one.player_id: f"{one.session.table}, seat {one.seat}" for one in seated}


@dataclass(frozen=True, slots=True)
class EntryStep:
    """One step of an entry's history: before and after, or a merge."""

    at: datetime
    actor: Any
    lines: tuple[tuple[str, str, str], ...] = ()
    merge: PlayerMerge | None = None


WORDS = {"name": "Name", "number": "Card number", "description": "Description", "alias": "Alias"}


def history(player: Player) -> list[EntryStep]:
    """Return everything entered about a player, newest first."""
    changes = player.changes.select_related("actor").order_by("-pk")
    merges = PlayerMerge.objects.filter(Q(merged=player) | Q(into=player))
    steps = [
        EntryStep(one.recorded_at, one.actor, merge=one)
        for one in merges.select_related("actor", "approver", "merged", "into")
    ]
    for one in changes:
        lines = ((label, one.before.get(word, ""), one.after.get(word, "")) for word, label in WORDS.items())
        differing = tuple(line for line in lines if line[1] != line[2])
        steps.append(EntryStep(one.recorded_at, one.actor, differing))
    return sorted(steps, key=lambda step: step.at, reverse=True)
