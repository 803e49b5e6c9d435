"""One table's evening in a simulated night: who comes and goes, and what they decide. Its rounds are in round_play.py.

Everything uses the same verbs as the screens. Each happening yields the seconds until it continues.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from casino.demo.nights import floor_work
from casino.demo.nights.house import Happening, SimulatedHouse
from casino.demo.nights.people import Guest, free_dealer, guests, seated
from casino.demo.nights.round_play import RoundPlay
from ledger.journal.acts import Act
from tables.collection.clock import start_clock, stop_clock
from tables.collection.taking import pay_fees
from tables.floor.banks import change_box, fill_bank
from tables.floor.opening import open_table
from tables.models import Rate, Sitting, Table
from tables.rules.game.sheet import Sheet
from tables.rules.table.buy_ins import BUY_IN_POINTS
from tables.seats.buying_in import FirstBuyIn, add_on, buy_in
from tables.seats.leaving import cash_out
from tables.seats.sitting import sit_out

SEATS = range(1, 6)
MOST_POINTS = 100
OPENER_POINTS = 400
INCIDENTS = (
    "A glass of water over the layout",
    "A card was found on the floor",
    "Fire alarm, no fire",
    "Camera down",
)
# How often something happens, each time it could.
STOPPED = 0.007
DINNER = 0.005
SITS_OUT = 0.01
RECORDED_LATE = 0.15
COMES_BACK = 0.25
PAYS_AHEAD = 0.06
LONGEST_LINE = 3
# A table open longer than this changes its drop box half-way.
ONE_BOX = timedelta(minutes=75)


@dataclass(frozen=True, slots=True)
class Course:
    """What a table plays, and how long: to `until`, None for as long as the house does. Then it closes, or `scene` takes over.

    `incidents` says whether its clock may be stopped and the like before that.
    """

    sheet: Sheet
    until: datetime | None
    scene: Callable[[SimulatedTable], Happening] | None = None
    incidents: bool = True


class SimulatedTable(RoundPlay):
    """A table from its opening to its closing, or to the scene of its course, which leaves it open."""

    def __init__(
        self,
        house: SimulatedHouse,
        *,
        table: Table,
        rate: Rate,
        place: int,
        places: int,
        course: Course,
    ) -> None:
        self.house = house
        self.table = table
        self.rate = rate
        self.sheet = course.sheet
        self.until, self.scene, self.incidents = course.until, course.scene, course.incidents
        self.rng = Random(f"{house.seed}/{place}")
        self.place = f"t{place}"
        self.town = guests(
            Random(f"{house.seed}/{place}/guests"), first=house.seed % 500 + place, step=places
        )
        self.present: dict[int, Guest] = {}
        self.away: list[Guest] = []
        self.freed: dict[int, datetime] = {}
        self.mistakes = []
        self.line: list[tuple[Guest, int]] = []
        self.main: SimulatedTable | None = None
        self.closing = self.incident_seen = False
        self.rates_change = self.incidents and self.scene is None and not self.sheet.race_to

    opened_at: datetime
    pushed_at: datetime
    box_changes_at: datetime | None = None
    next_arrival: datetime

    # -- the course of the evening --------------------------------------------------------------------------------

    def evening(self) -> Happening:
        """Open, play round after round, close."""
        yield from self.open()
        while self.until is None or self.house.now < self.until:
            yield from self.between_rounds()
            yield from self.play_round()
        if self.scene is not None:
            self.incidents = False
            yield from self.scene(self)
        else:
            yield from self.close()

    def open(self) -> Happening:
        """Open the table and seat the first guests."""
        house, limit = self.house, self.rate.limit_cents
        house.stock_cage(chips=OPENER_POINTS * limit)
        self.session = self.do(
            open_table,
            table=self.table,
            game=self.sheet.code,
            rate=self.rate,
            max_buy_in_cents=MOST_POINTS * limit,
            opener_cents=OPENER_POINTS * limit,
            actor=house.crew.floor,
        )
        self.opened_at = house.now
        floor_work.come_in(self, free_dealer(house.crew.dealer))
        floor_work.join_main_game(self)
        if self.until is not None and self.until - house.now > ONE_BOX:
            self.box_changes_at = house.now + (self.until - house.now) / 2
        yield self.seconds(60, 240)
        for _ in range(self.rng.randint(2, 4)):
            self.welcome(self.newcomer())
            yield self.seconds(10, 50)
        self.next_arrival = house.now + timedelta(seconds=self.seconds(120, 1500))

    def between_rounds(self) -> Happening:
        """Do everything that is allowed only between rounds."""
        if self.box_changes_at is not None and self.house.now > self.box_changes_at:
            self.box_changes_at = None
            crew = self.house.crew
            self.do(change_box, session_id=self.session.pk, actor=crew.floor, second=crew.floor2)
        for step in (self.see_off, self.correct, self.arrivals, self.breaks, self.incident, self.sell_chips):
            yield from step()
        if self.scene is None:
            for work in floor_work.BETWEEN_ROUNDS:
                yield from work(self)
        yield from self.rest(self.seconds(10, 40))

    def close(self) -> Happening:
        """Break the table: move players to other tables if they fit, cash out the rest, and have two people count its bank."""
        self.closing = True
        floor_work.give_up_line(self)
        for mistake in self.mistakes:
            yield from mistake.decide(self)
        yield self.seconds(15, 60)
        floor_work.break_up(self)

    # -- coming and going -----------------------------------------------------------------------------------------

    def newcomer(self) -> Guest:
        """Return the next guest whom no other night has seated now or later."""
        return next(guest for guest in self.town if not seated(guest, self.house.site, self.house.now))

    def arrivals(self) -> Happening:
        """Seat arriving guests while there are free seats; a table short of players fills up faster.

        A guest who left for a while and found no seat within the return interval takes the chips to the cage (R52).
        """
        now = self.house.now
        for guest in [guest for guest in self.away if guest.back_at is not None and guest.back_at <= now]:
            if guest.must_be_back is not None and guest.must_be_back <= now:
                self.away.remove(guest)
                self.house.expect(self.house.redeem_at_cage(guest.took_cents), now)
            elif len(self.present) < len(SEATS):
                self.away.remove(guest)
                self.welcome(guest)
                yield self.seconds(10, 40)
        due = now >= self.next_arrival or len(self.present) < 2
        if due and (len(self.present) < len(SEATS) or len(self.line) < LONGEST_LINE):
            full = len(self.present) == len(SEATS) or floor_work.fed(self)
            if self.scene is None and (full or self.line):
                floor_work.wait_in_line(self, self.newcomer())
            else:
                self.welcome(self.newcomer())
            mean = 5 * 60 if len(self.present) < 3 else 22 * 60
            self.next_arrival = self.house.now + timedelta(seconds=round(self.rng.expovariate(1 / mean)) + 30)
            yield self.seconds(10, 60)

    def free_seats(self) -> list[int]:
        """Return the free seats."""
        return [seat for seat in SEATS if seat not in self.present]

    def chips_of(self, guest: Guest) -> tuple[int, str]:
        """Return a guest's buy-in in cents and its source: some bring chips. Fills the bank or the cage if needed."""
        back = guest.back_at is not None
        cents = max(guest.points * self.limit_cents(), guest.took_cents)
        if not back and not guest.brings_chips:
            self.fill_bank_for(cents)
            return cents, "cash"
        self.house.sell_at_cage(cents - (guest.took_cents if back else 0))
        return cents, "chips"

    def limit_cents(self) -> int:
        """The limit for a buy-in now: that of the current down, even if it is not recorded yet (R64)."""
        begun, plan = self.state().latest_down, self.plan()
        return plan.rate.limit_cents if begun is not None and plan.new_downs else self.session.limit_cents

    def welcome(self, guest: Guest) -> None:
        """Seat a guest with a first buy-in, now and then recorded late. At a main game the floor orders it."""
        house, seat = self.house, self.rng.choice(self.free_seats())
        cents, source = self.chips_of(guest)
        actor, ordered = self.rng.choice((self.dealer, house.crew.floor)), floor_work.fed(self)
        entered_at = self.late_entry(seat)
        sitting = self.do(
            buy_in,
            session_id=self.session.pk,
            who=guest.known(house.site, Act(actor, house.now)),
            entry=FirstBuyIn(seat, cents, source, entered_at=entered_at, ordered=ordered),
            actor=house.crew.floor if ordered else actor,
            approver=house.crew.floor2 if entered_at else None,
        )
        self.sits(guest, sitting)
        guest.leaves_at = house.now + guest.stays

    def sits(self, guest: Guest, sitting: Sitting) -> None:
        """Note that a guest has taken a seat here."""
        guest.sitting, guest.seat, guest.back_at = sitting.pk, sitting.seat, None
        if guest.leaves_at is None:
            guest.leaves_at = self.house.now + guest.stays
        self.present[sitting.seat] = guest
        self._state = None

    def late_entry(self, seat: int) -> datetime | None:
        """Once in a while claim that a buy-in was some minutes ago; a second person then approves the time (R61)."""
        if self.rng.random() >= RECORDED_LATE:
            return None
        claimed = self.house.now - timedelta(seconds=self.seconds(60, 600))
        if claimed <= max(self.freed.get(seat, self.opened_at), self.opened_at):
            return None
        return claimed

    def see_off(self) -> Happening:
        """Let guests leave whose time is up, or who are short and have had enough."""
        for guest in list(self.present.values()):
            over = guest.leaves_at is not None and guest.leaves_at <= self.house.now
            if over or guest.short_rounds > 3:
                self.leave(guest)
                yield self.seconds(10, 40)

    def leave(self, guest: Guest, *, for_good: bool = False) -> None:
        """Cash a guest out, who then goes to the cage, or comes back later with the same chips."""
        actor = self.rng.choice((self.dealer, self.house.crew.floor))
        self.end_match()
        sitting = self.do(cash_out, sitting_id=guest.sitting, actor=actor)
        self.gone(guest)
        guest.took_cents = sitting.taken_away_cents
        if not for_good and self.rng.random() < COMES_BACK:
            guest.back_at = self.house.now + timedelta(minutes=self.rng.randint(10, 100))
            guest.must_be_back = self.house.now + timedelta(minutes=self.house.site.return_minutes)
            guest.stays = timedelta(minutes=self.rng.randint(30, 120))
            self.away.append(guest)
        else:
            self.to_the_cage(guest)

    def gone(self, guest: Guest) -> None:
        """Note that a guest has left the table."""
        del self.present[guest.seat]
        self.freed[guest.seat] = self.house.now
        guest.sitting, guest.short_rounds = None, 0
        self._state = None

    def to_the_cage(self, guest: Guest) -> None:
        """Send a guest to the cage with the chips taken away."""
        if guest.took_cents:
            walk = timedelta(seconds=self.seconds(60, 240))
            self.house.expect(self.house.redeem_at_cage(guest.took_cents), self.house.now + walk)

    # -- chips and breaks -----------------------------------------------------------------------------------------

    def sell_chips(self) -> Happening:
        """Let short players add on if they like; players who owe a fee their stack cannot pay add on or pay."""
        planned = self.plan()
        limit = planned.rate.limit_cents
        for plan in planned.seats:
            guest = self.present[plan.seat]
            stack = plan.sitting.stack.balance_cents
            low = plan.reason in {"short", "fee_due"} or stack < 12 * limit
            guest.short_rounds = guest.short_rounds + 1 if plan.reason == "short" else 0
            if low and self.rng.random() < guest.adds_on:
                self.add_on(guest, max(guest.points, BUY_IN_POINTS) * limit - stack)
                yield self.seconds(10, 30)
            elif self.round and plan.fees and self.rng.random() < (0.5 if plan.due_cents else PAYS_AHEAD):
                self.pay(guest, self.rng.choice(("cash", "cage")))
                yield self.seconds(10, 30)

    def add_on(self, guest: Guest, cents: int) -> None:
        """Sell a guest chips between rounds."""
        source = "chips" if guest.brings_chips else "cash"
        if source == "cash":
            self.fill_bank_for(cents)
        else:
            self.house.sell_at_cage(cents)
        self.do(add_on, sitting_id=guest.sitting, cents=cents, source=source, actor=self.dealer)

    def pay(self, guest: Guest, method: str) -> None:
        """Have a guest pay the fees due in cash, at the table or at the cage."""
        crew = self.house.crew
        actor = crew.cashier if method == "cage" else self.dealer
        self.do(pay_fees, sitting_id=guest.sitting, method=method, actor=actor)

    def fill_bank_for(self, cents: int) -> None:
        """Fill the table's bank if it could not sell this many chips."""
        bank = self.session.bank_chips
        bank.refresh_from_db(fields=["balance_cents"])
        if bank.balance_cents < cents:
            fill = OPENER_POINTS * self.session.limit_cents
            self.house.stock_cage(chips=fill)
            self.do(fill_bank, session_id=self.session.pk, cents=fill, actor=self.house.crew.floor)

    def breaks(self) -> Happening:
        """Let somebody sit out for a while; rarely all but one go to eat, and the clock may have to wait (R61)."""
        for guest in list(self.present.values()):
            if guest.out_until is None and self.rng.random() < SITS_OUT:
                self.sit_out(guest, self.rng.randint(4, 20))
            elif guest.out_until is not None and guest.out_until <= self.house.now:
                self.sit_in(guest)
        if self.incidents and self.rng.random() < DINNER:
            for guest in list(self.present.values())[1:]:
                if guest.out_until is None:
                    self.sit_out(guest, self.rng.randint(15, 45))
                    yield self.seconds(5, 20)

    def sit_out(self, guest: Guest, minutes: int) -> None:
        """Have a guest sit out for some minutes."""
        guest.out_until = self.house.now + timedelta(minutes=minutes)
        self.do(sit_out, sitting_id=guest.sitting, out=True, actor=self.dealer)

    def sit_in(self, guest: Guest) -> None:
        """Have a guest come back into play."""
        guest.out_until = None
        self.do(sit_out, sitting_id=guest.sitting, out=False, actor=self.dealer)

    def incident(self) -> Happening:
        """Rarely stop the clock for an incident of some minutes (R65)."""
        if self.incidents and self.rng.random() < STOPPED and self.round is not None:
            floor = self.house.crew.floor
            reason = self.rng.choice(INCIDENTS)
            self.incident_seen = True
            self.do(stop_clock, session_id=self.session.pk, because=reason, actor=floor)
            yield self.seconds(240, 1200)
            self.do(start_clock, session_id=self.session.pk, actor=floor)

    def correct(self) -> Happening:
        """Have the mistakes noticed so far corrected."""
        for mistake in list(self.mistakes):
            if mistake.noticed_at <= self.house.now:
                self.mistakes.remove(mistake)
                yield from mistake.decide(self)
