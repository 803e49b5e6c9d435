"""R60-R65 against thousands of random nights: who owes what, by which rule and minute, exactly once.

Random acts go through the verbs, and the same acts are told to the model in tests/support/fees.py, which
knows nothing of the program. No scheduler ever runs here. Times like boundaries: the last microsecond before
the half fee, the down's end. CASINO_NIGHTS says how many nights are played.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.db import connection, transaction

from ledger.errors import LedgerError
from ledger.journal import house_events
from ledger.journal.acts import Act
from tables.collection import clock as collection_clock, rates, taking
from tables.errors import TableError
from tables.models import Charge, Down, Sitting
from tables.rounds import running, settling, starting
from tables.seats import buying_in, moving, sitting as seats_sitting, tokes
from tables.seats.players import Person
from tables.seats.sitting import cash_out
from tests.support.acting import acting
from tests.support.fees import House
from tests.support.game import HANDS, OPENING, Game
from tests.support.lengths import LONG, NIGHTS
from tests.support.replayed import bodies, replayed

pytestmark = pytest.mark.django_db

ACTS = 40
NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus")
# Limit and fee: option 1, ten points; a house's own with an odd half; option 5, whose half is $7.50.
RATES = ((100, 1000), (100, 705), (3000, 1500))
TICK = timedelta(microseconds=1)
MOMENTS = [
    timedelta(minutes=minutes) + late
    for minutes, near in ((20, (-TICK, 0 * TICK, TICK)), (40, (-1000 * TICK, 0 * TICK, TICK)))
    for late in near
]
# When a night begins: an ordinary one, the two in which Los Angeles changes its clocks, and one into the next
# gaming day.
BEGINS = {
    "ordinary": datetime(2026, 6, 10, 2, 0, tzinfo=UTC),
    "an hour is left out": datetime(2026, 3, 8, 9, 10, tzinfo=UTC),
    "an hour comes twice": datetime(2026, 11, 1, 8, 10, tzinfo=UTC),
    "into the next gaming day": datetime(2026, 6, 10, 12, 20, tzinfo=UTC),
}


class Night:
    """One random night at three tables: each act is tried as a verb,
    and where it was not refused the model hears of it."""

    def __init__(self, seed, begins, games, people):
        self.rng = Random(seed)
        self.now = begins
        self.games, self.people = games, people
        self.rates = [game.rate for game in games.values()]
        self.model = House()
        for name, game in games.items():
            self.model.open(name, (game.limit, game.rate.fee_cents))
        self.at: dict[str, tuple[int, int]] = {}  # player: table and sitting
        self.last: dict[str, tuple[int, int]] = {}  # the same of who has left
        self.running: dict[int, object] = {}
        self.mover = ""  # who was moved last
        self.calm = 0  # so many acts since a moment that something hung on, before the next one is looked for
        self.done: Counter = Counter()
        self.told: list[str] = []

    def play(self):
        self.begin()
        for table in self.rng.choices([1, 2, 3], [5, 5, 1], k=ACTS):
            near = self.next_moment()
            self.try_to(self.choose(near or table), near or table)

    def begin(self):
        """Two tables begin; somebody comes to the first about the minute from which the fee is a half,
        somebody moves."""
        for table in (1, 1, 2, 2):
            self.try_to(self.sit, table)
        for table in (1, 2):
            self.try_to(self.round, table)
        self.try_to(self.void, 1)
        self.now += timedelta(minutes=20) + self.rng.choice([-TICK, 0 * TICK, TICK])
        self.try_to(self.rng.choice([self.sit, self.sit, self.claim]), 1)
        self.try_to(self.round, 1)
        self.try_to(self.settle, 1)
        self.try_to(self.move, 1)
        self.try_to(self.settle, 2)
        if self.rng.random() < 0.5:
            self.try_to(self.move, 2)
        self.leave_short()
        for table in (1, 2):
            self.try_to(self.round, table)

    def leave_short(self):
        """Somebody comes to the second table, cannot pay its fee, leaves, and sits down at the first."""
        for act in (self.sit, self.toke, self.round, self.settle, self.leave):
            self.try_to(act, 2)
        self.try_to(self.sit, 1)

    def next_moment(self):
        """Go on to a moment that something about a fee hangs on, and say at which table; or stay,
        or go on by minutes."""
        table = self.rng.choice([1, 1, 2])
        clock = self.model.tables[table]
        self.calm = max(self.calm - 1, 0)
        if clock.downs and not self.calm and self.rng.random() < 0.5:
            moment = clock.after(self.rng.choice(MOMENTS))
            if moment and self.now < moment < self.now + timedelta(minutes=45):
                self.now, self.calm = moment, 4
                return table
        if self.rng.random() < 0.6:
            self.now += timedelta(microseconds=self.rng.randrange(1, 200_000_000))
        return None

    def choose(self, table):
        """What happens next: mostly something that can."""
        clock = self.model.tables[table]
        if table in self.running and self.rng.random() < 0.75:
            return self.settle if self.rng.random() < 0.85 else self.void
        stopped = any(go is None for _, go in clock.stops)
        able = [seat for seat in clock.seats.values() if not seat.out and seat.stack >= 9 * clock.rate[0]]
        room, here = len(clock.seats) < 5 and len(self.at) < len(NAMES), bool(clock.seats)
        likely = 8 if self.calm == 4 else 1
        acts = {
            self.round: 16 if len(able) >= 2 and not stopped and table not in self.running else 0.5,
            self.sit: 5 * likely if room else 0.2,
            self.claim: 2 * likely if room else 0,
            self.leave: 2 if here else 0,
            self.move: 3 * likely if here else 0,
            self.go if stopped else self.stop: 6 if stopped else 1,
            self.sit_out: 2 if here else 0,
            self.pay: 3 if here else 0,
            self.add_on: 1 if here else 0,
            self.toke: 1 if here else 0,
            self.announce: 1,
        }
        return self.rng.choices(list(acts), list(acts.values()))[0]

    def try_to(self, act, table):
        key = f"night-key-{len(self.told)}"
        try:
            with transaction.atomic():
                said = act(table, {"key": key, "now": self.now})
        except (TableError, LedgerError) as refused:
            said = refused.code
        else:
            self.done[act.__name__] += said is not None
        self.told.append(f"{self.now} table {table}: {act.__name__} {said}")

    # -- what may happen; each returns what it was, None where there was nobody for it -----------------------

    def someone(self, table):
        here = [name for name, (where, _) in self.at.items() if where == table]
        return self.rng.choice(here) if here else None

    def a_seat(self, table):
        """A free one, or nearly always."""
        free = {1, 2, 3, 4, 5} - {sitting.seat for sitting in self.seated(table)}
        return self.rng.choice(sorted(free) or [5])

    def owing(self, names):
        """Who of these owes a fee, wherever it fell due; nearly always, where one does."""
        owing = [name for name in names if any(fee.cents for fee in self.model.owed(name))]
        return owing if owing and self.rng.random() < 0.9 else names

    def sit(self, table, by, entered=None):
        away = self.owing([name for name in NAMES if name not in self.at])
        if not away:
            return None
        name, seat = self.rng.choice(away), self.a_seat(table)
        cents = self.rng.choice([30, 30, 31, 40, 60]) * self.games[table].limit
        cents = max(cents, self.last.get((name, table), 0))
        sitting = acting(
            buying_in.buy_in,
            session_id=self.games[table].session.pk,
            who=Person(name),
            entry=buying_in.FirstBuyIn(seat, cents, "cash", entered),
            actor=self.people["floor"],
            approver=entered and self.people["floor2"],
            **by,
        )
        self.at[name] = (table, sitting.pk)
        self.model.sit(table, name, cents, entered or self.now, self.now)
        return f"{name} in seat {seat} with {cents}, entered at {entered or self.now}"

    def claim(self, table, by):
        """Sitting down that is recorded late; the claimed moment likes boundaries, too."""
        clock = self.model.tables[table]
        entered = self.now - timedelta(seconds=self.rng.randrange(1, 3000))
        if clock.downs and self.rng.random() < 0.6:
            start = self.rng.choice(clock.downs)[0]
            entered = min(start + self.rng.choice([0 * TICK, *MOMENTS]), self.now - TICK)
        return self.sit(table, by, entered)

    def leave(self, table, by):
        here = self.owing([name for name, (where, _) in self.at.items() if where == table])
        if not here:
            return None
        name = self.rng.choice(here)
        sitting = self.at[name][1]
        left = acting(cash_out, sitting_id=sitting, actor=self.people["floor"], **by)
        del self.at[name]
        self.last[name] = (table, sitting)
        self.last[name, table] = left.taken_away_cents
        assert left.taken_away_cents == self.model.leave(table, name, self.now)
        return name

    def move(self, table, by):
        name, to = (
            self.someone(table),
            self.rng.choice([one for one in (1, 1, 1, 2, 2, 2, 3) if one != table]),
        )
        if name is None:
            return None
        if self.at.get(self.mover, (None,))[0] == table and self.rng.random() < 0.6:
            name = self.mover  # and on again
        ordered = self.rng.random() < 0.8
        arrived = acting(
            moving.move_player,
            sitting_id=self.at[name][1],
            to_session_id=self.games[to].session.pk,
            seat=self.a_seat(to),
            ordered=ordered,
            actor=self.people["floor"],
            **by,
        )
        self.mover = name
        self.at[name] = (to, arrived.pk)
        self.model.move(table, name, to, self.now, ordered=ordered)
        return f"{name} to {to}, {'ordered' if ordered else 'asked'}"

    def sit_out(self, table, by):
        seats = self.model.tables[table].seats
        name = next((name for name in seats if seats[name].out), None) or self.someone(table)
        if name is None:
            return None
        out = not seats[name].out
        acting(
            seats_sitting.sit_out, sitting_id=self.at[name][1], out=out, actor=self.games[table].dealer, **by
        )
        self.model.sit_out(table, name, self.now, out=out)
        return f"{name} {'out' if out else 'back'}"

    def add_on(self, table, by):
        name = self.someone(table)
        if name is None:
            return None
        cents = self.rng.choice([1, 5, 20]) * self.games[table].limit
        acting(
            buying_in.add_on,
            sitting_id=self.at[name][1],
            cents=cents,
            source="cash",
            actor=self.games[table].dealer,
            **by,
        )
        self.model.chips(table, {name: cents}, self.now)
        return f"{name} {cents}"

    def toke(self, table, by):
        """Nearly all of a stack goes to the dealer, so that the next fee is more than is left."""
        here = [name for name, (where, _) in self.at.items() if where == table]
        if not here:
            return None
        name = here[-1]  # who came last may not have paid yet
        cents = self.stacks(table)[name] - self.rng.choice([0, 300, 700])
        dealer = self.games[table].dealer
        acting(tokes.give_toke, sitting_id=self.at[name][1], cents=cents, actor=dealer, **by)
        self.model.chips(table, {name: -cents}, self.now)
        return f"{name} {cents}"

    def stop(self, table, by):
        session = self.games[table].session.pk
        acting(
            collection_clock.stop_clock,
            session_id=session,
            reason="fire alarm",
            actor=self.people["floor"],
            **by,
        )
        self.model.stop(table, self.now)
        return ""

    def go(self, table, by):
        acting(
            collection_clock.start_clock,
            session_id=self.games[table].session.pk,
            actor=self.people["floor"],
            **by,
        )
        self.model.go(table, self.now)
        return ""

    def announce(self, table, by):
        """Another rate, from the next down on."""
        rate = self.rng.choice(self.rates)
        acting(
            rates.announce_rate,
            session_id=self.games[table].session.pk,
            rate=rate,
            max_buy_in_cents=100 * rate.limit_cents,
            actor=self.people["floor"],
            **by,
        )
        self.model.announce(table, (rate.limit_cents, rate.fee_cents), self.now)
        return str(rate)

    def pay(self, table, by):
        """Pay ahead or what has stayed due, from the stack, in cash, or at the cage,
        also after having left."""
        gone = [name for name in self.last if isinstance(name, str)]
        if gone and self.rng.random() < 0.3:
            name, how = self.rng.choice(gone), "cage"
            table, sitting = self.last[name]
        else:
            name, how = self.someone(table), self.rng.choice(["stack", "cash", "cage"])
            if name is None:
                return None
            sitting = self.at[name][1]
        actor = self.people["cashier"] if how == "cage" else self.games[table].dealer
        acting(taking.pay_fees, sitting_id=sitting, method=how, actor=actor, **by)
        self.model.pay(table, name, how, self.now)
        return f"{name} {how}"

    def round(self, table, by):
        seats = {sitting.seat: sitting.player.name for sitting in self.seated(table)}
        some = [seat for seat in seats if self.rng.random() < 0.1]
        cash = [seat for seat in seats if self.rng.random() < 0.2]
        self.running[table] = acting(
            starting.start_round,
            session_id=self.games[table].session.pk,
            entry=starting.StartEntry(declined=some, in_cash=cash),
            actor=self.games[table].dealer,
            **by,
        )
        self.model.round(table, self.now, cash={seats[seat] for seat in cash})
        return f"declined by {some}, in cash from {[seats[seat] for seat in cash]}"

    def seated(self, table):
        sittings = Sitting.objects.filter(session=self.games[table].session, left_at=None)
        return sittings.select_related("player", "stack")

    def stacks(self, table):
        return {sitting.player.name: sitting.stack.balance_cents for sitting in self.seated(table)}

    def settle(self, table, by):
        if table not in self.running:
            return None
        before = self.stacks(table)
        hands = self.rng.sample(HANDS, 4)
        entry = self.games[table].entry(self.running[table], hands, by["key"])
        settling.settle_round(entry=entry, act=Act(actor=self.games[table].dealer, now=self.now))
        del self.running[table]
        changes = {name: cents - before[name] for name, cents in self.stacks(table).items()}
        self.model.chips(table, changes, self.now)
        return str(changes)

    def void(self, table, by):
        if table not in self.running:
            return None
        round_ = self.running.pop(table)
        acting(running.void_round, round_id=round_.pk, reason="misdeal", actor=self.games[table].dealer, **by)
        return ""

    # -- what came of it -------------------------------------------------------------------------------------

    def kept(self):
        """Every charge as the house has it, down by down, and every down with its rate and its wait."""
        numbers = {game.session.pk: name for name, game in self.games.items()}
        downs = Down.objects.filter(session__in=numbers).select_related("rate")
        charges = Charge.objects.filter(session__in=numbers)
        charges = charges.select_related("player", "down", "rate").with_payments("sitting")
        return sorted(
            (
                numbers[charge.session_id],
                charge.down.number,
                charge.player.name,
                charge.rule,
                charge.cents,
                charge.fee_cents,
                "" if charge.minute_seconds is None else f"{charge.minute_seconds:.6f}",
                *(
                    (charge.payment.method, numbers[charge.payment.sitting.session_id])
                    if charge.payment
                    else ("", None)
                ),
            )
            for charge in charges
        ), sorted(
            (
                numbers[down.session_id],
                down.number,
                down.started_at,
                down.rate.fee_cents,
                down.waited_from,
            )
            for down in downs
        )

    def owed(self):
        """The same by the model, without the downs that have begun and of which nothing has come yet."""
        tables = self.model.tables.values()
        return sorted(
            (
                fee.table,
                fee.down,
                fee.player,
                fee.rule,
                fee.cents,
                fee.full,
                "" if fee.minute is None else f"{fee.minute / timedelta(seconds=1):.6f}",
                fee.paid,
                fee.at,
            )
            for table in tables
            for fee in table.fees
        ), sorted(
            (table.name, number, start, fee, waited)
            for table in tables
            for number, (start, fee, waited) in enumerate(table.downs, 1)
        )

    def left(self):
        """What the stacks hold by the model."""
        tables = self.model.tables
        return {name: {who: s.stack for who, s in tables[name].seats.items()} for name in tables}


def proof():
    """What the check that regulators run finds in the records of this night,
    and how many charges it looked at."""
    said, checked = replayed(bodies())
    return said, checked["charges"]


@pytest.fixture
def people(floor, floor2, cashier):
    return {"floor": floor, "floor2": floor2, "cashier": cashier}


@pytest.fixture
def tables(stocked_site, players, people, employ):
    """Three open tables: two at $1 with fees of $10 and $7.05, one at $30 with a fee of $15."""
    house_events.note_particulars(
        stocked_site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    return {
        number: Game(
            stocked_site,
            people["floor"],
            employ(f"dealer{number}", "dealer"),
            players,
            number=number,
            limit_cents=limit,
            fee_cents=fee,
        )
        for number, (limit, fee) in enumerate(RATES, 1)
    }


@pytest.mark.parametrize("kind", BEGINS)
def test_r60_to_r65_everybody_owes_what_the_model_says_exactly_once(kind, tables, people):
    done: Counter = Counter()
    seen: set[str] = set()
    # The model is of the program: on PostgreSQL one night sends the statements.
    nights = NIGHTS // len(BEGINS) if LONG or connection.vendor == "sqlite" else 1
    for seed in range(nights):
        with transaction.atomic():
            night = Night(f"{kind}/{seed}", BEGINS[kind], tables, people)
            night.play()
            charges, downs = night.kept()
            story = "\n".join([f"night {kind}/{seed}", *night.told])
            assert (charges, downs) == night.owed(), story
            assert {table: night.stacks(table) for table in tables} == night.left(), story
            assert proof() == ([], len(charges)), story
            transaction.set_rollback(True)
        done += night.done
        seen.update(charge[3] for charge in charges)
        seen.update("left due" for charge in charges if not charge[7])
        seen.update("followed" for charge in charges if charge[8] not in (None, charge[0]))
        seen.update("waited" for down in downs if down[4])
    if nights == 1:
        return
    rare = set() if LONG else {"waited", "claim", "go"}  # not in each three nights of a kind
    assert seen | rare >= {"full", "half", "covered", "left due", "followed", "waited"} >= seen
    assert done.keys() | rare >= {"round", "sit", "claim", "leave", "move", "stop", "go", "sit_out", "pay"}
