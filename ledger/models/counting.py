"""Count sheets: the paper of one counting of the drop boxes of a gaming day (4 CCR 12385). The counts on it
are `Count`; triggers let nothing onto a sheet that is signed (ledger/db/sheet_order.py)."""

from django.db import models
from django.db.models import F, Q

from ledger.db.keeping import check, numbered_from_one, recorded, unique
from ledger.models.books import DropBox, Site, staff


class CountSheet(models.Model):
    """A count sheet, begun by a counter for the pulled boxes of a gaming day that are on no sheet yet;
    numbered without gaps. A day has one open sheet at a time."""

    keeping = recorded("count_sheet")

    site = models.ForeignKey(Site, models.PROTECT, related_name="count_sheets", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    gaming_day = models.DateField(help_text="that of its boxes")
    begun_by = staff()
    begun_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=100)
    to_cashier = models.BooleanField(
        null=True, help_text="its money is received by a cashier's own count; empty for those of 0.2.0"
    )

    class Meta:
        constraints = [
            numbered_from_one("ledger_countsheet"),
            unique("ledger_count_sheet_number", "site", "number"),
            unique("ledger_count_sheet_key", "site", "key"),
            check("ledger_count_sheet_number_from_one", Q(number__gt=0)),
        ]
        indexes = [models.Index(fields=["site", "gaming_day"], name="ledger_count_sheet_day")]

    def __str__(self) -> str:
        return f"Count sheet {self.number}"


class BoxReceipt(models.Model):
    """Two people brought a pulled box into storage or the count room; the first of them received it there.
    `seal` is what they read; if it is not the box's, `reason` says why."""

    keeping = recorded("box_received")

    class Place(models.TextChoices):
        COUNT_ROOM = "count_room", "Count room"
        STORAGE = "storage", "Locked storage"

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    box = models.ForeignKey(DropBox, models.PROTECT, related_name="receipts", db_index=False)
    ordinal = models.PositiveSmallIntegerField(help_text="from 1: from the table, later from storage")
    place = models.CharField(max_length=10, choices=Place)
    seal = models.CharField(max_length=20, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    person = staff()
    second = staff()
    at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            numbered_from_one("ledger_boxreceipt"),
            unique("ledger_box_receipt_ordinal", "box", "ordinal"),
            unique("ledger_box_receipt_key", "site", "key"),
            check("ledger_box_received_by_two", ~Q(second=F("person"))),
            check("ledger_box_receipt_place", Q(place__in=["count_room", "storage"], ordinal__gt=0)),
        ]

    def __str__(self) -> str:
        return f"Receipt {self.ordinal} of box {self.box_id}"


class CountNote(models.Model):
    """What happened in the count room, noted on the open sheet."""

    keeping = recorded("count_note")

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
            unique("ledger_count_note_key", "site", "key"),
            check(
                "ledger_count_note_says_something",
                Q(kind__in=["came", "went", "told", "empty_shown"]) & ~Q(text=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, count sheet {self.sheet_id}"


class CountSheetSignature(models.Model):
    """Two counters signed a sheet whose boxes all agree. `installed`, `pulled` and `counted` are the gaming
    day's boxes at that moment, `without_box` the tables that had none."""

    keeping = recorded("count_sheet_signed")

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
            unique("ledger_count_sheet_signature_key", "site", "key"),
            check("ledger_count_sheet_signed_by_two", ~Q(signed_with=F("signed_by"))),
        ]

    def __str__(self) -> str:
        return f"Signatures of count sheet {self.sheet_id}"


class CountSheetReceipt(models.Model):
    """A cashier received the money of a signed sheet by their own count. If it differs from the counters', a
    second person signs, with the reason."""

    keeping = recorded("count_sheet_received")

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    sheet = models.OneToOneField(CountSheet, models.PROTECT, related_name="receipt")
    pieces = models.JSONField(help_text="[denomination in cents, pieces] by asset")
    chips_cents = models.BigIntegerField()
    cash_cents = models.BigIntegerField()
    received_by = staff()
    received_with = staff(null=True)
    reason = models.TextField(blank=True)
    received_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            numbered_from_one("ledger_countsheetreceipt"),
            unique("ledger_count_sheet_receipt_key", "site", "key"),
            check("ledger_count_sheet_receipt_counts", Q(chips_cents__gte=0, cash_cents__gte=0)),
            check(
                "ledger_count_sheet_receipt_by_two",
                Q(received_with=None, reason="")
                | (Q(received_with__isnull=False) & ~Q(received_with=F("received_by")) & ~Q(reason="")),
            ),
        ]

    def __str__(self) -> str:
        return f"Receipt of count sheet {self.sheet_id}"
