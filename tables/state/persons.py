"""One person behind several entries: what is asked of one entry is asked of all.

Rows keep the player they were written with; `entries_of` finds all. A merged entry neither sits nor waits."""

from datetime import datetime

from django.db.models import F, Q
from django.db.models.functions import Coalesce

from tables.models import Player, PlayerMerge

PERSON = Coalesce(F("player__merged_into_id"), F("player_id"))
"""The person's entry after merges, for rows with a player: `annotate(person=PERSON)`."""


def person_of(player: Player) -> Player:
    return player if player.merged_into is None else player.merged_into


def entries_of(person_id: int) -> Q:
    # As a list: an OR over two tables uses neither index.
    entries = Player.objects.filter(Q(pk=person_id) | Q(merged_into=person_id))
    return Q(player__in=entries.values("pk"))


def entries_then(player_id: int, at: datetime) -> set[int]:
    """Return the entries that were one person with this one at a moment."""
    entries, added = {player_id}, {player_id}
    while added:
        merged = PlayerMerge.objects.filter(into__in=added, recorded_at__lte=at)
        added = set(merged.values_list("merged", flat=True)) - entries
        entries |= added
    return entries
