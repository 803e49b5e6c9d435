"""The closings of shifts and gaming days, written once."""

from django.db import models
from django.db.models import F, Q

from ledger.db.keeping import check, numbered_from_one, recorded, unique
from ledger.models.books import Site, staff
from ledger.rules.gaming_days import MOST_SHIFTS


class ClosedShift(models.Model):
    """The closing of a shift of a gaming day: its drawers are closed, its documents ended, its boxes pulled.
    The last shift has none: it is closed with the day. A closing covers the earlier shifts of the day."""

    keeping = recorded("closed_shift")

    site = models.ForeignKey(Site, models.PROTECT, related_name="closed_shifts", db_index=False)
    gaming_day = models.DateField()
    number = models.PositiveSmallIntegerField(help_text="of the shift, from 1")
    closed_at = models.DateTimeField()
    closed_by = staff()
    closed_with = staff()
    key = models.CharField(max_length=100)
    terminal = models.CharField(max_length=100, blank=True)

    class Meta:
        constraints = [
            numbered_from_one("ledger_closedshift"),
            unique("ledger_shift_closed_once", "site", "gaming_day", "number"),
            unique("ledger_closed_shift_key", "site", "key"),
            check("ledger_shift_before_the_last", Q(number__gte=1, number__lt=MOST_SHIFTS)),
            check("ledger_shift_closed_by_two", ~Q(closed_with=F("closed_by"))),
        ]

    def __str__(self) -> str:
        return f"Shift {self.number} of gaming day {self.gaming_day}"


class ClosedDay(models.Model):
    """The closing of a gaming day: from then on no entry is dated in it or in an earlier day. `entries` and
    `totals` are the day's journal at that moment: the number of entries, and what each kind of account took
    in and paid out, as canonical JSON in cents. `balances` are the accounts' balances at the end of the day
    (ledger/rules/closing_balances.py)."""

    keeping = recorded("closed_day")

    site = models.ForeignKey(Site, models.PROTECT, related_name="closed_days", db_index=False)
    gaming_day = models.DateField()
    closed_at = models.DateTimeField()
    closed_by = staff()
    closed_with = staff()
    key = models.CharField(max_length=100)
    terminal = models.CharField(max_length=100, blank=True)
    entries = models.PositiveIntegerField()
    totals = models.TextField(help_text="canonical JSON: kind of account, asset, cents in and out")
    balances = models.TextField(help_text="canonical JSON: asset, kind of account, account, cents at its end")

    class Meta:
        constraints = [
            numbered_from_one("ledger_closedday"),
            unique("ledger_day_closed_once", "site", "gaming_day"),
            unique("ledger_closed_day_key", "site", "key"),
            check("ledger_day_closed_by_two", ~Q(closed_with=F("closed_by"))),
        ]

    def __str__(self) -> str:
        return f"Gaming day {self.gaming_day}"
