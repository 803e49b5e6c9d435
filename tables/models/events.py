"""Events of a table that move no money, written once and never changed; what needs attention, raised and
cleared by the scheduler; when tables' tablets were heard; disputes and complaints, and what was decided
(4 CCR 12392)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.fields.json import KT

from ledger import lengths
from ledger.db.keeping import mutable, numbered_from_one, recorded, unique
from tables.rules.table.disputes import OUTCOMES, WHAT


class TableEvent(models.Model):
    """A table's event: what (`data`), when (`at`), and when entered (`recorded_at`). `key` is the act's in
    `data`, None without one."""

    keeping = recorded("table_event")

    class Kind(models.TextChoices):
        OPENED = "opened"
        CLOSED = "closed"
        SEATED = "seated"
        LEFT = "left"
        SEAT_CHANGED = "seat_changed"
        SAT_OUT = "sat_out"
        RETURNED = "returned"
        ROUND_STARTED = "round_started"
        ROUND_HANDED_IN = "round_handed_in"
        ROUND_VOIDED = "round_voided"
        CLOCK_STOPPED = "clock_stopped"
        CLOCK_STARTED = "clock_started"
        CORRECTION_ASKED = "correction_asked"
        CORRECTION_REFUSED = "correction_refused"
        BOX_CHANGED = "box_changed"
        MATCH_CALLED_OFF = "match_called_off"
        PUSHED = "pushed"
        RATE_ANNOUNCED = "rate_announced"
        RATE_WITHDRAWN = "rate_withdrawn"
        RATE_CHANGED = "rate_changed"
        MUST_MOVE_SET = "must_move_set"
        TIME_CALLED = "time_called"
        CHIPS_COUNTED = "chips_counted"
        FEE_UNCOLLECTED = "fee_uncollected"
        CLAIM_PAID = "claim_paid"
        HAND_SETTLEMENT_ASKED = "hand_settlement_asked"
        HAND_SETTLEMENT_REFUSED = "hand_settlement_refused"

    # Key and index begin with these two; nobody lists events by person alone.
    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+", db_index=False)
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="events", db_index=False)
    kind = models.CharField(max_length=30, choices=Kind)
    at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    data = models.JSONField(default=dict)
    key = models.GeneratedField(expression=KT("data__key"), output_field=models.TextField(), db_persist=True)

    class Meta:
        constraints = [numbered_from_one("tables_tableevent"), unique("one_event_per_key", "site", "key")]
        indexes = [models.Index(fields=["session", "recorded_at"], name="events_of_a_session")]

    def __str__(self) -> str:
        return self.get_kind_display()


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


class Dispute(models.Model):
    """What somebody disputes at a table, of a round or not; a complaint has no table. `players` are ids, and
    `entered_by` entered the round's result that stood then; `played_by` had played it without the house, and
    somebody else sent it."""

    keeping = recorded("dispute")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+", db_index=False)
    number = models.PositiveIntegerField(help_text="serial, from 1, of disputes and complaints")
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="disputes", null=True)
    round = models.ForeignKey("tables.Round", models.PROTECT, related_name="disputes", null=True)
    players = models.JSONField(default=list)
    what = models.CharField(max_length=8, choices=WHAT)
    text = models.CharField(max_length=lengths.POSTED_REASON, blank=True)
    entered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)
    played_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)
    taken_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    taken_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=64)

    class Meta:
        constraints = [
            numbered_from_one("tables_dispute"),
            unique("one_dispute_per_number", "site", "number"),
            unique("one_dispute_per_key", "site", "key"),
        ]

    def __str__(self) -> str:
        return f"Complaint {self.number}" if self.session_id is None else f"Dispute {self.number}"


class DisputeDecision(models.Model):
    """What was decided; `entry` corrected it. `told`: the players were told."""

    keeping = recorded("dispute_decision")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+", db_index=False)
    dispute = models.OneToOneField(Dispute, models.PROTECT, related_name="decision")
    outcome = models.CharField(max_length=10, choices={code: one.words for code, one in OUTCOMES.items()})
    entry = models.ForeignKey("ledger.JournalEntry", models.PROTECT, related_name="+", null=True)
    text = models.CharField(max_length=lengths.POSTED_REASON)
    told = models.BooleanField(default=False)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()
    terminal = models.CharField(max_length=100, blank=True)
    key = models.CharField(max_length=64)

    class Meta:
        constraints = [
            numbered_from_one("tables_disputedecision"),
            unique("one_dispute_decided_per_key", "site", "key"),
        ]

    def __str__(self) -> str:
        return f"Decision of {self.dispute}"


class TabletContact(models.Model):
    """A table's tablet was heard up to `heard_at`. Where it had been silent before while somebody dealt to
    players, it says from when to when. `device` is the number of a device on which a round was begun; it is
    empty for those on which none was."""

    keeping = mutable(why="It says when a tablet was there; what was played is in the records of the table.")

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="tablet_contacts")
    device = models.CharField(max_length=36, blank=True, db_default="", default="")
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
