"""The exclusion list, and every look at it. Names stay in the house: the audit log has salted commitments alone."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ledger.db.keeping import mutable, written_once


class Exclusion(models.Model):
    """Somebody who may not play here (4 CCR 12463-12466), known by name, card number or both; lifted by compliance."""

    keeping = mutable("withheld", withheld=True)

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="exclusions", db_index=False)
    name = models.CharField(max_length=80, blank=True)
    number = models.CharField(max_length=20, blank=True)
    reference = models.CharField(max_length=80, help_text="the list or the order it comes from")
    effective_from = models.DateField()
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False, null=True, blank=True
    )

    class Meta:
        permissions = [("keep_exclusions", "Keeps the exclusion list and reads who looked at it")]
        constraints = [
            models.CheckConstraint(
                condition=~(Q(name="") & Q(number="")), name="ledger_exclusion_known_somehow"
            ),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lifted_by__isnull=True)
                | Q(lifted_at__isnull=False, lifted_by__isnull=False),
                name="ledger_exclusion_lifted_whole",
            ),
        ]
        indexes = [models.Index(fields=["site", "lifted_at"], name="ledger_exclusions_in_force")]

    def __str__(self) -> str:
        return self.name or f"No. {self.number}"


class Withheld(models.Model):
    """Something that is in the audit log without leaving the house: `text` is canonical JSON that says what.

    Its record has only `what` and the commitment, sha256 over `salt`, a line feed and `text`.
    """

    keeping = written_once("withheld", withheld=True)

    class What(models.TextChoices):
        EXCLUSION_LOOK = "exclusion_look"
        EXCLUSION_ADDED = "exclusion_added"
        EXCLUSION_LIFTED = "exclusion_lifted"

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="withheld", db_index=False)
    what = models.CharField(max_length=30, choices=What)
    salt = models.CharField(max_length=64)
    text = models.TextField()
    commitment = models.CharField(max_length=64)
    recorded_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "withheld"
        indexes = [models.Index(fields=["site", "recorded_at"], name="ledger_withheld_times")]
        constraints = [
            models.CheckConstraint(condition=~Q(salt=F("text")), name="ledger_withheld_has_salt"),
        ]

    def __str__(self) -> str:
        return self.get_what_display()
