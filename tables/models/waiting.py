"""Waiting lists, and seats held for a player."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from ledger import lengths
from ledger.db.keeping import check, mutable, numbered_from_one, unique, written_once


class WaitingPlace(models.Model):
    """A numbered place on the list of one game and limit, or a held seat. `state` is the last act; expiry
    follows from `until` (waiting.py). `sitting` is the seat of a player who asked for another table (R55). A
    held `seat` of `session` is no entry (R61). `coming_at` and `more_at` are when the player said so on a
    page of their own, since the last act of staff."""

    keeping = mutable("house_event")

    class State(models.TextChoices):
        WAITING = "waiting"
        CALLED = "called"
        HELD = "held"
        SEATED = "seated"
        LEFT = "left"
        EXPIRED = "expired"

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    gaming_day = models.DateField()
    number = models.PositiveIntegerField(help_text="serial, from 1 in every gaming day")
    game = models.CharField(max_length=40)
    limit_cents = models.BigIntegerField()
    player = models.ForeignKey("tables.Player", models.PROTECT, related_name="places")
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    sitting = models.ForeignKey("tables.Sitting", models.PROTECT, related_name="+", null=True, blank=True)
    session = models.ForeignKey(
        "tables.TableSession", models.PROTECT, related_name="held_places", null=True, blank=True
    )
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    until = models.DateTimeField(null=True, blank=True)
    key = models.CharField(max_length=64)
    joined_at = models.DateTimeField()
    joined_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.CharField(max_length=lengths.REASON, blank=True)
    page_hash = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the token of the player's page, in hex"
    )
    page_at = models.DateTimeField(null=True, blank=True, help_text="when that page was made")
    coming_at = models.DateTimeField(null=True, blank=True)
    more_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("one_place_per_page", "page_hash", where=~Q(page_hash="")),
            unique("one_place_per_number_and_day", "site", "gaming_day", "number"),
            unique("one_place_per_key", "site", "key"),
            unique(
                "one_place_per_player_and_list",
                "player",
                "game",
                "limit_cents",
                where=Q(state__in=["waiting", "called", "held"]),
            ),
            unique(
                "one_held_seat", "session", "seat", where=Q(state__in=["called", "held"], seat__isnull=False)
            ),
            check(
                "held_seat_is_at_a_table",
                Q(seat__isnull=True) | Q(session__isnull=False, seat__gte=1, seat__lte=5),
            ),
        ]
        indexes = [models.Index(fields=["site", "state"], name="places_that_stand")]

    def __str__(self) -> str:
        return f"Place {self.number}"


class PlaceAct(models.Model):
    keeping = written_once(
        why="It recognises a request that is sent again; seating from a list is in the log."
    )

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    place = models.ForeignKey(WaitingPlace, models.PROTECT, related_name="acts")
    key = models.CharField(max_length=100)
    said = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        constraints = [numbered_from_one("tables_placeact"), unique("one_place_act_per_key", "site", "key")]

    def __str__(self) -> str:
        return f"{self.said['state']}: place {self.place_id}"
