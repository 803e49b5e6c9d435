"""Attention items of the floor, raised and cleared by the scheduler; and when tables' tablets were heard."""

from django.db import models
from django.db.models import F, Q

from ledger.db.keeping import mutable


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
            models.UniqueConstraint(
                fields=["site", "kind", "subject"],
                condition=Q(cleared_at__isnull=True),
                name="attention_raised_once",
            ),
        ]
        indexes = [models.Index(fields=["site", "subject"], name="needs_by_subject")]

    def __str__(self) -> str:
        return self.sentence


class TabletContact(models.Model):
    """A table's tablet was heard up to `heard_at`. Where it had been silent before while somebody dealt to
    players, it says from when to when."""

    keeping = mutable(why="It says when a tablet was there; what was played is in the records of the table.")

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="tablet_contacts")
    heard_at = models.DateTimeField()
    silent_from = models.DateTimeField(null=True, blank=True)
    silent_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(silent_from__isnull=True, silent_until__isnull=True)
                | Q(silent_until__gt=F("silent_from")),
                name="silence_of_a_tablet_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session.table}, heard {self.heard_at:%H:%M:%S} UTC"
