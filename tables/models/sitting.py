"""Each stay of a player at a table."""

from django.db import models
from django.db.models import Q

from ledger.db.keeping import check, mutable, unique


class Sitting(models.Model):
    """A player's stay at a table, until their chips leave it.

    The fee counts from `entered_at` (R61); `recorded_at` is when staff entered it. The stack account lives as
    long as the sitting. `moved_from` is the sitting before a move (R55), `covered_by` the fee paid there that
    covers the first one here (R62).
    """

    keeping = mutable("entry", "table_event")

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="sittings")
    player = models.ForeignKey("tables.Player", models.PROTECT, related_name="sittings")
    seat = models.PositiveSmallIntegerField()
    stack = models.OneToOneField("ledger.Account", models.PROTECT, related_name="+")
    entered_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)
    sitting_out = models.BooleanField(default=False)
    fantasy_land = models.BooleanField(default=False)
    taken_away_cents = models.BigIntegerField(null=True, blank=True)
    moved_from = models.OneToOneField("self", models.PROTECT, related_name="moved_to", null=True, blank=True)
    covered_by = models.ForeignKey("tables.Charge", models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = [
            check("five_seats", Q(seat__gte=1, seat__lte=5)),
            unique("one_player_per_seat", "session", "seat", where=Q(left_at__isnull=True)),
            unique("one_seat_per_player", "player", where=Q(left_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.player!s} in seat {self.seat}"

    @property
    def person_id(self) -> int:
        """The entry that stands for the player, after merges."""
        return self.player.merged_into_id or self.player_id
