"""Matches: a race over the rounds of a table, for a stake."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from ledger import lengths
from ledger.db.keeping import check, mutable, numbered_from_one, unique, written_once


class Match(models.Model):
    """A race over rounds (R42): stake and players are those of its first round.

    Points and winner follow from the settlements in force. A match called off is over, and nobody pays.
    """

    keeping = mutable("entry", "table_event")

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="matches")
    number = models.PositiveIntegerField()
    stake_cents = models.BigIntegerField()
    called_off_at = models.DateTimeField(null=True, blank=True)
    called_off_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    called_off_reason = models.CharField(max_length=lengths.REASON, blank=True)

    class Meta:
        constraints = [
            unique("one_match_per_number", "session", "number"),
            check("match_stake_above_zero", Q(stake_cents__gt=0)),
            check(
                "match_called_off_with_reason",
                Q(called_off_at__isnull=True, called_off_by__isnull=True, called_off_reason="")
                | Q(called_off_at__isnull=False, called_off_by__isnull=False) & ~Q(called_off_reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"Match {self.number}"


class MatchPlayer(models.Model):
    keeping = written_once("entry")

    match = models.ForeignKey(Match, models.PROTECT, related_name="players")
    sitting = models.ForeignKey("tables.Sitting", models.PROTECT, related_name="matches")

    class Meta:
        constraints = [numbered_from_one("tables_matchplayer"), unique("once_in_a_match", "match", "sitting")]

    def __str__(self) -> str:
        return f"{self.sitting} in match {self.match_id}"
