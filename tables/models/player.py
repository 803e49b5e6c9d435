"""Players as the house knows them, the history of each entry, and the words they are found by."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ledger import lengths
from ledger.cage.names import isolated
from ledger.db import beginnings as beginnings
from ledger.db.keeping import check, mutable, numbered_from_one, recorded, unique, written_once


class Player(models.Model):
    """A player, known by a name, a card number or only a description. `merged_into` is the entry that stands
    for this person, always the last of a chain."""

    keeping = mutable("player_change", "player_merge")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    name = models.CharField(max_length=80, blank=True)
    number = models.CharField(max_length=20, blank=True)
    description = models.CharField(max_length=120, blank=True)
    alias = models.CharField(max_length=60, blank=True)
    merged_into = models.ForeignKey("self", models.PROTECT, related_name="merged", null=True, blank=True)

    class Meta:
        constraints = [
            unique("one_player_per_number", "site", "number", where=~Q(number="")),
            check("player_known_somehow", ~(Q(name="") & Q(number="") & Q(description=""))),
            check("player_merged_into_another", Q(merged_into__isnull=True) | ~Q(merged_into=F("id"))),
        ]
        indexes = [
            models.Index(fields=["site", "name", "number"], name="players_by_name"),
            models.Index(
                fields=["merged_into"], condition=Q(merged_into__isnull=False), name="players_merged"
            ),
        ]

    NAMED_BY = ("name", "number", "description")

    def __str__(self) -> str:
        return self.named(self.name, self.number, self.description)

    @staticmethod
    def named(name: str, number: str, description: str) -> str:
        return name or (f"No. {number}" if number else description)

    def __format__(self, spec: str) -> str:
        """Return the name for a sentence: f"{player} pays"."""
        return isolated(str(self))


class PlayerChange(models.Model):
    """What staff entered about a player: `before` is empty for a new entry. The record has `commitment` in
    place of names: sha256 over `salt`, a line feed and `after` as canonical JSON. `follows` is the commitment
    before. A player's first change has no key: it is part of a buy-in or a waiting place."""

    keeping = recorded("player_change", withheld=True)

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    player = models.ForeignKey(Player, models.PROTECT, related_name="changes")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    salt = models.CharField(max_length=64)
    commitment = models.CharField(max_length=64)
    follows = models.CharField(max_length=64, blank=True)
    recorded_at = models.DateTimeField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            numbered_from_one("tables_playerchange"),
            unique("one_player_change_per_key", "site", "key", where=~Q(key="")),
        ]

    def __str__(self) -> str:
        return "Changed" if self.before else "Entered"


class PlayerWord(models.Model):
    """A folded word of any name, number or description of a player, ever (ledger/cage/names.py)."""

    keeping = written_once(why="It follows from what is recorded of the player, and is compared with that.")

    player = models.ForeignKey(Player, models.PROTECT, related_name="words")
    word = models.CharField(max_length=120, db_index=True)

    class Meta:
        constraints = [
            numbered_from_one("tables_playerword"),
            unique("one_word_per_player", "player", "word"),
        ]

    def __str__(self) -> str:
        return self.word


class PlayerMerge(models.Model):
    """Two entries of one person merged by two people: `into` stands for `merged`. Old rows keep their player.
    `into` is as chosen; `Player.merged_into` follows later merges."""

    keeping = recorded("player_merge")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    number = models.PositiveIntegerField(help_text="serial, from 1")
    merged = models.OneToOneField(Player, models.PROTECT, related_name="merge")
    into = models.ForeignKey(Player, models.PROTECT, related_name="merges")
    recorded_at = models.DateTimeField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    approver = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    terminal = models.CharField(max_length=100, blank=True)
    reason = models.CharField(max_length=lengths.REASON)
    key = models.CharField(max_length=64)

    class Meta:
        constraints = [
            numbered_from_one("tables_playermerge"),
            unique("one_player_merge_per_number", "site", "number"),
            unique("one_player_merge_per_key", "site", "key"),
            check("two_entries_are_merged", ~Q(merged=F("into"))),
            check("two_people_merge", ~Q(actor=F("approver"))),
        ]

    def __str__(self) -> str:
        return f"Merge {self.number}"
