"""The cage: cashiers' drawers, slips of its vault and of acts taken back, dealers' tokes, the exclusion
list."""

import json

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ledger.chart import EntryKind
from ledger.db.keeping import check, mutable, numbered_from_one, recorded, unique, written_once
from ledger.models.books import Account, JournalEntry, Site, staff
from ledger.rules.slip_ways import STAYS

_STAY = sorted(STAYS)


class Drawer(models.Model):
    """A cashier's drawer for one shift: opened empty, filled from the vault, worked at the window, closed by
    a count (4 CCR 12386). A closed drawer's accounts are closed, and therefore empty. Numbered without
    gaps."""

    keeping = recorded("drawer")

    site = models.ForeignKey(Site, models.PROTECT, related_name="drawers", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    cashier = staff()
    chips = models.OneToOneField(Account, models.PROTECT, related_name="+")
    cash = models.OneToOneField(Account, models.PROTECT, related_name="+")
    gaming_day = models.DateField()
    opened_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            numbered_from_one("ledger_drawer"),
            unique("ledger_drawer_number", "site", "number"),
            unique("ledger_drawer_key", "site", "key"),
            check("ledger_drawer_number_from_one", Q(number__gt=0)),
        ]
        indexes = [models.Index(fields=["site", "gaming_day"], name="ledger_drawer_day")]

    def __str__(self) -> str:
        return f"Drawer {self.number}"


class CageSlip(models.Model):
    """The first count of chips and cash that enter or leave the vault, or of everything in it or in a drawer,
    by denomination. Numbered without gaps."""

    keeping = recorded("cage_slip")

    class Way(models.TextChoices):
        OPENING = "opening", "The vault is opened"
        IN = "in", "Into the vault"
        OUT = "out", "Out of the vault"
        TO_DRAWER = "to_drawer", "From the vault into a drawer"
        FROM_DRAWER = "from_drawer", "From a drawer into the vault"
        CLOSING = "closing", "A drawer is closed"
        COUNT = "count", "The vault is counted"
        UNCLAIMED = "unclaimed", "Unclaimed chips are counted"
        RESERVE = "reserve", "Reserve sets are counted"

    site = models.ForeignKey(Site, models.PROTECT, related_name="cage_slips", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    way = models.CharField(max_length=12, choices=Way)
    drawer = models.ForeignKey(Drawer, models.PROTECT, related_name="slips", null=True)
    gaming_day = models.DateField()
    pieces = models.JSONField(help_text="[denomination in cents, pieces] by asset")
    chips_cents = models.BigIntegerField()
    cash_cents = models.BigIntegerField()
    counted_by = staff()
    counted_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            numbered_from_one("ledger_cageslip"),
            unique("ledger_cage_slip_number", "site", "number"),
            unique("ledger_cage_slip_key", "site", "key"),
            check(
                "ledger_cage_slip_way",
                Q(way__in=["opening", "in", "out", *_STAY], drawer__isnull=True)
                | Q(way__in=["to_drawer", "from_drawer", "closing"], drawer__isnull=False),
            ),
            check(
                "ledger_cage_slip_counts_something",
                Q(chips_cents__gte=0, cash_cents__gte=0)
                & (Q(chips_cents__gt=0) | Q(cash_cents__gt=0) | Q(way__in=["closing", *_STAY])),
            ),
        ]
        indexes = [models.Index(fields=["site", "gaming_day"], name="ledger_cage_slip_day")]

    def __str__(self) -> str:
        return f"Cage slip {self.number}"


class CageSlipResult(models.Model):
    """How a cage slip ended: both counts agreed and it was posted, they differed, or it was withdrawn."""

    keeping = recorded("cage_slip_result")

    class Outcome(models.TextChoices):
        POSTED = "posted", "Posted"
        DIFFERED = "differed", "Counts differed"
        WITHDRAWN = "withdrawn", "Withdrawn"

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    slip = models.OneToOneField(CageSlip, models.PROTECT, related_name="result")
    outcome = models.CharField(max_length=10, choices=Outcome)
    pieces = models.JSONField(help_text="the second count; without pieces if the slip was withdrawn")
    chips_cents = models.BigIntegerField()
    cash_cents = models.BigIntegerField()
    person = staff()
    at = models.DateTimeField()
    reason = models.TextField(blank=True)
    entry = models.OneToOneField(JournalEntry, models.PROTECT, related_name="cage_slip", null=True)
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            numbered_from_one("ledger_cageslipresult"),
            unique("ledger_cage_slip_result_key", "site", "key"),
            check(
                "ledger_cage_slip_posted_has_entry",
                Q(outcome="posted", entry__isnull=False)
                | Q(outcome__in=["differed", "withdrawn"], entry__isnull=True),
            ),
            check("ledger_cage_slip_withdrawn_with_reason", ~Q(outcome="withdrawn") | ~Q(reason="")),
            check("ledger_cage_slip_count_not_negative", Q(chips_cents__gte=0, cash_cents__gte=0)),
        ]

    def __str__(self) -> str:
        return f"Result of cage slip {self.slip_id}"


class ReversalSlip(models.Model):
    """The numbered slip of an entry that was taken back; the reversing entry has people and reason."""

    keeping = written_once("entry")

    site = models.ForeignKey(Site, models.PROTECT, related_name="reversal_slips", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    entry = models.OneToOneField(JournalEntry, models.PROTECT, related_name="reversal_slip")

    class Meta:
        constraints = [
            numbered_from_one("ledger_reversalslip"),
            unique("ledger_reversal_slip_number", "site", "number"),
        ]

    def __str__(self) -> str:
        return f"Reversal slip {self.number}"

    @property
    def cents(self) -> int:
        """The amount that went back; chips and cash exchanged are one amount, a waiver is zero."""
        return next((line.cents for line in self.entry.transfers.all()), 0)


class Receipt(models.Model):
    """The numbered receipt of cash that crossed the window; its entry says what for."""

    keeping = written_once("entry")

    site = models.ForeignKey(Site, models.PROTECT, related_name="receipts", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    entry = models.OneToOneField(JournalEntry, models.PROTECT, related_name="receipt")

    class Meta:
        constraints = [numbered_from_one("ledger_receipt"), unique("ledger_receipt_number", "site", "number")]

    def __str__(self) -> str:
        return f"Receipt {self.number}"

    @property
    def cents(self) -> int:
        """The amount that crossed the window; for change, which moves nothing, the amount that came in."""
        said = json.loads(self.entry.evidence)["cents"] if self.is_of_change else 0
        return next((line.cents for line in self.entry.transfers.all()), said)

    @property
    def is_of_change(self) -> bool:
        return self.entry.kind == EntryKind.CHIP_CHANGE

    @property
    def is_of_tokes(self) -> bool:
        """Whether the cash is paid for tokes; only then does somebody sign a redemption beside the
        cashier."""
        return self.entry.kind == EntryKind.CHIP_REDEMPTION and self.entry.approver_id is not None


class TokeAccount(models.Model):
    keeping = mutable("entry")

    site = models.ForeignKey(Site, models.PROTECT, related_name="toke_accounts", db_index=False)
    dealer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    account = models.OneToOneField(Account, models.PROTECT, related_name="+")

    class Meta:
        constraints = [unique("ledger_one_toke_account_per_dealer", "site", "dealer")]

    def __str__(self) -> str:
        return f"Tokes of {self.dealer!s}"

    @property
    def cents(self) -> int:
        return self.account.balance_cents


class Exclusion(models.Model):
    """Somebody who may not play here (4 CCR 12463-12466), known by name, card number or both."""

    keeping = mutable("withheld", withheld=True)

    site = models.ForeignKey(Site, models.PROTECT, related_name="exclusions", db_index=False)
    name = models.CharField(max_length=80, blank=True)
    number = models.CharField(max_length=20, blank=True)
    description = models.CharField(max_length=120, blank=True, help_text="what tells the person apart")
    reference = models.CharField(max_length=80, help_text="the list or the order it comes from")
    effective_from = models.DateField()
    until = models.DateField(null=True, blank=True, help_text="its last day; empty for life")
    added_at = models.DateTimeField()
    added_by = staff()
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = staff(null=True, blank=True)

    class Meta:
        permissions = [("keep_exclusions", "Keeps the exclusion list and reads who looked at it")]
        constraints = [
            check("ledger_exclusion_known_somehow", ~(Q(name="") & Q(number=""))),
            check(
                "ledger_exclusion_lifted_whole",
                Q(lifted_at__isnull=True, lifted_by__isnull=True)
                | Q(lifted_at__isnull=False, lifted_by__isnull=False),
            ),
            check(
                "ledger_exclusion_ends_after_it_begins",
                Q(until__isnull=True) | Q(until__gte=F("effective_from")),
            ),
        ]
        indexes = [models.Index(fields=["site", "lifted_at"], name="ledger_exclusions_in_force")]

    def __str__(self) -> str:
        return self.name or f"No. {self.number}"


class Withheld(models.Model):
    """A text that stays in the house: canonical JSON of what, when and by whom. Its commitment (sha256 over
    `salt`, a line feed and `text`) is only in the commitment of its batch; that of a handover also in its
    own record."""

    keeping = written_once("withheld", withheld=True)

    class What(models.TextChoices):
        EXCLUSION_LOOK = "exclusion_look"
        EXCLUSION_ADDED = "exclusion_added"
        EXCLUSION_LIFTED = "exclusion_lifted"
        EXCLUSION_ANSWER = "exclusion_answer"
        EXCLUSION_OPENED = "exclusion_opened"
        PERSON_ANSWER = "person_answer"
        HANDED_OVER = "handed_over"

    site = models.ForeignKey(Site, models.PROTECT, related_name="withheld", db_index=False)
    what = models.CharField(max_length=30, choices=What)
    salt = models.CharField(max_length=64)
    text = models.TextField()
    commitment = models.CharField(max_length=64)
    recorded_at = models.DateTimeField()

    class Meta:
        verbose_name = "withheld text"
        indexes = [
            models.Index(fields=["site", "recorded_at"], name="ledger_withheld_times"),
            models.Index(fields=["site", "id"], name="ledger_withheld_ids"),
        ]
        constraints = [
            numbered_from_one("ledger_withheld"),
            check("ledger_withheld_has_salt", ~Q(salt=F("text"))),
        ]

    def __str__(self) -> str:
        return self.get_what_display()


class WithheldBatch(models.Model):
    """Everything withheld since the batch before, under one commitment; also written if there was nothing."""

    keeping = recorded("withheld", withheld=True)

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    salt = models.CharField(max_length=64)
    commitment = models.CharField(max_length=64)
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [numbered_from_one("ledger_withheldbatch")]
        verbose_name = "withheld"
        verbose_name_plural = "withheld batches"
        indexes = [models.Index(fields=["site", "id"], name="ledger_withheld_batches")]

    def __str__(self) -> str:
        return f"withheld {self.pk}"


class WithheldInBatch(models.Model):
    keeping = written_once("withheld", withheld=True)

    batch = models.ForeignKey(WithheldBatch, models.PROTECT, related_name="texts")
    withheld = models.OneToOneField(Withheld, models.PROTECT, related_name="in_batch")

    class Meta:
        constraints = [numbered_from_one("ledger_withheldinbatch")]

    def __str__(self) -> str:
        return f"{self.withheld_id} in {self.batch_id}"
