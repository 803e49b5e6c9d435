"""The collection: published rates, a table's downs, charges and their payments."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Prefetch, Q

from ledger import lengths
from ledger.db.keeping import check, mutable, numbered_from_one, recorded, unique, written_once
from tables.rules.table import downs
from tables.rules.table.paying import METHODS, WORDS


class Rate(models.Model):
    """A published rate: a flat fee per player and down for one limit (R60). A new rate is a new version."""

    keeping = recorded("rate")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    option = models.PositiveSmallIntegerField(help_text="1 to 8 are those of the rules; a house's own follow")
    version = models.PositiveSmallIntegerField(default=1)
    limit_cents = models.BigIntegerField()
    fee_cents = models.BigIntegerField()
    approval_reference = models.CharField(max_length=80)
    effective_from = models.DateField()
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)

    class Meta:
        constraints = [
            numbered_from_one("tables_rate"),
            unique("one_rate_per_version", "site", "option", "version"),
            check("rate_amounts_above_zero", Q(limit_cents__gt=0, fee_cents__gt=0)),
        ]

    def __str__(self) -> str:
        return f"Option {self.option}, version {self.version}"


class Down(models.Model):
    """A 40-minute collection period of a table (R61), at one `rate` from beginning to end (R64).
    `waited_from` is set where the clock waited for players."""

    keeping = recorded("down")

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="downs", db_index=False)
    number = models.PositiveIntegerField()
    rate = models.ForeignKey(Rate, models.PROTECT, related_name="+", db_index=False)
    started_at = models.DateTimeField()
    waited_from = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            numbered_from_one("tables_down"),
            unique("one_down_per_number", "session", "number"),
            check("down_waits_forward", Q(waited_from__isnull=True) | Q(waited_from__lt=F("started_at"))),
        ]

    def __str__(self) -> str:
        return f"Down {self.number}"


class ClockStop(models.Model):
    """An incident that stopped the table's clock, with its reason (R65)."""

    keeping = mutable("table_event")

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="stops")
    stopped_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=lengths.REASON)
    stopped_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)

    class Meta:
        constraints = [
            unique("one_open_stop_per_table", "session", where=Q(started_at__isnull=True)),
            check("stop_runs_forward", Q(started_at__isnull=True) | Q(started_at__gte=F("stopped_at"))),
        ]

    def __str__(self) -> str:
        return f"Clock stopped: {self.why}"

    @property
    def why(self) -> str:
        """Why the clock stands, as every screen says it."""
        return self.reason


class Charges(models.QuerySet["Charge"]):
    def open(self) -> "Charges":
        """Return charges without a payment in force; `is_owed` tells which are owed."""
        return self.exclude(Exists(FeePayment.of_charge()))

    def paid(self) -> "Charges":
        """Return charges with a payment in force, waivers included."""
        return self.filter(Exists(FeePayment.of_charge()))

    def with_payments(self, *also: str) -> "Charges":
        """Prefetch the payments, with these relations. One more query."""
        shown = FeePayment.objects.select_related("entry__reversed_by", *also).order_by("pk")
        return self.prefetch_related(Prefetch("payments", shown))


class Charge(models.Model):
    """A player's fee for a down, written once, when it becomes owed (R61, R62, R64). `minute_seconds` is the
    entry on the table's clock, null before the down. `round` made it due, null if paid ahead.
    `sitting.covered_by` is the charge that pays for a covered one."""

    keeping = recorded("charge")

    class Rule(models.TextChoices):
        FULL = "full"
        HALF = "half"
        COVERED = "covered"

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="charges")
    down = models.ForeignKey(Down, models.PROTECT, related_name="charges")
    sitting = models.ForeignKey("tables.Sitting", models.PROTECT, related_name="charges")
    player = models.ForeignKey("tables.Player", models.PROTECT, related_name="charges", db_index=False)
    rate = models.ForeignKey(Rate, models.PROTECT, related_name="+", db_index=False)
    fee_cents = models.BigIntegerField()
    rule = models.CharField(max_length=7, choices=Rule)
    cents = models.BigIntegerField()
    entered_at = models.DateTimeField()
    minute_seconds = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    charged_at = models.DateTimeField()
    charged_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    gaming_day = models.DateField()
    round = models.ForeignKey(
        "tables.Round", models.PROTECT, related_name="charges", null=True, db_index=False
    )

    objects = Charges.as_manager()

    class Meta:
        constraints = [
            numbered_from_one("tables_charge"),
            unique("one_charge_per_player_and_down", "player", "down"),
            check("charge_within_fee", Q(cents__gte=0, cents__lte=F("fee_cents"))),
            check("covered_charge_is_nothing", ~Q(rule="covered") | Q(cents=0)),
        ]
        indexes = [models.Index(fields=["gaming_day"], name="charges_of_a_day")]

    def __str__(self) -> str:
        return f"{self.get_rule_display()} fee of down {self.down_id}"

    @property
    def payment(self) -> "FeePayment | None":
        """The payment in force, None while the charge is open."""
        return next((one for one in self.payments.all() if one.in_force), None)

    def is_owed(self, until: datetime | None = None) -> bool:
        """Return whether it is owed, or was at an earlier moment (R61). Without `round` (few charges) this
        takes two or three queries."""
        if self.round_id is not None or hasattr(self, "uncollected"):
            return True
        rounds = self.down.rounds.all() if until is None else self.down.rounds.filter(started_at__lt=until)
        person = self.player.merged_into_id or self.player_id
        there = self.session.sittings.filter(Q(player=person) | Q(player__merged_into=person))
        return downs.is_owed(
            rounds.values_list("started_at", flat=True), there.values_list("entered_at", "left_at")
        )

    @property
    def counts(self) -> bool:
        """Whether reports count it: paid or owed."""
        return self.payment is not None or self.is_owed()

    @property
    def serials(self) -> str:
        payment, uncollected = self.payment, getattr(self, "uncollected", None)
        waiver, recovery = getattr(payment, "waiver", None), getattr(payment, "recovery", None)
        papers = [str(paper) for paper in (uncollected, recovery) if paper is not None]
        return ", ".join([*papers, *([f"{waiver}: {waiver.why}"] if waiver is not None else [])])


class FeePayment(models.Model):
    """A payment of a charge: one journal entry, from the stack, in cash at the table or at the cage (R63). A
    covered (R62) or waived one has an entry without transfers. It is in force until its entry is reversed;
    the next one names that reversal as `after`, so that a charge never has two in force. `sitting` is where
    it was taken, perhaps at another table (R51)."""

    keeping = written_once("entry")

    charge = models.ForeignKey(Charge, models.PROTECT, related_name="payments")
    sitting = models.ForeignKey("tables.Sitting", models.PROTECT, related_name="fees_paid")
    entry = models.OneToOneField("ledger.JournalEntry", models.PROTECT, related_name="fee_payment")
    method = models.CharField(max_length=7, choices=[(one, one.capitalize()) for one in METHODS])
    taken_at = models.DateTimeField()
    after = models.OneToOneField(
        "ledger.JournalEntry", models.PROTECT, related_name="+", null=True, blank=True
    )

    class Meta:
        constraints = [
            numbered_from_one("tables_feepayment"),
            unique("one_first_payment_per_charge", "charge", where=Q(after__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"Payment of charge {self.charge_id}"

    @classmethod
    def of_charge(cls) -> "models.QuerySet[FeePayment]":
        """Return the payment in force of the outer query's charge, for a subquery."""
        return cls.objects.filter(charge=OuterRef("pk"), entry__reversed_by__isnull=True)

    @property
    def in_force(self) -> bool:
        return not hasattr(self.entry, "reversed_by")

    @property
    def followed(self) -> bool:
        return self.sitting.session_id != self.charge.session_id


class WaiverReason(models.Model):
    """A published reason to waive fees; from `withdrawn_on` it is not offered."""

    keeping = mutable("house_event")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    code = models.SlugField(max_length=30)
    text = models.CharField(max_length=120)
    approval_reference = models.CharField(max_length=80)
    effective_from = models.DateField()
    withdrawn_on = models.DateField(null=True, blank=True)

    class Meta:
        constraints = [unique("one_waiver_reason_per_code", "site", "code")]

    def __str__(self) -> str:
        return self.text


class Waiver(models.Model):
    """A fee that the house waived, in a numbered series; its entry says why and by whom."""

    keeping = written_once("entry")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    payment = models.OneToOneField(FeePayment, models.PROTECT, related_name="waiver")
    reason = models.ForeignKey(WaiverReason, models.PROTECT, related_name="+")

    class Meta:
        constraints = [numbered_from_one("tables_waiver"), unique("one_waiver_per_number", "site", "number")]

    def __str__(self) -> str:
        return f"Waiver {self.number}"

    @property
    def why(self) -> str:
        return self.reason.text


class Uncollected(models.Model):
    """A numbered fee whose player left without paying; the charge stays open and follows `player` (R51)."""

    keeping = written_once("table_event")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    charge = models.OneToOneField(Charge, models.PROTECT, related_name="uncollected")
    player = models.ForeignKey("tables.Player", models.PROTECT, related_name="+")
    event = models.ForeignKey("tables.TableEvent", models.PROTECT, related_name="+")
    gaming_day = models.DateField()
    recorded_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "uncollected fees"
        constraints = [
            numbered_from_one("tables_uncollected"),
            unique("one_uncollected_per_number", "site", "number"),
        ]

    def __str__(self) -> str:
        return f"Uncollected fee {self.number}"

    @property
    def why(self) -> str:
        return str(self.event.data["reason"])


class Recovery(models.Model):
    keeping = written_once("entry")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    uncollected = models.ForeignKey(Uncollected, models.PROTECT, related_name="recoveries")
    payment = models.OneToOneField(FeePayment, models.PROTECT, related_name="recovery")

    class Meta:
        verbose_name_plural = "recoveries"
        constraints = [
            numbered_from_one("tables_recovery"),
            unique("one_recovery_per_number", "site", "number"),
        ]

    def __str__(self) -> str:
        return f"Recovery {self.number}"

    @property
    def why(self) -> str:
        return f"of {self.uncollected}, {WORDS[self.payment.method]}"
