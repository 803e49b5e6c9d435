"""The audit log: records, the leaves they became, the tree over them, and its signed checkpoints. All of it
is written once: `records` writes records with their event, `sealing` the rest. Papers that somebody asked to
have kept stand here too, beside the events that say so."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ledger.db.keeping import check, mutable, numbered_from_one, recorded, unique, written_once
from ledger.db.packed_text import PackedTextField


class HouseEvent(models.Model):
    keeping = recorded("house_event")

    class Kind(models.TextChoices):
        HOUSE_OPENED = "house_opened"
        HOUSE_CHANGED = "house_changed"
        AUDIT_KEY = "audit_key"
        SIGNED_IN = "signed_in"
        SIGNED_OUT = "signed_out"
        SIGN_IN_REFUSED = "sign_in_refused"
        STAFF_CHANGED = "staff_changed"
        ACCESS_REVIEWED = "access_reviewed"
        PASSWORD_SET = "password_set"  # noqa: S105  (the kind of an event)
        CODE_MADE = "code_made"
        CODE_USED = "code_used"
        PIN_SET = "pin_set"
        PIN_REFUSED = "pin_refused"
        ATTEMPTS_LOCKED = "attempts_locked"
        ATTEMPTS_LIFTED = "attempts_lifted"
        MAIL_SET = "mail_set"
        TERMINAL_ENROLLED = "terminal_enrolled"
        TERMINAL_REVOKED = "terminal_revoked"
        TOKEN_MADE = "token_made"  # noqa: S105  (the kind of an event)
        TOKEN_REVOKED = "token_revoked"  # noqa: S105
        TOKEN_REFUSED = "token_refused"  # noqa: S105
        FACTOR_ADDED = "factor_added"
        FACTOR_REMOVED = "factor_removed"
        FACTORS_RESET = "factors_reset"
        SESSION_ENDED = "session_ended"
        BOX_INSTALLED = "box_installed"
        BOX_PULLED = "box_pulled"
        EXPORTED = "exported"
        DOWNLOADED = "downloaded"
        PAPER_ASKED = "paper_asked"
        PAPER_KEPT = "paper_kept"
        PAPER_NOT_MADE = "paper_not_made"
        CONTROLS_TESTED = "controls_tested"
        SYSTEM_STATED = "system_stated"
        ARCHIVE_VERIFIED = "archive_verified"
        TABLE_ADDED = "table_added"
        TABLE_TURNED = "table_turned"
        TABLE_RETIRED = "table_retired"
        TABLE_RESTORED = "table_restored"
        GAMES_OFFERED = "games_offered"
        CHECKPOINT_TAKEN = "checkpoint_taken"
        CLOCK_DOUBTED = "clock_doubted"
        TIME_CONFIRMED = "time_confirmed"
        BACKED_UP = "backed_up"
        RESTORED = "restored"
        CHECKPOINTS_SET_ASIDE = "checkpoints_set_aside"
        WAIVER_REASON_PUBLISHED = "waiver_reason_published"
        WAIVER_REASON_WITHDRAWN = "waiver_reason_withdrawn"
        WITHHELD_OPENED = "withheld_opened"
        PROGRAM_STARTED = "program_started"
        VERIFIED = "verified"
        MONITORED = "monitored"
        SEALING_REFUSED = "sealing_refused"
        SHEET_OFFERED = "sheet_offered"
        PLACE_CHANGED = "place_changed"
        ASKED_FOR_MORE = "asked_for_more"
        LINE_ORDERED = "line_ordered"
        NEED_CHANGED = "need_changed"
        HANDED_OVER = "handed_over"

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="events", db_index=False)
    kind = models.CharField(max_length=30, choices=Kind)
    at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="+",
        null=True,
        db_index=False,
        help_text="empty where nobody is known: a refused sign-in, the house itself",
    )
    terminal = models.CharField(max_length=100, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        constraints = [numbered_from_one("ledger_houseevent")]
        indexes = [
            models.Index(fields=["site", "recorded_at"], name="ledger_house_events"),
            # Keys and confirmed times are few among years of events, and asked for every few seconds.
            models.Index(fields=["site", "kind"], name="ledger_house_event_kinds"),
        ]

    def __str__(self) -> str:
        return self.get_kind_display()


class AuditRecord(models.Model):
    """The exact canonical text of one event, written in the event's own transaction. `kind` and `subject`
    name the row it records: an entry, a charge, an event of a table. The text can be rebuilt from that row
    (`records.rebuilt`), which exposes changes behind the log's back."""

    keeping = written_once(why="It is the record itself.")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=20)
    subject = models.BigIntegerField()
    recorded_at = models.DateTimeField()
    text = PackedTextField()

    class Meta:
        constraints = [
            numbered_from_one("ledger_auditrecord"),
            unique("ledger_record_once", "kind", "subject"),
        ]

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')} {self.subject}"


class AuditLog(models.Model):
    keeping = written_once(why="It names the log, once for all; every checkpoint repeats the name.")

    site = models.OneToOneField("ledger.Site", models.PROTECT, related_name="log")
    origin = models.CharField(max_length=200, unique=True)

    class Meta:
        constraints = [numbered_from_one("ledger_auditlog")]
        permissions = [
            ("take_names", "Takes players' names out of the house, with an export of the log"),
            ("open_withheld", "Opens what the log withholds: looks at the exclusion list"),
            ("test_controls", "Tests the house's controls, and notes what was found"),
            ("take_withheld", "Takes what the log withholds out of the house, with an export"),
        ]

    def __str__(self) -> str:
        return self.origin


class Leaf(models.Model):
    """A sealed record: its number in the tree, from 0, in the order of sealing, and its hash (RFC 9162)."""

    keeping = written_once(why="It is the hash of a record.")

    log = models.ForeignKey(AuditLog, models.PROTECT, related_name="leaves", db_index=False)
    number = models.BigIntegerField()
    record = models.OneToOneField(AuditRecord, models.PROTECT, related_name="leaf")
    hash = models.BinaryField(max_length=32)
    recorded_at = models.DateTimeField(help_text="the record's, to find where a day begins")

    class Meta:
        constraints = [
            numbered_from_one("ledger_leaf"),
            unique("ledger_leaf_number", "log", "number"),
            check("ledger_leaf_from_zero", Q(number__gte=0)),
        ]
        indexes = [models.Index(fields=["log", "recorded_at"], name="ledger_leaf_recorded")]

    def __str__(self) -> str:
        return f"leaf {self.number}"


class Tile(models.Model):
    """256 adjacent hashes of one level of the tree (C2SP tlog-tiles), and their root. Only full ones."""

    keeping = written_once(why="It is made of leaves.")

    log = models.ForeignKey(AuditLog, models.PROTECT, related_name="tiles", db_index=False)
    level = models.PositiveSmallIntegerField()
    index = models.BigIntegerField()
    hashes = models.BinaryField(max_length=8192)
    root = models.BinaryField(max_length=32)

    class Meta:
        constraints = [numbered_from_one("ledger_tile"), unique("ledger_tile_place", "log", "level", "index")]

    def __str__(self) -> str:
        return f"tile {self.level}/{self.index}"


class Checkpoint(models.Model):
    """The tree at one size, signed twice: the note (C2SP tlog-checkpoint), and the key that signed."""

    keeping = written_once(why="It is signed over the leaves.")

    log = models.ForeignKey(AuditLog, models.PROTECT, related_name="checkpoints", db_index=False)
    size = models.BigIntegerField()
    note = models.TextField()
    key_fingerprint = models.CharField(max_length=64)
    signed_at = models.DateTimeField()

    class Meta:
        constraints = [
            numbered_from_one("ledger_checkpoint"),
            unique("ledger_checkpoint_size", "log", "size"),
        ]

    def __str__(self) -> str:
        return f"checkpoint at {self.size}"


class Cosignature(models.Model):
    """A witness's line under a checkpoint (C2SP tlog-cosignature), and its own time of signing."""

    keeping = written_once(why="Its witness has signed it.")

    checkpoint = models.ForeignKey(Checkpoint, models.PROTECT, related_name="cosignatures")
    witness = models.CharField(max_length=300, help_text="name and id of the witness's key")
    line = models.TextField()
    signed_at = models.DateTimeField()

    class Meta:
        constraints = [numbered_from_one("ledger_cosignature")]

    def __str__(self) -> str:
        return f"{self.witness} at {self.signed_at:%Y-%m-%d %H:%M:%S}"


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

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="kept_papers", db_index=False)
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
