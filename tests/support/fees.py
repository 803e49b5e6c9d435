"""An independent model of collection fees (R60-R65), to compare charges with. It uses nothing of the program.
A `House` is told what happens, in order, and computes who owes what and what becomes of it. Times are aware
datetimes, amounts whole cents; any hashable names players and tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count

FORTY, TWENTY, ZERO = timedelta(minutes=40), timedelta(minutes=20), timedelta()


@dataclass(eq=False)
class Fee:
    """`minute` is the entry on the table's clock, None if before the down. `at` is the table that took the
    fee, maybe another one (R51); `number` orders due dates."""

    table: object
    down: int
    player: object
    rule: str
    cents: int
    full: int
    minute: timedelta | None
    paid: str = ""
    at: object = None
    number: int = field(default_factory=count().__next__)

    def pay(self, how, at):
        self.paid, self.at = how, at


@dataclass(eq=False)
class Seat:
    """`cover` is a fee paid at another table that counts for the first one here (R62)."""

    entered: datetime
    stack: int
    out: bool = False
    cover: Fee | None = None


@dataclass(eq=False)
class Table:
    """`rate` is (limit, fee); `downs` are (start, fee, waited from); a stop that lasts has no end."""

    name: object
    rate: tuple[int, int]
    announced: tuple[int, int] | None = None
    downs: list[tuple] = field(default_factory=list)
    stops: list[list] = field(default_factory=list)
    rounds: list[tuple] = field(default_factory=list)
    seats: dict[object, Seat] = field(default_factory=dict)
    fees: list[Fee] = field(default_factory=list)

    def begin(self, at, waited=None):  # R64: what was announced holds from the next down on
        self.rate, self.announced = self.announced or self.rate, None
        self.downs.append((at, self.rate[1], waited))

    def ran(self, since, until):  # R65: the time between, less what the clock stood
        stood = (min(go or until, until) - max(stop, since) for stop, go in self.stops)
        return until - since - sum((max(one, ZERO) for one in stood), ZERO)

    def after(self, run):  # when the newest down has run for so long; None where the clock stands before that
        start, moment = self.downs[-1][0], self.downs[-1][0] + run
        for stop, go in self.stops:
            if stop < moment and go is None:
                return None
            if stop < moment and go > start:
                moment += go - max(stop, start)
        return moment

    def due(
        self, now
    ):  # R61: forty minutes have run, and two could be dealt in, in the down to come, but for a fee
        stands, nine = any(go is None for _, go in self.stops), 9 * (self.announced or self.rate)[0]
        able = [seat for seat in self.seats.values() if not seat.out and seat.stack >= nine]
        return bool(self.downs) and not stands and len(able) >= 2 and self.after(FORTY) <= now

    def runs(self, now):  # not before the first down, and not while it waits for a second player
        return bool(self.downs) and ((end := self.after(FORTY)) is None or now < end)

    @contextmanager
    def at(self, now) -> Iterator["Table"]:
        """An event: before it, downs run back to back while two can play; then a waiting clock starts."""
        while self.due(now):
            self.begin(self.after(FORTY))
        yield self
        if self.due(now):
            self.begin(now, self.after(FORTY) if self.after(FORTY) < now else None)

    def fee_of(self, player, down):
        return next((fee for fee in self.fees if (fee.player, fee.down) == (player, down)), None)

    def charge(self, player, down):  # R61, R62: once, by the moment of entry
        if self.fee_of(player, down):
            return
        seat, (start, full, _) = self.seats[player], self.downs[down - 1]
        minute = None if seat.entered < start else self.ran(start, seat.entered)
        rule, cents = ("half", full // 2) if minute is not None and minute >= TWENTY else ("full", full)
        if seat.cover:
            rule, cents, seat.cover = "covered", 0, None
        fee = Fee(self.name, down, player, rule, cents, full, minute)
        self.fees.append(fee)
        if rule == "covered":
            fee.pay("covered", self.name)

    def take(self, owed, how, left):  # R63: from the stack only what leaves so much on it
        for fee in owed:
            if how != "stack":
                fee.pay(how, self.name)
            elif self.seats[fee.player].stack - fee.cents >= left:
                fee.pay(how, self.name)
                self.seats[fee.player].stack -= fee.cents


class House:
    """Every table by name. It is told only of acts that were not refused."""

    def __init__(self):
        self.tables: dict[object, Table] = {}

    def owed(self, player):  # R51: wherever in the house it fell due, the oldest first
        every = [fee for table in self.tables.values() for fee in table.fees]
        owed = [fee for fee in every if fee.player == player and not fee.paid]
        return sorted(owed, key=lambda fee: fee.number)

    def open(self, table, rate):
        self.tables[table] = Table(table, rate)

    def announce(self, table, rate, now):
        with self.tables[table].at(now) as here:
            here.announced = rate

    def sit(self, table, player, stack, entered, now):
        with self.tables[table].at(now) as here:
            here.seats[player] = Seat(entered, stack)
        if entered < now:  # recorded late: rounds have started meanwhile (R61)
            for down in sorted({down for at, down in here.rounds if at >= entered}):
                here.charge(player, down)

    def leave(self, table, player, now):
        """Take what is due, then return what is left of the stack."""
        with self.tables[table].at(now) as here:
            here.take(self.owed(player), "stack", 0)
            return here.seats.pop(player).stack

    def move(self, table, player, to, now, *, ordered):
        with self.tables[table].at(now) as old, self.tables[to].at(now) as new:
            seat, down = old.seats[player], old.runs(now) and len(old.downs)
            stack, paid = self.leave(table, player, now), old.fee_of(player, down)
            cover = paid if paid and paid.paid else seat.cover
            had = new.runs(now) and new.fee_of(player, len(new.downs))
            if not ordered or had or (cover and cover.table == to):
                cover = None
            new.seats[player] = Seat(now, stack, seat.out, cover)

    def chips(self, table, changes, now):
        with self.tables[table].at(now) as here:
            for player, cents in changes.items():
                here.seats[player].stack += cents

    def sit_out(self, table, player, now, *, out):
        with self.tables[table].at(now) as here:
            here.seats[player].out = out

    def stop(self, table, now):
        with self.tables[table].at(now) as here:
            here.stops.append([now, None])

    def go(self, table, now):
        with self.tables[table].at(now) as here:
            here.stops[-1][1] = now

    def round(self, table, now, cash=()):
        """Start a round: everybody seated owes for its down, and pays from the stack or in cash."""
        with self.tables[table].at(now) as here:
            if not here.downs:
                here.begin(now)
            here.rounds.append((now, len(here.downs)))
            for player in here.seats:
                here.charge(player, len(here.downs))
                here.take(self.owed(player), "cash" if player in cash else "stack", 9 * here.rate[0])

    def waive(self, table, player, down, now, due_at=None):
        """Waive one fee: of the current down, also before its first round, or one still due."""
        with self.tables[table].at(now) as here:
            if due_at is not None:
                self.tables[due_at].fee_of(player, down).pay("waived", table)
                return
            if here.runs(now) and not here.seats[player].cover and down == len(here.downs):
                here.charge(player, down)
            here.fee_of(player, down).pay("waived", table)

    def pay(self, table, player, how, now):
        """Pay ahead, or what is due; at the cage also after leaving, then what is due at this table."""
        with self.tables[table].at(now) as here:
            if player in here.seats and here.runs(now) and not here.seats[player].cover:
                here.charge(player, len(here.downs))
            owed = self.owed(player)
            if player not in here.seats:
                owed = [fee for fee in owed if fee.table == table]
            here.take(owed, how, 9 * here.rate[0])
