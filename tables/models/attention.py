"""Attention items of the floor, raised and cleared by the scheduler."""

from django.db import models
from django.db.models import Q

from ledger.db.keeping import mutable, unique


class Attention(models.Model):
    """Something staff should see to. Derived from other rows, so no evidence; raised once while it lasts."""

    keeping = mutable(why="It is what screens were told; no paper reads it.")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    session = models.ForeignKey(
        "tables.TableSession", models.PROTECT, related_name="+", null=True, blank=True
    )
    kind = models.CharField(max_length=30)
    subject = models.CharField(max_length=60)
    sentence = models.CharField(max_length=200)
    raised_at = models.DateTimeField()
    cleared_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "attention"
        constraints = [
            unique("attention_raised_once", "site", "kind", "subject", where=Q(cleared_at__isnull=True))
        ]
        indexes = [models.Index(fields=["site", "subject"], name="needs_by_subject")]

    def __str__(self) -> str:
        return self.sentence
