"""Papers that somebody asked to have made and kept: which one, who makes it now, and how that ended."""

from django.db import models
from django.db.models import F, Q

from ledger.db.keeping import check, mutable, unique
from ledger.models.books import Site
from ledger.models.log import HouseEvent


class KeptPaper(models.Model):
    """A paper made in the background, numbered without gaps. Two events of the house record what was asked
    for and how it ended; this row is only the maker's queue."""

    keeping = mutable(why="Its events say what was asked and made, with the digest of the file.")

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        MAKING = "making", "Being made"
        KEPT = "kept", "Kept"
        FAILED = "failed", "Not made"
        CANCELLED = "cancelled", "Cancelled"

    site = models.ForeignKey(Site, models.PROTECT, related_name="kept_papers", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    asked = models.OneToOneField(HouseEvent, models.PROTECT, related_name="+")
    ended = models.OneToOneField(HouseEvent, models.PROTECT, related_name="+", null=True)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0, help_text="how often its making began")

    class Meta:
        constraints = [
            unique("ledger_kept_paper_number", "site", "number"),
            check("ledger_kept_paper_number_from_one", Q(number__gt=0)),
            check(
                "ledger_kept_paper_ended",
                Q(state__in=("waiting", "making"), ended=None)
                | Q(state__in=("kept", "failed", "cancelled"), ended__isnull=False),
            ),
            models.UniqueConstraint(
                F("site"), condition=Q(state="making"), name="ledger_kept_papers_one_at_a_time"
            ),
        ]
        indexes = [
            models.Index(fields=["site", "number"], condition=Q(ended=None), name="ledger_kept_papers_open")
        ]

    def __str__(self) -> str:
        return f"Paper {self.number}"
