"""Players by name, card number or description only, and their look-up in the exclusion list."""

from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from ledger.cage import exclusions
from ledger.journal import posting
from ledger.journal.acts import Act
from tables.errors import PlayerUnknown
from tables.models import Player


@dataclass(frozen=True, slots=True)
class Person:
    """Who somebody says they are: a name, a card number, or only a description. Blanks around them do not count."""

    name: str = ""
    number: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, getattr(self, field.name).strip())

    def given(self) -> dict[str, str]:
        """Return what was said, by field."""
        return {name: text for name, text in asdict(self).items() if text}

    def listed(self, site: Any) -> Player | None:
        """Return the player with this card number, or None."""
        return Player.objects.filter(site=site, number=self.number).first() if self.number else None


def know_player(who: Person, *, site: Any, now: datetime) -> Player:
    """Return the player with this card number, else with this name, else a new one.

    A player known only by a description is always new. Refuses `player_unknown` if nothing is given.
    """
    posting.lock_house(site)  # one at a time, or two tables seating the same new name would add two players
    if who.number:
        return who.listed(site) or Player.objects.create(site=site, **asdict(who))
    if who.name:
        _require_no_number(site, who.name, now)
        known = Player.objects.filter(site=site, name=who.name, number="").order_by("pk").first()
        return known or Player.objects.create(site=site, **asdict(who))
    if not who.description:
        raise PlayerUnknown("Enter who sits down: a name, a card number or a description.", field="name")
    return Player.objects.create(site=site, **asdict(who))


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


def require_welcome(who: Person | Player, *, site: Any, doing: str, act: Act) -> None:
    """Look a person up in the exclusion list and refuse them if they are on it (`see_floor`).

    A card number is also looked up by its player's name; a description alone is not looked up. Called before the
    verb's transaction, so that the look-up stays on record even if the verb is refused.
    """
    exclusions.require_welcome(site, known_name(site, who.name, who.number), who.number, act, doing)


def require_welcome_once(who: Person | Player, *, site: Any, doing: str, act: Act) -> None:
    """Look a person up as `require_welcome` does, unless an entry shows that this act was done before."""
    if not posting.sent_before(site, act.key):
        require_welcome(who, site=site, doing=doing, act=act)


def known_name(site: Any, name: str, number: str) -> str:
    """Return the name as given, else the name of the player with this card number, else an empty text."""
    person = Person(name, number)
    known = None if person.name else person.listed(site)
    return known.name if known else person.name
