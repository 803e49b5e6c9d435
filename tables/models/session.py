"""The tables of a site, the games that were opened at them, the sheets those games were bound to, and each
stay of a player."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ledger.db.keeping import check, mutable, numbered_from_one, unique, written_once
from tables.rules.table import buy_ins


class Table(models.Model):
    """A table on the floor, known by its number, which never changes. It is retired, never removed."""

    keeping = mutable("house_event")

    class Side(models.TextChoices):
        LEFT = "left", "The dealer's left"
        RIGHT = "right", "The dealer's right"

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField()
    seat_one = models.CharField(
        max_length=5, choices=Side, default=Side.LEFT, help_text="the side of the dealer at which seat 1 is"
    )
    retired_at = models.DateTimeField(null=True, blank=True, help_text="out of use since then")

    class Meta:
        constraints = [unique("one_table_per_number", "site", "number")]

    def __str__(self) -> str:
        return f"Table {self.number}"


class GameOffer(models.Model):
    """The manager's last choice whether a game is on offer. A game without a row is."""

    keeping = mutable("house_event")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    code = models.CharField(max_length=40)
    offered = models.BooleanField()

    class Meta:
        constraints = [unique("one_offer_per_game", "site", "code")]

    def __str__(self) -> str:
        return f"{self.code}, {'offered' if self.offered else 'not offered'}"


class SheetVersion(models.Model):
    """A game sheet at its first use: its exact bytes, which never change."""

    keeping = written_once("table_event")

    code = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    title = models.CharField(max_length=120)
    raw = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    first_used_at = models.DateTimeField()

    class Meta:
        constraints = [
            numbered_from_one("tables_sheetversion"),
            unique("one_sheet_per_version", "code", "version"),
        ]

    def __str__(self) -> str:
        return f"{self.title} (version {self.version})"


class TableSession(models.Model):
    """A table from opening to closing; its game and bank do not change. Rate, limit and maximum are those of
    the running down; an announced change waits in `next_rate` and `next_max_buy_in_cents` (R64).
    `closer_cents` are the chips counted at closing. `must_move_to` is the main game (R55). Every verb locks
    the row first, so a table's acts happen in order."""

    keeping = mutable("table_event")

    table = models.ForeignKey(Table, models.PROTECT, related_name="sessions")
    sheet = models.ForeignKey(SheetVersion, models.PROTECT, related_name="+")
    rate = models.ForeignKey("tables.Rate", models.PROTECT, related_name="+")
    limit_cents = models.BigIntegerField()
    max_buy_in_cents = models.BigIntegerField()
    bank_chips = models.ForeignKey("ledger.Account", models.PROTECT, related_name="+")
    bank_cash = models.ForeignKey("ledger.Account", models.PROTECT, related_name="+")
    closer_cents = models.BigIntegerField(null=True, blank=True)
    box = models.ForeignKey("ledger.DropBox", models.PROTECT, related_name="+")
    dealer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    next_rate = models.ForeignKey("tables.Rate", models.PROTECT, related_name="+", null=True, blank=True)
    next_max_buy_in_cents = models.BigIntegerField(null=True, blank=True)
    must_move_to = models.ForeignKey("self", models.PROTECT, related_name="feeders", null=True, blank=True)
    opened_at = models.DateTimeField()
    latest_at = models.DateTimeField(
        help_text="the newest moment recorded at the table; no act is dated before it (R65)"
    )
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    told_until = models.DateTimeField(
        null=True, blank=True, help_text="the newest boundary or warning of which screens were told"
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )

    class Meta:
        constraints = [
            unique("one_open_session_per_table", "table", where=Q(closed_at__isnull=True)),
            check("session_limit_above_zero", Q(limit_cents__gt=0)),
            check(
                "session_maximum_fits_buy_in",
                Q(max_buy_in_cents__gte=F("limit_cents") * buy_ins.BUY_IN_POINTS),
            ),
            check(
                "session_change_announced_whole",
                Q(next_rate__isnull=True, next_max_buy_in_cents__isnull=True)
                | Q(next_rate__isnull=False, next_max_buy_in_cents__gt=0),
            ),
            check("session_moves_elsewhere", Q(must_move_to__isnull=True) | ~Q(must_move_to=F("id"))),
        ]
        permissions = [
            ("run_floor", "Opens and closes tables, runs the floor"),
            ("deal", "Deals rounds and enters hands"),
            ("handle_chips", "Sells chips at a table, seats players and cashes them out"),
            ("ask_corrections", "Asks for corrections"),
            ("approve_corrections", "Approves corrections that somebody else asked for"),
            ("read_tables", "Reads tables, rounds and statements"),
            ("manage_house", "Keeps rates, sheets and staff"),
        ]

    def __str__(self) -> str:
        return f"{self.table}, opened {self.opened_at:%Y-%m-%d %H:%M} UTC"

    @property
    def smallest_buy_in_cents(self) -> int:
        return buy_ins.smallest_buy_in(self.limit_cents)

    @property
    def most_on_a_stack_cents(self) -> int:
        """The maximum buy-in (R52), or a higher one that is announced."""
        return buy_ins.most_on_a_stack(self.max_buy_in_cents, self.next_max_buy_in_cents)

    @property
    def nine_points_cents(self) -> int:
        """The least stack that is dealt in (R53)."""
        return buy_ins.nine_points(self.limit_cents)


class Sitting(models.Model):
    """A player's stay at a table, until their chips leave it. The fee counts from `entered_at` (R61);
    `recorded_at` is when staff entered it. The stack account lives as long as the sitting. `moved_from` is
    the sitting before a move (R55), `covered_by` the fee paid there that covers the first one here (R62)."""

    keeping = mutable("entry", "table_event")

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="sittings")
    player = models.ForeignKey("tables.Player", models.PROTECT, related_name="sittings")
    seat = models.PositiveSmallIntegerField()
    stack = models.OneToOneField("ledger.Account", models.PROTECT, related_name="+")
    entered_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)
    sitting_out = models.BooleanField(default=False)
    fantasy_land = models.BooleanField(default=False)
    taken_away_cents = models.BigIntegerField(null=True, blank=True)
    moved_from = models.OneToOneField("self", models.PROTECT, related_name="moved_to", null=True, blank=True)
    covered_by = models.ForeignKey("tables.Charge", models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = [
            check("five_seats", Q(seat__gte=1, seat__lte=5)),
            unique("one_player_per_seat", "session", "seat", where=Q(left_at__isnull=True)),
            unique("one_seat_per_player", "player", where=Q(left_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.player!s} in seat {self.seat}"

    @property
    def person_id(self) -> int:
        """The entry that stands for the player, after merges."""
        return self.player.merged_into_id or self.player_id
