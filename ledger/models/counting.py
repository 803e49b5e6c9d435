"""Count sheets: the paper of one counting of the drop boxes of a gaming day (4 CCR 12385). The counts on it
are `Count`; triggers let nothing onto a sheet that is signed (ledger/db/sheet_order.py)."""

from django.db import models
from django.db.models import F, Q

from ledger.db.keeping import numbered_from_one, written_once
from ledger.models.books import Site, staff


class CountSheet(models.Model):
    """Begun by a counter for the pulled boxes of a gaming day that are on no sheet yet; numbered without
    gaps. One sheet of a day is open at a time."""

    keeping = written_once("count_sheet")

    site = models.ForeignKey(Site, models.PROTECT, related_name="count_sheets", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    gaming_day = models.DateField(help_text="that of its boxes")
    begun_by = staff()
    begun_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            numbered_from_one("ledger_countsheet"),
            models.UniqueConstraint(fields=["site", "number"], name="ledger_count_sheet_number"),
            models.UniqueConstraint(fields=["site", "key"], name="ledger_count_sheet_key"),
            models.CheckConstraint(condition=Q(number__gt=0), name="ledger_count_sheet_number_from_one"),
        ]
        indexes = [models.Index(fields=["site", "gaming_day"], name="ledger_count_sheet_day")]

    def __str__(self) -> str:
        return f"Count sheet {self.number}"


class CountNote(models.Model):
    """What happened in the count room, noted on the open sheet."""

    keeping = written_once("count_note")

    class Kind(models.TextChoices):
        CAME = "came", "Somebody came"
        WENT = "went", "Somebody left"
        TOLD = "told", "Surveillance was told"
        EMPTY_SHOWN = "empty_shown", "An empty box was shown"

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    sheet = models.ForeignKey(CountSheet, models.PROTECT, related_name="notes")
    kind = models.CharField(max_length=12, choices=Kind)
    text = models.CharField(max_length=200)
    person = staff()
    at = models.DateTimeField()
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            numbered_from_one("ledger_countnote"),
            models.UniqueConstraint(fields=["site", "key"], name="ledger_count_note_key"),
            models.CheckConstraint(
                condition=Q(kind__in=["came", "went", "told", "empty_shown"]) & ~Q(text=""),
                name="ledger_count_note_says_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, count sheet {self.sheet_id}"


class CountSheetSignature(models.Model):
    """Two counters signed a sheet whose boxes all agree. `installed`, `pulled` and `counted` are the gaming
    day's boxes at that moment, `without_box` the tables that had none."""

    keeping = written_once("count_sheet_signed")

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    sheet = models.OneToOneField(CountSheet, models.PROTECT, related_name="signature")
    signed_by = staff()
    signed_with = staff()
    signed_at = models.DateTimeField()
    installed = models.PositiveSmallIntegerField()
    pulled = models.PositiveSmallIntegerField()
    counted = models.PositiveSmallIntegerField()
    without_box = models.JSONField(help_text="names of tables")
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            numbered_from_one("ledger_countsheetsignature"),
            models.UniqueConstraint(fields=["site", "key"], name="ledger_count_sheet_signature_key"),
            models.CheckConstraint(
                condition=~Q(signed_with=F("signed_by")), name="ledger_count_sheet_signed_by_two"
            ),
        ]

    def __str__(self) -> str:
        return f"Signatures of count sheet {self.sheet_id}"
