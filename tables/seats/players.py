"""Who plays here: a person known by a name, a card number or only a description, and the exclusion list asked of them."""

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
    """Return the player with this card number, else with this name; a new one where there is none.

    A player known only by a description is always a new one. Refuses `player_unknown` where nothing is given.
    """
    name, number, description = name.strip(), number.strip(), description.strip()
    posting.lock_house(
        site
    )  # one at a time, or two tables that seat a new name at once would make two players of it
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
        raise PlayerUnknown("Say who sits down: a name, a card number or a description.", field="name")
    return Player.objects.create(site=site, description=description)


def _require_no_number(site: Any, name: str, now: datetime) -> None:
    """Refuse a name that a player with a card number has, who plays here or did within the return interval.

    Taken for somebody else, that player would owe a fee twice (R62) and bring back less than was taken away (R52).
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
    """Ask the exclusion list about whoever these words mean, and refuse whoever is on it (`see_floor`).

    A card number also stands for the name that its player is known by. Nothing is asked of a mere description. Called
    before the transaction of the verb, for the look stays on record also where the verb is refused.
    """
    exclusions.require_welcome(site, known_name(site, name, number), number, act, doing)


def known_name(site: Any, name: str, number: str) -> str:
    """The name as it was given, else the one that the player with this card number is known by; empty without either."""
    number = number.strip()
    if name.strip() or not number:
        return name.strip()
    return Player.objects.filter(site=site, number=number).values_list("name", flat=True).first() or ""
