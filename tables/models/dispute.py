"""Disputes at a table and complaints, and what was decided (4 CCR 12392)."""

from django.conf import settings
from django.db import models

from ledger import lengths
from ledger.db.keeping import numbered_from_one, written_once
from tables.rules.table.disputes import OUTCOMES, WHAT


class Dispute(models.Model):
    """What somebody disputes at a table, of a round or not; a complaint has no table. `players` are ids, and
    `entered_by` entered the round's result that stood then."""

    keeping = written_once("dispute")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, from 1, of disputes and complaints")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="disputes", null=True)
    round = models.ForeignKey("tables.Round", models.PROTECT, related_name="disputes", null=True)
    players = models.JSONField(default=list)
    what = models.CharField(max_length=8, choices=WHAT)
    text = models.CharField(max_length=lengths.POSTED_REASON, blank=True)
    entered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)
    taken_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    taken_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=64)

    class Meta:
        constraints = [
            numbered_from_one("tables_dispute"),
            models.UniqueConstraint(fields=["site", "number"], name="one_dispute_per_number"),
            models.UniqueConstraint(fields=["site", "key"], name="one_dispute_per_key"),
        ]

    def __str__(self) -> str:
        return f"Complaint {self.number}" if self.session_id is None else f"Dispute {self.number}"


class DisputeDecision(models.Model):
    """What was decided; `entry` corrected it. `told`: the players were told."""

    keeping = written_once("dispute_decision")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+", db_index=False)
    dispute = models.OneToOneField(Dispute, models.PROTECT, related_name="decision")
    outcome = models.CharField(max_length=10, choices={code: one.words for code, one in OUTCOMES.items()})
    entry = models.ForeignKey("ledger.JournalEntry", models.PROTECT, related_name="+", null=True)
    text = models.CharField(max_length=lengths.POSTED_REASON)
    told = models.BooleanField(default=False)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=64)

    class Meta:
        constraints = [
            numbered_from_one("tables_disputedecision"),
            models.UniqueConstraint(fields=["site", "key"], name="one_dispute_decided_per_key"),
        ]

    def __str__(self) -> str:
        return f"Decision of {self.dispute}"
