"""Custody: numbered documents under which chips and cash go from one place to another, and their steps. The
order of steps is in ledger/rules/documents.py; triggers hold the rows to it (ledger/db/step_order.py)."""

from django.db import models
from django.db.models import F, Q

from ledger.db.keeping import check, numbered_from_one, recorded, unique
from ledger.models.books import Account, DropBox, JournalEntry, Site, shown_by, staff
from ledger.models.counting import CountSheet
from ledger.rules.documents import BY_TWO, KINDS, POSTED_AS, Step

CODES = sorted(KINDS)
STEPS = sorted(step.value for step in Step)
_POSTED = sorted(step.value for step in POSTED_AS)
_VOUCHED = [Step.CLAIMED.value, Step.DIFFERED.value]
_BY_TWO = sorted(step.value for step in BY_TWO)


class Document(models.Model):
    """Chips and cash that are to go from one place to another, by denomination; numbered without gaps by
    kind. `chips` and `cash` are the accounts of the place that is not the cage. While they are under way they
    are in the transit accounts, which are closed, and therefore empty, once the document has ended."""

    keeping = recorded("document")

    site = models.ForeignKey(Site, models.PROTECT, related_name="documents", db_index=False)
    kind = models.CharField(max_length=20, choices=[(code, KINDS[code].title) for code in CODES])
    number = models.PositiveIntegerField(help_text="serial, without gaps within a site and kind")
    place = models.CharField(max_length=60)
    chips = models.ForeignKey(Account, models.PROTECT, related_name="documents")
    cash = models.ForeignKey(Account, models.PROTECT, related_name="+", db_index=False)
    transit_chips = models.OneToOneField(Account, models.PROTECT, related_name="+")
    transit_cash = models.OneToOneField(Account, models.PROTECT, related_name="+")
    gaming_day = models.DateField()
    pieces = models.JSONField(help_text="[denomination in cents, pieces] by asset")
    chips_cents = models.BigIntegerField()
    cash_cents = models.BigIntegerField()

    class Meta:
        constraints = [
            numbered_from_one("ledger_document"),
            unique("ledger_document_number", "site", "kind", "number"),
            check("ledger_document_kind", Q(kind__in=CODES)),
            check("ledger_document_number_from_one", Q(number__gt=0)),
            check(
                "ledger_document_of_something",
                Q(chips_cents__gte=0, cash_cents__gte=0) & (Q(chips_cents__gt=0) | Q(cash_cents__gt=0)),
            ),
        ]
        indexes = [models.Index(fields=["site", "gaming_day"], name="ledger_document_day")]

    def __str__(self) -> str:
        series, serial = KINDS[self.kind].title, self.number
        return f"{series} {serial}"


class DocumentStep(models.Model):
    """A step of a document, with who took it, when and where. `pieces` are those sent, or those the receiver
    counted; other steps have none. `reference` is what the rule of the step asks for: a carrier, the number
    of somebody's paper beyond the house. For unclaimed chips, `player` is their owner or who claimed them,
    and `due` the day from which they may be released. From `threshold_cents` on, a step at which something
    else arrived, or that hands out chips without a known owner, needs `evidence`."""

    keeping = recorded("document_step")

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    document = models.ForeignKey(Document, models.PROTECT, related_name="steps", db_index=False)
    ordinal = models.PositiveSmallIntegerField()
    step = models.CharField(max_length=20, choices=[(step, step.capitalize()) for step in STEPS])
    after = models.OneToOneField("self", models.PROTECT, related_name="+", null=True)
    person = staff()
    second = staff(null=True)
    at = models.DateTimeField()
    gaming_day = models.DateField()
    terminal = models.CharField(max_length=100, blank=True)
    reason = models.TextField(blank=True)
    reference = models.CharField(max_length=100, blank=True)
    pieces = models.JSONField()
    chips_cents = models.BigIntegerField()
    cash_cents = models.BigIntegerField()
    entry = models.OneToOneField(JournalEntry, models.PROTECT, related_name="document_step", null=True)
    player = models.PositiveBigIntegerField(null=True, help_text="an entry of the register of players")
    due = models.DateField(null=True)
    evidence = shown_by()
    threshold_cents = models.BigIntegerField(
        null=True, help_text="from which a difference is large; NULL before version 0.3.0"
    )
    key = models.CharField(max_length=100)

    class Meta:
        constraints = [
            numbered_from_one("ledger_documentstep"),
            unique("ledger_document_step_ordinal", "document", "ordinal"),
            unique("ledger_document_step_key", "site", "key"),
            check("ledger_document_step_known", Q(step__in=STEPS)),
            check(
                "ledger_document_step_follows",
                Q(ordinal=0, after__isnull=True) | Q(ordinal__gt=0, after__isnull=False),
            ),
            check("ledger_document_step_two_people", Q(second__isnull=True) | ~Q(second=F("person"))),
            check(
                "ledger_document_step_by_two",
                ~Q(step__in=_BY_TWO) | (Q(second__isnull=False) & ~Q(reason="")),
            ),
            check(
                "ledger_document_step_posted",
                Q(step__in=_POSTED, entry__isnull=False) | (~Q(step__in=_POSTED) & Q(entry__isnull=True)),
            ),
            check(
                "ledger_document_step_shows_a_difference",
                Q(evidence=None, threshold_cents=None)
                | Q(step__in=_VOUCHED, evidence__isnull=False, threshold_cents__gt=0),
            ),
            check("ledger_document_step_not_negative", Q(chips_cents__gte=0, cash_cents__gte=0)),
            check(
                "ledger_document_step_of_something",
                ~Q(step__in=["sent", "received"]) | Q(chips_cents__gt=0) | Q(cash_cents__gt=0),
            ),
        ]

        indexes = [models.Index(fields=["site", "gaming_day"], name="ledger_document_step_day")]

    def __str__(self) -> str:
        return f"{self.get_step_display()}, document {self.document_id}"

    @property
    def over_chips(self) -> int:
        """Counted minus sent, of a step at which something else arrived."""
        return self.chips_cents - self.document.chips_cents

    @property
    def over_cash(self) -> int:
        return self.cash_cents - self.document.cash_cents

    @property
    def over(self) -> int:
        return self.over_chips + self.over_cash


class DocumentBox(models.Model):
    """A signed-off box whose cash goes to the bank under a document: once, unless that document is voided.
    The next `attempt` may follow then."""

    keeping = recorded("document_box")

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    document = models.ForeignKey(Document, models.PROTECT, related_name="boxes")
    box = models.ForeignKey(DropBox, models.PROTECT, related_name="deposits", db_index=False)
    attempt = models.PositiveSmallIntegerField(help_text="1 unless a document before was voided")

    class Meta:
        constraints = [
            numbered_from_one("ledger_documentbox"),
            unique("ledger_document_box_once", "box", "attempt"),
            check("ledger_document_box_from_one", Q(attempt__gt=0)),
        ]

    def __str__(self) -> str:
        return f"Box {self.box_id} in document {self.document_id}"


class StruckCount(models.Model):
    """A refused count: of what arrived under a document, or of the money of a signed count sheet, because it
    differed from what was sent or found; or two counts that differ, of a table's bank or of a stack that is
    picked up, the second one by `second`. It stays on the paper, struck through. The same count sent again
    under the same key is no new count."""

    keeping = recorded("struck_count")

    site = models.ForeignKey(Site, models.PROTECT, related_name="+", db_index=False)
    sheet = models.ForeignKey(CountSheet, models.PROTECT, related_name="struck", null=True, db_index=False)
    document = models.ForeignKey(Document, models.PROTECT, related_name="struck", null=True, db_index=False)
    bank = models.ForeignKey(Account, models.PROTECT, related_name="struck", null=True, db_index=False)
    place = models.CharField(  # noqa: DJ001  (NULL is not said, as before version 0.3.0)
        max_length=60, null=True, help_text="what was counted, in words: Fill 3, Table 7"
    )
    attempt = models.PositiveSmallIntegerField(help_text="from 1")
    pieces = models.JSONField(help_text="[denomination in cents, pieces] by asset")
    chips_cents = models.BigIntegerField()
    cash_cents = models.BigIntegerField()
    person = staff()
    second = staff(null=True)
    second_pieces = models.JSONField(null=True, help_text="what the second person counted of a bank")
    at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    request = models.CharField(
        max_length=100, help_text="the key of the act, which was refused and stays free"
    )

    class Meta:
        constraints = [
            numbered_from_one("ledger_struckcount"),
            unique("ledger_struck_count_of_sheet", "sheet", "attempt"),
            unique("ledger_struck_count_of_document", "document", "attempt"),
            unique("ledger_struck_count_of_bank", "bank", "attempt"),
            check(
                "ledger_struck_count_of_one_place",
                Q(sheet__isnull=True, document__isnull=False, bank__isnull=True)
                | Q(sheet__isnull=False, document__isnull=True, bank__isnull=True)
                | Q(sheet__isnull=True, document__isnull=True, bank__isnull=False),
            ),
            check(
                "ledger_struck_count_of_bank_by_two",
                Q(bank__isnull=True, second__isnull=True, second_pieces__isnull=True)
                | Q(bank__isnull=False, second__isnull=False, second_pieces__isnull=False)
                & ~Q(second=F("person")),
            ),
            check("ledger_struck_count_counts", Q(attempt__gt=0, chips_cents__gte=0, cash_cents__gte=0)),
        ]
        indexes = [models.Index(fields=["site", "attempt"], name="ledger_struck_count_attempts")]

    def __str__(self) -> str:
        return f"Attempt {self.attempt} at {self.document or self.sheet or self.bank}"
