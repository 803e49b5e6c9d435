"""Events of a table that move no money: written once, never changed."""

from django.conf import settings
from django.db import models
from django.db.models.fields.json import KT

from ledger.db.keeping import numbered_from_one, unique, written_once


class TableEvent(models.Model):
    """A table's event: what (`data`), when (`at`), and when entered (`recorded_at`).

    `key` is the act's in `data`, None without one.
    """

    keeping = written_once("table_event")

    class Kind(models.TextChoices):
        OPENED = "opened"
        CLOSED = "closed"
        SEATED = "seated"
        LEFT = "left"
        SEAT_CHANGED = "seat_changed"
        SAT_OUT = "sat_out"
        RETURNED = "returned"
        ROUND_STARTED = "round_started"
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
