"""The books: the house, its accounts, the journal, and the custody of drop boxes. Only
`posting` changes balances, only `boxes` changes boxes. Entries, transfers, counts and sign-offs are
written once, enforced by triggers (append_only.py). No card is known here."""

import json
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Abs
from django.db.models.lookups import GreaterThan

from ledger import lengths
from ledger.chart import COUNTED, MAY_BE_NEGATIVE, ONE_PER_SITE, SIGNED, AccountKind, Asset
from ledger.db.keeping import check, mutable, numbered_from_one, recorded, unique, written_once
from ledger.errors import BadAmount
from ledger.models.log import AuditRecord
from ledger.records import canonical
from ledger.rules.denominations import parse_values
from ledger.rules.gaming_days import MOST_SHIFTS

KINDS = sorted(kind.value for kind in AccountKind)
ASSETS = sorted(asset.value for asset in Asset)


def staff(**options: Any) -> Any:
    """Return a foreign key to the person who acted. People are never deleted."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False, **options
    )


class Site(models.Model):
    """One licence, one currency, one clock. Every row of the books belongs to a site."""

    keeping = mutable("house_event")

    name = models.CharField(max_length=100, unique=True)
    licence = models.CharField(max_length=60)
    time_zone = models.CharField(max_length=60, default="America/Los_Angeles")
    day_starts_at = models.PositiveSmallIntegerField(
        default=6, help_text="local hour at which a gaming day starts"
    )
    shifts = models.PositiveSmallIntegerField(
        default=1, help_text="of equal length by the house's clock, in which a gaming day is worked"
    )
    return_minutes = models.PositiveIntegerField(
        default=120, help_text="within so many minutes a player comes back with what was taken away"
    )
    jurisdiction = models.CharField(
        max_length=20, default="california", help_text="whose caps and thresholds hold (ledger/jurisdictions)"
    )
    authorised_tables = models.PositiveSmallIntegerField(
        default=10, help_text="how many may be open at once by the licence (4 CCR 12391)"
    )
    hold_minutes = models.PositiveSmallIntegerField(
        default=10, help_text="how long a called player's seat is held"
    )
    chip_values = models.CharField(
        max_length=200,
        blank=True,
        help_text="the house's chips, as 0.50 1 5 25 100; empty: those usual in its jurisdiction",
    )
    box_seals = models.BooleanField(
        default=False, help_text="drop boxes carry numbered seals and are received in the count room by two"
    )
    drop_times = models.CharField(
        max_length=60,
        blank=True,
        default="",
        help_text="local times at which boxes are pulled, as filed: 06:00 14:00 22:00; empty: none are filed",
    )
    confirm_from_cents = models.PositiveIntegerField(
        default=0,
        help_text="from so much on the window asks once more; 0: as the file of the jurisdiction says",
    )
    patron_from_cents = models.PositiveIntegerField(
        default=0,
        help_text="from so much in a gaming day on the patron is named; 0: as the file of the jurisdiction",
    )
    demo = models.BooleanField(default=False)
    clock_doubted_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="what the clock showed when it had jumped, until somebody has confirmed the time",
    )
    ahead_until = models.DateTimeField(
        null=True,
        blank=True,
        help_text="the newest record of the tables, where the confirmed time was before it",
    )

    class Meta:
        permissions = [
            ("count_boxes", "Counts drop boxes"),
            ("sign_off_drops", "Signs off counted drops"),
            ("read_books", "Reads the books"),
            ("work_cage", "Works at the cage"),
        ]
        constraints = [
            check("ledger_site_day_starts_at_an_hour", Q(day_starts_at__lt=24)),
            check("ledger_site_has_shifts", Q(shifts__gte=1, shifts__lte=MOST_SHIFTS)),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse malformed denominations (`bad_amount`) in every form that changes a site."""
        if self.chip_values.strip():
            try:
                parse_values(self.chip_values)
            except BadAmount as error:
                raise ValidationError({"chip_values": ValidationError(error.message, error.code)}) from error


class Account(models.Model):
    """An account of one asset. The stored balance is the locked row: only `posting` changes it."""

    keeping = mutable("entry")

    site = models.ForeignKey(Site, models.PROTECT, related_name="accounts", db_index=False)
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in KINDS])
    asset = models.CharField(max_length=5, choices=[(asset, asset) for asset in ASSETS])
    label = models.CharField(max_length=100)
    balance_cents = models.BigIntegerField(default=0)
    opened_at = models.DateTimeField(null=True, help_text="empty for the places that are as old as the house")
    sealed_at = models.DateTimeField(null=True, blank=True, help_text="when the drop box was pulled")
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            check("ledger_account_kind_in_chart", Q(kind__in=KINDS)),
            check("ledger_account_asset_in_chart", Q(asset__in=ASSETS)),
            check(
                "ledger_account_never_below_zero",
                Q(balance_cents__gte=0) | Q(kind__in=sorted(kind.value for kind in MAY_BE_NEGATIVE)),
            ),
            check("ledger_account_closed_is_empty", Q(closed_at__isnull=True) | Q(balance_cents=0)),
            unique(
                "ledger_account_one_per_site",
                "site",
                "kind",
                "asset",
                where=Q(kind__in=sorted(kind.value for kind in ONE_PER_SITE)),
            ),
        ]
        indexes = [
            models.Index(fields=["site", "kind"], name="ledger_accounts_of_a_kind"),
            # Open accounts are few among all.
            models.Index(fields=["closed_at", "site"], name="ledger_accounts_open"),
        ]

    def __str__(self) -> str:
        return f"{self.label} ({self.asset})"


def record_of(entry: str) -> Subquery:
    """Return a subquery for the record text of the entry whose id is in this column."""
    return Subquery(AuditRecord.objects.filter(kind="entry", subject=OuterRef(entry)).values("text"))


class JournalEntry(models.Model):
    """One business event, written once, with its transfers; without any it records that nothing moved. Its
    `evidence` is only in its audit record."""

    keeping = written_once("entry")
    _evidence: str | None = None

    site = models.ForeignKey(Site, models.PROTECT, related_name="entries", db_index=False)
    key = models.CharField(
        max_length=100, help_text="made by whoever sent the event; sent again, it changes nothing"
    )
    content_hash = models.CharField(max_length=64)
    kind = models.CharField(max_length=20)
    occurred_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    gaming_day = models.DateField()
    actor = staff()
    terminal = models.CharField(max_length=100, blank=True)
    approver = staff(null=True, blank=True)
    reason = models.TextField(blank=True)
    reverses = models.OneToOneField("self", models.PROTECT, related_name="reversed_by", null=True, blank=True)

    class Meta:
        verbose_name_plural = "journal entries"
        constraints = [
            numbered_from_one("ledger_journalentry"),
            unique("ledger_entry_key", "site", "key"),
            check("ledger_entry_two_people", Q(approver__isnull=True) | ~Q(approver=F("actor"))),
            check(
                "ledger_entry_reversal_reverses",
                Q(kind__in=["reversal", "undo"], reverses__isnull=False)
                | (~Q(kind__in=["reversal", "undo"]) & Q(reverses__isnull=True)),
            ),
            check(
                "ledger_entry_correction_approved",
                ~Q(kind__in=["reversal", "correction"]) | (Q(approver__isnull=False) & ~Q(reason="")),
            ),
            check(
                "ledger_entry_float_counted_by_two",
                ~Q(kind__in=[*COUNTED, *SIGNED]) | Q(approver__isnull=False),
            ),
        ]
        indexes = [models.Index(fields=["site", "gaming_day", "id"], name="ledger_entry_day")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

    @property
    def evidence(self) -> str:
        """Canonical JSON: everything needed to recompute the entry. Read from the entry's record on first
        access; a list of entries should load it as `record_text` (`record_of`)."""
        if self._evidence is None:
            text = (
                self.__dict__.get("record_text")
                or AuditRecord.objects.get(kind="entry", subject=self.pk).text
            )
            self._evidence = canonical.unchecked(json.loads(text)[1]["evidence"])
        return self._evidence

    @evidence.setter
    def evidence(self, text: str) -> None:
        self._evidence = text


class Transfer(models.Model):
    """A positive amount moved from one account to another of the same asset, written once with its entry."""

    keeping = written_once("entry")

    entry = models.ForeignKey(JournalEntry, models.PROTECT, related_name="transfers", db_index=False)
    line = models.PositiveSmallIntegerField()
    source = models.ForeignKey(Account, models.PROTECT, related_name="outgoing", db_index=False)
    target = models.ForeignKey(Account, models.PROTECT, related_name="incoming", db_index=False)
    asset = models.CharField(max_length=5)
    cents = models.BigIntegerField()

    class Meta:
        constraints = [
            numbered_from_one("ledger_transfer"),
            unique("ledger_transfer_line", "entry", "line"),
            check("ledger_transfer_moves_something", Q(cents__gt=0)),
            check("ledger_transfer_two_places", ~Q(source=F("target"))),
            check("ledger_transfer_asset_in_chart", Q(asset__in=ASSETS)),
        ]
        indexes = [  # the cage has a year's transfers: a day's are found among them by id
            models.Index(fields=["source", "id"], name="ledger_transfers_out"),
            models.Index(fields=["target", "id"], name="ledger_transfers_in"),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id}/{self.line}"


class DropBox(models.Model):
    """One use of a drop box: installed empty, pulled by two people, counted, signed off. `seal` was noted
    when it was installed, `pulled_seal` was read when it was pulled; if they differ, `seal_reason` says why.
    `emergency` is the reason for a pull outside the filed times."""

    keeping = mutable("house_event")

    site = models.ForeignKey(Site, models.PROTECT, related_name="boxes", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site")
    place = models.CharField(max_length=60)
    gaming_day = models.DateField()
    chips = models.OneToOneField(Account, models.PROTECT, related_name="+")
    cash = models.OneToOneField(Account, models.PROTECT, related_name="+")
    installed_by = staff()
    installed_at = models.DateTimeField()
    pulled_by = staff(null=True, blank=True)
    pulled_with = staff(null=True, blank=True)
    pulled_at = models.DateTimeField(null=True, blank=True)
    seal = models.CharField(max_length=20, blank=True, default="")
    pulled_seal = models.CharField(max_length=20, blank=True, default="")
    seal_reason = models.CharField(max_length=200, blank=True, default="")
    emergency = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        verbose_name_plural = "drop boxes"
        constraints = [
            unique("ledger_box_number", "site", "number"),
            unique("ledger_box_one_at_a_place", "site", "place", where=Q(pulled_at__isnull=True)),
            check(
                "ledger_box_pulled_whole",
                Q(pulled_at__isnull=True, pulled_by__isnull=True, pulled_with__isnull=True)
                | Q(pulled_at__isnull=False, pulled_by__isnull=False, pulled_with__isnull=False),
            ),
            check("ledger_box_pulled_by_two", Q(pulled_by__isnull=True) | ~Q(pulled_by=F("pulled_with"))),
            check(
                "ledger_box_seal_read",
                Q(pulled_at__isnull=True, pulled_seal="", seal_reason="", emergency="")
                | Q(pulled_at__isnull=False, seal="", pulled_seal="", seal_reason="")
                | (
                    Q(pulled_at__isnull=False)
                    & ~Q(seal="")
                    & ~Q(pulled_seal="")
                    & (Q(pulled_seal=F("seal")) | ~Q(seal_reason=""))
                ),
            ),
        ]
        indexes = [models.Index(fields=["site", "gaming_day"], name="ledger_box_day")]

    def __str__(self) -> str:
        return f"Box {self.number}, {self.place}"

    @property
    def handlers(self) -> set[int | None]:
        """The ids of those who pulled or counted the box, and so may not sign it off."""
        return {self.pulled_by_id, self.pulled_with_id, *(one.counter_id for one in self.counts.all())}


class Count(models.Model):
    """One counter's count of one box by denomination, on a count sheet. A further attempt is another row."""

    keeping = recorded("count")

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    box = models.ForeignKey(DropBox, models.PROTECT, related_name="counts", db_index=False)
    sheet = models.ForeignKey("CountSheet", models.PROTECT, related_name="counts")
    counter = staff()
    attempt = models.PositiveSmallIntegerField()
    pieces = models.JSONField(help_text="[denomination in cents, pieces] by asset")
    chips_cents = models.BigIntegerField()
    cash_cents = models.BigIntegerField()
    key = models.CharField(max_length=100)
    counted_at = models.DateTimeField()

    class Meta:
        constraints = [
            numbered_from_one("ledger_count"),
            unique("ledger_count_once", "box", "counter", "attempt"),
            unique("ledger_count_key", "site", "key"),
            check("ledger_count_not_negative", Q(chips_cents__gte=0, cash_cents__gte=0)),
        ]

    def __str__(self) -> str:
        return f"{self.box_id}, attempt {self.attempt}"


def shown_by() -> models.CharField:  # type: ignore[type-arg]
    return models.CharField(
        max_length=lengths.EVIDENCE,
        null=True,
        blank=True,
        help_text="the number of a camera's clip or of a paper; NULL before version 0.3.0",
    )


def _shown(chips: Any, cash: Any) -> Any:
    """Return the condition that a difference of the threshold or more has two signers and evidence."""
    shown = Q(signed_with__isnull=False) & ~Q(evidence="")
    return Q(evidence=None) | shown | GreaterThan(F("threshold_cents"), chips + cash)


class DropSignOff(models.Model):
    """The reconciliation of one box, written once: expected, counted, and why they differ. From a difference
    of `threshold_cents` in all, two people sign."""

    keeping = recorded("sign_off")

    box = models.OneToOneField(DropBox, models.PROTECT, related_name="sign_off")
    entry = models.OneToOneField(JournalEntry, models.PROTECT, related_name="+")
    expected_chips = models.BigIntegerField()
    expected_cash = models.BigIntegerField()
    counted_chips = models.BigIntegerField()
    counted_cash = models.BigIntegerField()
    cause = models.TextField(blank=True)
    evidence = shown_by()
    threshold_cents = models.BigIntegerField()
    signed_by = staff()
    signed_with = staff(null=True)
    signed_at = models.DateTimeField()

    class Meta:
        constraints = [
            numbered_from_one("ledger_dropsignoff"),
            check(
                "ledger_sign_off_difference_has_cause",
                ~Q(cause="") | Q(expected_chips=F("counted_chips"), expected_cash=F("counted_cash")),
            ),
            check("ledger_box_signed_by_two", Q(signed_with=None) | ~Q(signed_with=F("signed_by"))),
            check(
                "ledger_box_difference_has_evidence",
                _shown(
                    Abs(F("counted_chips") - F("expected_chips")), Abs(F("counted_cash") - F("expected_cash"))
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"Sign-off of box {self.box_id}"


class BankSignOff(models.Model):
    """Why a table's bank was counted with a difference, written once at the cage. `over_chips` and
    `over_cash` are counted minus expected, in cents; from `threshold_cents` in all, two people sign."""

    keeping = recorded("bank_sign_off")

    entry = models.OneToOneField(JournalEntry, models.PROTECT, related_name="bank_sign_off")
    over_chips = models.BigIntegerField()
    over_cash = models.BigIntegerField()
    cause = models.TextField()
    evidence = shown_by()
    threshold_cents = models.BigIntegerField()
    signed_by = staff()
    signed_with = staff(null=True)
    signed_at = models.DateTimeField()

    class Meta:
        constraints = [
            numbered_from_one("ledger_banksignoff"),
            check("ledger_bank_difference_has_cause", ~Q(cause="")),
            check("ledger_bank_difference_is_one", ~Q(over_chips=0, over_cash=0)),
            check("ledger_bank_signed_by_two", Q(signed_with=None) | ~Q(signed_with=F("signed_by"))),
            check("ledger_bank_difference_has_evidence", _shown(Abs("over_chips"), Abs("over_cash"))),
        ]

    def __str__(self) -> str:
        return f"Sign-off of the bank in entry {self.entry_id}"
