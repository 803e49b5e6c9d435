"""Each stay of a player at a table."""

from django.db import models
from django.db.models import Q

from ledger.db.keeping import mutable


class Sitting(models.Model):
    """A player's stay at a table, from the first buy-in or arrival until they take their chips away or elsewhere.

    `entered_at` is what the collection counts from (R61); `recorded_at` is when staff entered it. The stack is
    an account of the ledger that lives as long as the sitting. `taken_away_cents` is what left the table with the
    player; where that was a move, the sitting it went to has this one as `moved_from` (R55). `covered_by` is the fee
    paid at the table before that stands for the first one here (R62).
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
            models.CheckConstraint(condition=Q(seat__gte=1, seat__lte=5), name="five_seats"),
            models.UniqueConstraint(
                fields=["session", "seat"], condition=Q(left_at__isnull=True), name="one_player_per_seat"
            ),
            models.UniqueConstraint(
                fields=["player"], condition=Q(left_at__isnull=True), name="one_seat_per_player"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player!s} in seat {self.seat}"

    @property
    def person_id(self) -> int:
        """The entry that stands for the player: another one where two entries of one person were merged since."""
        return self.player.merged_into_id or self.player_id
