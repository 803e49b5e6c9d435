"""One table's evening in a simulated night: guests who come and go, and what happens between rounds."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from casino.demo.nights.floor_work import FloorWork
from casino.demo.nights.house import Happening, next_seal, read_seal
from casino.demo.nights.people import free_dealer
from casino.demo.nights.seating import OPENER_POINTS, SEATS
from tables.collection.clock import start_clock, stop_clock
from tables.floor.opening import change_box, open_table
from tables.models import Rate, Table

MOST_POINTS = 100
INCIDENTS = (
    "A glass of water over the layout",
    "A card was found on the floor",
    "Fire alarm, no fire",
    "Camera down",
)
# The probability of each after every round.
STOPPED = 0.007
DINNER = 0.005
SITS_OUT = 0.01
LONGEST_LINE = 3
# A table open longer than this changes its drop box half-way.
ONE_BOX = timedelta(minutes=75)


@dataclass(eq=False, repr=False, kw_only=True)
class SimulatedTable(FloorWork):
    """A table of a simulated night, up to `until` (None: without end), or up to its `scene`."""

    table: Table
    rate: Rate
    until: datetime | None
    next_arrival: datetime = field(init=False)
    box_changes_at: datetime | None = None

    # -- the course of the evening -----------------------------------------------------------------

    def evening(self) -> Happening:
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
        house, limit = self.house, self.rate.limit_cents
        house.stock_cage(chips=OPENER_POINTS * limit)
        self.session = self.do(
            open_table,
            table=self.table,
            game=self.sheet.code,
            rate=self.rate,
            max_buy_in_cents=MOST_POINTS * limit,
            seal=next_seal(house.site),
            actor=house.crew.floor,
        )
        self.opened_at = house.now
        self.come_in(free_dealer(house.crew.dealer))
        self.bring_chips(OPENER_POINTS * limit)
        self.join_main_game()
        if self.until is not None and self.until - house.now > ONE_BOX:
            self.box_changes_at = house.now + (self.until - house.now) / 2
        yield self.seconds(60, 240)
        for _ in range(self.rng.randint(2, 4)):
            self.welcome(self.newcomer())
            yield self.seconds(10, 50)
        self.next_arrival = house.now + timedelta(seconds=self.seconds(120, 1500))

    def between_rounds(self) -> Happening:
        if self.box_changes_at is not None and self.house.now > self.box_changes_at:
            self.box_changes_at = None
            seals = {"noted": read_seal(self.session.pk), "new_seal": next_seal(self.house.site)}
            self.order(change_box, second=self.house.crew.floor2, **seals)
            self.send_back()
        for step in (self.see_off, self.correct, self.arrivals, self.breaks, self.incident, self.sell_chips):
            yield from step()
        if self.scene is None:
            yield from self.work()
        yield from self.rest(self.seconds(10, 40))

    def close(self) -> Happening:
        """Close the table: players move or cash out, and two people count the bank."""
        self.closing = True
        self.give_up_line()
        for mistake in self.mistakes:
            yield from self.decide(mistake)
        yield self.seconds(15, 60)
        self.break_up()

    # -- coming and going --------------------------------------------------------------------------

    def arrivals(self) -> Happening:
        """Seat arriving guests while seats are free; a table short of players fills up faster. A guest who
        finds no seat within the return interval redeems the chips at the cage (R52)."""
        now = self.house.now
        for guest in [guest for guest in self.away if guest.back_at is not None and guest.back_at <= now]:
            if guest.must_be_back is not None and guest.must_be_back <= now:
                self.away.remove(guest)
                self.house.expect(self.house.redeem_at_cage(guest.took_cents, guest), now)
            elif len(self.present) < len(SEATS):
                self.away.remove(guest)
                self.welcome(guest)
                yield self.seconds(10, 40)
        due = now >= self.next_arrival or len(self.present) < 2
        if due and (len(self.present) < len(SEATS) or len(self.line) < LONGEST_LINE):
            full = len(self.present) == len(SEATS) or self.fed()
            if self.scene is None and (full or self.line):
                self.wait_in_line(self.newcomer())
            else:
                self.welcome(self.newcomer())
            mean = 5 * 60 if len(self.present) < 3 else 22 * 60
            self.next_arrival = self.house.now + timedelta(seconds=round(self.rng.expovariate(1 / mean)) + 30)
            yield self.seconds(10, 60)

    def see_off(self) -> Happening:
        for guest in list(self.present.values()):
            over = guest.leaves_at is not None and guest.leaves_at <= self.house.now
            if over or guest.short_rounds > 3:
                self.leave(guest)
                yield self.seconds(10, 40)

    # -- chips and breaks --------------------------------------------------------------------------

    def breaks(self) -> Happening:
        """Let players sit out and return. Rarely all but one go to eat, which may stop the clock (R61)."""
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

    def incident(self) -> Happening:
        if self.incidents and self.rng.random() < STOPPED and self.round is not None:
            self.incident_seen = True
            self.order(stop_clock, because=self.rng.choice(INCIDENTS))
            yield self.seconds(240, 1200)
            self.order(start_clock)

    def correct(self) -> Happening:
        for mistake in list(self.mistakes):
            if mistake.noticed_at <= self.house.now:
                self.mistakes.remove(mistake)
                yield from self.decide(mistake)
