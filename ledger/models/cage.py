"""Cage slips: chips and cash that come into the float of the cage or leave it, counted by two people. Written once."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from ledger.db.keeping import written_once


def _person() -> Any:
    return models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)


class CageSlip(models.Model):
    """The first count of what comes into the cage or leaves it, by denomination. Its number is of a series without gaps."""

    keeping = written_once("cage_slip")

    class Way(models.TextChoices):
        IN = "in", "Into the cage"
        OUT = "out", "Out of the cage"

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="cage_slips", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    way = models.CharField(max_length=3, choices=Way)
    gaming_day = models.DateField()
    pieces = models.JSONField(help_text="[denomination in cents, pieces] by asset")
    chips_cents = models.BigIntegerField()
    cash_cents = models.BigIntegerField()
    counted_by = _person()
    counted_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["site", "number"], name="ledger_cage_slip_number"),
            models.UniqueConstraint(fields=["site", "key"], name="ledger_cage_slip_key"),
            models.CheckConstraint(condition=Q(way__in=["in", "out"]), name="ledger_cage_slip_way"),
            models.CheckConstraint(
                condition=Q(chips_cents__gte=0, cash_cents__gte=0)
                & (Q(chips_cents__gt=0) | Q(cash_cents__gt=0)),
                name="ledger_cage_slip_counts_something",
            ),
        ]
        indexes = [models.Index(fields=["site", "gaming_day"], name="ledger_cage_slip_day")]

    def __str__(self) -> str:
        return f"Cage slip {self.number}"


class CageSlipResult(models.Model):
    """How a cage slip ended: both counts agreed and it was posted, they differed, or it was withdrawn for a reason."""

    keeping = written_once("cage_slip_result")

    class Outcome(models.TextChoices):
        POSTED = "posted", "Posted"
        DIFFERED = "differed", "Counts differed"
        WITHDRAWN = "withdrawn", "Withdrawn"

    slip = models.OneToOneField(CageSlip, models.PROTECT, related_name="result")
    outcome = models.CharField(max_length=10, choices=Outcome)
    pieces = models.JSONField(help_text="the second count; without pieces if the slip was withdrawn")
    chips_cents = models.BigIntegerField()
    cash_cents = models.BigIntegerField()
    person = _person()
    at = models.DateTimeField()
    reason = models.TextField(blank=True)
    entry = models.OneToOneField("ledger.JournalEntry", models.PROTECT, related_name="cage_slip", null=True)
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome="posted", entry__isnull=False)
                | Q(outcome__in=["differed", "withdrawn"], entry__isnull=True),
                name="ledger_cage_slip_posted_has_entry",
            ),
            models.CheckConstraint(
                condition=~Q(outcome="withdrawn") | ~Q(reason=""),
                name="ledger_cage_slip_withdrawn_with_reason",
            ),
            models.CheckConstraint(
                condition=Q(chips_cents__gte=0, cash_cents__gte=0), name="ledger_cage_slip_count_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"Result of cage slip {self.slip_id}"


class ReversalSlip(models.Model):
    """What was taken back, in a numbered series: its entry names the first one, and says who did it, with whom and why."""

    keeping = written_once("entry")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="reversal_slips", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    entry = models.OneToOneField("ledger.JournalEntry", models.PROTECT, related_name="reversal_slip")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["site", "number"], name="ledger_reversal_slip_number"),
        ]

    def __str__(self) -> str:
        return f"Reversal slip {self.number}"

    @property
    def cents(self) -> int:
        """The amount that went back; chips and cash against each other are one amount, a waiver none."""
        return next((line.cents for line in self.entry.transfers.all()), 0)
