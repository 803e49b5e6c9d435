"""Gaming days that have been closed, written once."""

from django.conf import settings
from django.db import models

from ledger.db.keeping import written_once


class ClosedDay(models.Model):
    """The closing of a gaming day: from here on no entry is dated in it, nor in a day before it.

    `entries` and `totals` are what the journal of the day came to at that moment: how many entries, and what went into
    and out of each kind of account, as canonical JSON in cents.
    """

    keeping = written_once("closed_day")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="closed_days", db_index=False)
    gaming_day = models.DateField()
    closed_at = models.DateTimeField()
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    key = models.CharField(max_length=100)
    terminal = models.CharField(max_length=100, blank=True)
    entries = models.PositiveIntegerField()
    totals = models.TextField(help_text="canonical JSON: kind of account, asset, cents in and out")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["site", "gaming_day"], name="ledger_day_closed_once"),
            models.UniqueConstraint(fields=["site", "key"], name="ledger_closed_day_key"),
        ]

    def __str__(self) -> str:
        return f"Gaming day {self.gaming_day}"
