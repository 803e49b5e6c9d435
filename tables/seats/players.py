"""Players by name, card number or description only, and their look-up in the exclusion list."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from ledger.cage import exclusions
from ledger.journal import posting
from ledger.journal.acts import Act
from tables.errors import PlayerUnknown
from tables.models import Player


def know_player(
    *, site: Any, now: datetime, name: str = "", number: str = "", description: str = ""
) -> Player:
    """Return the player with this card number, else with this name, else a new one.

    A player known only by a description is always new. Refuses `player_unknown` if nothing is given.
    """
    name, number, description = name.strip(), number.strip(), description.strip()
    posting.lock_house(site)  # one at a time, or two tables seating the same new name would add two players
    if number:
        player, _ = Player.objects.get_or_create(
            site=site, number=number, defaults={"name": name, "description": description}
        )
        return player
    if name:
        _require_no_number(site, name, now)
        known = Player.objects.filter(site=site, name=name, number="").order_by("pk").first()
        return known or Player.objects.create(site=site, name=name, description=description)
    if not description:
        raise PlayerUnknown("Enter who sits down: a name, a card number or a description.", field="name")
    return Player.objects.create(site=site, description=description)


def _require_no_number(site: Any, name: str, now: datetime) -> None:
    """Refuse the name of a player with a card number who plays here, or did within the return interval.

    Added again as a new player, they would owe a fee twice (R62) and could bring back less than they took away (R52).
    """
    since = now - timedelta(minutes=site.return_minutes)
    lately = Q(sittings__left_at__isnull=True) | Q(sittings__left_at__gte=since)
    player = (
        Player.objects.filter(lately, site=site, name=name, sittings__isnull=False).exclude(number="").first()
    )
    if player is not None:
        raise PlayerUnknown(
            f"{name} has played here with card number {player.number}: enter the number, or tell the two apart.",
            field="name",
        )


def require_welcome(*, site: Any, name: str = "", number: str = "", doing: str, act: Act) -> None:
    """Look a person up in the exclusion list and refuse them if they are on it (`see_floor`).

    A card number is also looked up by its player's name; a description alone is not looked up. Called before the
    verb's transaction, so that the look-up stays on record even if the verb is refused.
    """
    exclusions.require_welcome(site, known_name(site, name, number), number, act, doing)


def known_name(site: Any, name: str, number: str) -> str:
    """Return the name as given, else the name of the player with this card number, else an empty text."""
    number = number.strip()
    if name.strip() or not number:
        return name.strip()
    return Player.objects.filter(site=site, number=number).values_list("name", flat=True).first() or ""
