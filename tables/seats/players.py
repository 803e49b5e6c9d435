"""Players by name, card number or description: finding, entering, exclusion look-up."""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from ledger.cage import exclusions
from ledger.cage.names import found_by, isolated, spelled
from ledger.errors import Question
from ledger.journal import posting, records, withholding
from ledger.journal.acts import Act
from ledger.records import canonical
from tables.errors import PlayerAlike, PlayerMerged, PlayerUnknown
from tables.models import Player, PlayerChange, PlayerWord
from tables.state.persons import entries_of, person_of

NOBODY_OF_THEM = "nobody"
"""The answer that somebody is a new player, though the register has the name."""
WORDS = ("name", "number", "description", "alias")
"""What the house knows of a player, as `PlayerChange` records it."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who a person says they are. `known` is the entry chosen from a list, while name and number match it.
    `said` answers which of the register's people with this name it is: an entry, or NOBODY_OF_THEM."""

    name: str = ""
    number: str = ""
    description: str = ""
    known: int | None = None
    said: str = ""

    def __post_init__(self) -> None:
        for field in ("name", "number", "description"):
            object.__setattr__(self, field, getattr(self, field).strip())

    def words(self) -> dict[str, str]:
        return {"name": self.name, "number": self.number, "description": self.description}

    def given(self) -> dict[str, str]:
        return {name: text for name, text in self.words().items() if text}

    def listed(self, site: Any) -> Player | None:
        return Player.objects.filter(site=site, number=self.number).first() if self.number else None

    def named(self, site: Any) -> Player | None:
        """Return the player without a card number who has this name, or None."""
        same = Player.objects.filter(site=site, name=self.name, number="").order_by("pk")
        return same.first() if self.name else None

    def alike(self, site: Any) -> list[Player]:
        """Return the people of the register whose name is spelled the same when folded, unless two card
        numbers tell them apart."""
        if not spelled(self.name):
            return []
        own = Player.objects.filter(site=site, merged_into__isnull=True)
        for word in spelled(self.name):
            own = own.filter(words__word=word)
        found = own.filter(number="") if self.number else own
        return [one for one in found.order_by("pk").distinct() if spelled(one.name) == spelled(self.name)]

    def answered(self, site: Any) -> Player | None:
        """Return the entry that somebody said this person is."""
        return next((one for one in self.alike(site) if str(one.pk) == self.said), None)

    def chosen(self, site: Any) -> Player | None:
        """Return the entry chosen from a list, if name and number are still its own."""
        if self.known is None:
            return None
        entry = Player.objects.filter(site=site, pk=self.known, name=self.name, number=self.number).first()
        told_apart = self.name or self.number or (entry and entry.description == self.description)
        return entry if told_apart else None


def know_player(who: Person, *, site: Any, act: Act) -> Player:
    """Return the chosen player, else by card number, else by name, else a new one. A merged entry gives the
    one that stands for the person. One with only a description is new unless chosen. Refuses `player_unknown`
    if nothing is given, and `player_alike` where the register has this name in another spelling, until
    somebody has said whether it is that person."""
    posting.lock_house(site)  # one at a time, or two tables seating the same new name would add two players
    found = who.chosen(site) or who.listed(site)
    if found is None and who.name and not who.number:
        _require_no_number(site, who.name, act.now)
        found = who.named(site)
    if found is not None:
        return person_of(found)
    if not who.given():
        raise PlayerUnknown("Enter who sits down: a name, a card number or a description.", field="name")
    alike = who.alike(site)
    found = who.answered(site)
    if alike and found is None and who.said != NOBODY_OF_THEM:
        raise _asked(who, alike)
    player = found or enter_player(site=site, **who.words(), act=act)
    if alike:
        _note_answer(who, player, alike, act)
    return player


def _asked(who: Person, alike: list[Player]) -> PlayerAlike:
    answers = [(str(one.pk), f"It is {described(one)}") for one in alike]
    return PlayerAlike(
        f"The register has {isolated(who.name)} in another spelling or without this card number. Is it the"
        " same person?",
        field="name",
        question=Question(
            {"player": [one.pk for one in alike]},
            (*answers, (NOBODY_OF_THEM, "It is somebody else, and a new player")),
        ),
    )


def described(player: Player) -> str:
    """Return what tells apart entries of the same name."""
    parts = [str(player), player.number and player.name and f"No. {player.number}", player.description]
    return ", ".join(dict.fromkeys(part for part in parts if part)) + f" (entry {player.pk})"


def _note_answer(who: Person, player: Player, alike: list[Player], act: Act) -> None:
    """Record an answer of the staff: which entry of the register this person is, or that it is none with this
    name."""
    payload = {
        "actor": act.actor.pk,
        "name": who.name,
        "number": who.number,
        "player": player.pk,
        "alike": [one.pk for one in alike],
        "is": any(one.pk == player.pk for one in alike),
    }
    withholding.withhold(player.site, withholding.PERSON_ANSWER, payload, act.now)


def require_own(player: Player, field: str | None = None) -> None:
    """Refuse a merged entry (`player_merged`)."""
    if player.merged_into_id is not None:
        into = player.merged_into
        raise PlayerMerged(f"This entry was merged into that of {into}: use that one.", field=field)


def enter_player(*, site: Any, name: str = "", number: str = "", description: str = "", act: Act) -> Player:
    player = Player.objects.create(site=site, name=name, number=number, description=description)
    write_change(player, {}, act)
    return player


def said_of(player: Player) -> dict[str, str]:
    return {name: getattr(player, name) for name in WORDS}


def write_change(player: Player, before: dict[str, str], act: Act, *, key: str = "") -> PlayerChange:
    """Record a player's entry before and after a change, and its search words."""
    after, salt = said_of(player), secrets.token_hex(32)
    last = player.changes.order_by("-pk").values_list("commitment", flat=True).first()
    change = PlayerChange.objects.create(
        site=player.site,
        player=player,
        before=before,
        after=after,
        salt=salt,
        commitment=canonical.commitment(salt, canonical.text(after)),
        follows=last or "",
        recorded_at=act.now,
        actor=act.actor,
        terminal=act.terminal,
        key=key,
    )
    records.keep(player.site_id, act.now, change)
    write_words(player, found_by(after.values()))
    return change


def write_words(player: Player, words: set[str]) -> None:
    """Add a player's search words. None is ever removed: a former name still finds them."""
    missing = words.difference(player.words.values_list("word", flat=True)) if words else words
    PlayerWord.objects.bulk_create(PlayerWord(player=player, word=word) for word in sorted(missing))


def _require_no_number(site: Any, name: str, now: datetime) -> None:
    """Refuse the name of a player with a card number who played here within the return interval. As a new
    player they would owe a fee twice (R62) and could bring back less (R52)."""
    since = now - timedelta(minutes=site.return_minutes)
    lately = Q(sittings__left_at__isnull=True) | Q(sittings__left_at__gte=since)
    player = (
        Player.objects.filter(lately, site=site, name=name, sittings__isnull=False).exclude(number="").first()
    )
    if player is not None:
        raise PlayerUnknown(
            f"{player} has played here with card number {player.number}: enter the number, or tell the two"
            " apart.",
            field="name",
        )


def require_welcome(who: Person | Player, *, site: Any, doing: str, act: Act) -> None:
    """Refuse a person on the exclusion list (`see_floor`). Looks up every known name and number; a
    description alone is not looked up. Called before the verb's transaction, so that the look-up stays on
    record even if the verb is refused."""
    for name, number in names_of(site, who):
        exclusions.require_welcome(site, name, number, act, doing)


def require_welcome_once(who: Person | Player, *, site: Any, doing: str, act: Act) -> None:
    """Look a person up as `require_welcome` does, unless this act was done before."""
    if not posting.sent_before(site, act.key):
        require_welcome(who, site=site, doing=doing, act=act)


def names_of(site: Any, who: Person | Player) -> list[tuple[str, str]]:
    """Return the names and numbers to look up, given and former: a change or merge hides nobody."""
    if isinstance(who, Player):
        player: Player | None = who
    else:
        player = who.answered(site) or who.chosen(site) or who.listed(site) or who.named(site)
        if player is None and len(alike := who.alike(site)) == 1 and who.said != NOBODY_OF_THEM:
            player = alike[0]
    person = Person(who.name, who.number)
    listed = None if person.name else person.listed(site)
    given = (listed.name if listed else person.name, who.number)
    return list(dict.fromkeys([given, *(_ever_known_as(player) if player else ())]))


def known_as(player_ids: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    """Return every name with its number that each of these people has, or has had; two entries of one person
    together."""
    wanted = list(player_ids)
    merged = Player.objects.filter(merged_into__in=wanted).values_list("pk", "merged_into")
    person: dict[int, Any] = {**{pk: pk for pk in wanted}, **dict(merged)}
    known: dict[int, list[tuple[str, str]]] = {}
    changes = PlayerChange.objects.filter(player__in=[*person]).order_by("pk").values_list("player", "after")
    for player, after in changes:
        known.setdefault(person[player], []).append((after.get("name", ""), after.get("number", "")))
    return known


def _ever_known_as(player: Player) -> Iterator[tuple[str, str]]:
    changes = PlayerChange.objects.filter(entries_of(player.merged_into_id or player.pk)).order_by("pk")
    for after in changes.values_list("after", flat=True):
        words = (after.get("name", ""), after.get("number", ""))
        if any(words):
            yield words
