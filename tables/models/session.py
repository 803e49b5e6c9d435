"""The tables of a site, the games that were opened at them, and the sheets those games were bound to."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Table(models.Model):
    """A table on the floor, known by its number."""

    site = models.ForeignKey("ledger.Site", on_delete=models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["site", "number"], name="one_table_per_number")]

    def __str__(self) -> str:
        return f"Table {self.number}"


class SheetVersion(models.Model):
    """A game sheet as it was when a table first used it: its exact bytes, which never change."""

    code = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    title = models.CharField(max_length=120)
    raw = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    first_used_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["code", "version"], name="one_sheet_per_version")]

    def __str__(self) -> str:
        return f"{self.title} (version {self.version})"


class TableSession(models.Model):
    """One opening of a table: game, schedule and bounds are bound here and do not change while it is open.

    The row is locked first by every verb that acts on the table, so what happens at one table happens in order.
    """

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="sessions")
    sheet = models.ForeignKey(SheetVersion, on_delete=models.PROTECT, related_name="+")
    schedule = models.ForeignKey("tables.Schedule", on_delete=models.PROTECT, related_name="+")
    limit_cents = models.BigIntegerField()
    max_buy_in_cents = models.BigIntegerField()
    opener_cents = models.BigIntegerField()
    bank_chips = models.ForeignKey("ledger.Account", on_delete=models.PROTECT, related_name="+")
    bank_cash = models.ForeignKey("ledger.Account", on_delete=models.PROTECT, related_name="+")
    box = models.ForeignKey("ledger.DropBox", on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["table"], condition=Q(closed_at__isnull=True), name="one_open_session_per_table"
            ),
            models.CheckConstraint(condition=Q(limit_cents__gt=0), name="session_limit_above_zero"),
            models.CheckConstraint(
                condition=Q(max_buy_in_cents__gte=F("limit_cents") * 30), name="session_maximum_fits_buy_in"
            ),
        ]
        permissions = [
            ("run_floor", "Opens and closes tables, runs the floor"),
            ("deal", "Deals rounds and enters hands"),
            ("handle_chips", "Sells chips at a table, seats players and cashes them out"),
            ("ask_corrections", "Asks for corrections"),
            ("approve_corrections", "Approves corrections that somebody else asked for"),
            ("read_tables", "Reads tables, rounds and statements"),
            ("manage_house", "Keeps schedules, sheets and staff"),
        ]

    def __str__(self) -> str:
        return f"{self.table}, opened {self.opened_at:%Y-%m-%d %H:%M} UTC"

    @property
    def smallest_buy_in_cents(self) -> int:
        """Thirty times the limit (R52)."""
        return 30 * self.limit_cents

    @property
    def nine_points_cents(self) -> int:
        """What a stack must hold for the player to be dealt in (R53)."""
        return 9 * self.limit_cents
