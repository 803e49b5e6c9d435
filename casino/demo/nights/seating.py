"""Seats and chips at one table of a simulated night."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from casino.demo.nights.bank import bring_chips, send_back
from casino.demo.nights.house import Happening
from casino.demo.nights.people import Guest, guests, seated
from casino.demo.nights.round_play import RoundPlay
from ledger.journal.acts import Act
from tables.collection.taking import pay_fees
from tables.models import Sitting
from tables.rules.table.buy_ins import BUY_IN_POINTS
from tables.seats.buying_in import FirstBuyIn, add_on, buy_in
from tables.seats.sitting import cash_out, sit_out
from tables.state.held_seats import longest_at_feeders
from tables.state.table_state import sessions

SEATS = range(1, 6)
OPENER_POINTS = 400
# Probability of each, every time it could happen.
RECORDED_LATE = 0.15
COMES_BACK = 0.25
PAYS_AHEAD = 0.06


@dataclass(eq=False, repr=False, kw_only=True)
class Seating(RoundPlay):
    """A table that guests come to. `places` is the night's number of tables, none of which share guests."""

    places: int
    away: list[Guest] = field(default_factory=list)
    freed: dict[int, datetime] = field(default_factory=dict)
    town: Iterator[Guest] = field(init=False)
    opened_at: datetime = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        seed, place = self.house.seed, self.place
        self.town = guests(Random(f"{seed}/{place}/guests"), first=seed % 500 + place, step=self.places)

    # -- coming and going --------------------------------------------------------------------------

    def newcomer(self) -> Guest:
        return next(guest for guest in self.town if not seated(guest, self.house.site, self.house.now))

    def free_seats(self) -> list[int]:
        return [seat for seat in SEATS if seat not in self.present]

    def chips_of(self, guest: Guest) -> tuple[int, str]:
        """Return a guest's buy-in in cents and its source; fills the bank or the cage at need."""
        back = guest.back_at is not None
        cents = max(guest.points * self.limit_cents(), guest.took_cents)
        if not back and not guest.brings_chips:
            self.fill_bank_for(cents)
            return cents, "cash"
        self.house.sell_at_cage(cents - (guest.took_cents if back else 0), guest)
        return cents, "chips"

    def limit_cents(self) -> int:
        """Return the limit for a buy-in: that of the current down, even if not recorded yet (R64)."""
        begun, plan = self.state().latest_down, self.plan()
        return plan.rate.limit_cents if begun is not None and plan.new_downs else self.session.limit_cents

    def welcome(self, guest: Guest) -> None:
        """Seat a guest with a first buy-in, sometimes recorded late. At a main game the floor orders it."""
        house, seat = self.house, self.rng.choice(self.free_seats())
        cents, source = self.chips_of(guest)
        actor, ordered = self.rng.choice((self.dealer, house.crew.floor)), self.fed()
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
        guest.sitting, guest.seat, guest.back_at = sitting.pk, sitting.seat, None
        if guest.leaves_at is None:
            guest.leaves_at = self.house.now + guest.stays
        self.present[sitting.seat] = guest
        self._state = None

    def late_entry(self, seat: int) -> datetime | None:
        """Once in a while claim an earlier buy-in, whose time a second person approves (R61)."""
        if self.rng.random() >= RECORDED_LATE:
            return None
        claimed = self.house.now - timedelta(seconds=self.seconds(60, 600))
        if claimed <= max(self.freed.get(seat, self.opened_at), self.opened_at):
            return None
        return claimed

    def leave(self, guest: Guest, *, for_good: bool = False) -> None:
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
        del self.present[guest.seat]
        self.freed[guest.seat] = self.house.now
        guest.sitting, guest.short_rounds = None, 0
        self._state = None

    def to_the_cage(self, guest: Guest) -> None:
        if guest.took_cents:
            walk = timedelta(seconds=self.seconds(60, 240))
            self.house.expect(self.house.redeem_at_cage(guest.took_cents, guest), self.house.now + walk)

    def fed(self) -> bool:
        return longest_at_feeders(sessions().get(pk=self.session.pk)) is not None

    # -- chips and breaks --------------------------------------------------------------------------

    def sell_chips(self) -> Happening:
        """Let short players add on; players who owe a fee their stack cannot pay add on or pay."""
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
        source = "chips" if guest.brings_chips else "cash"
        if source == "cash":
            self.fill_bank_for(cents)
        else:
            self.house.sell_at_cage(cents, guest)
        self.do(add_on, sitting_id=guest.sitting, cents=cents, source=source, actor=self.dealer)

    def pay(self, guest: Guest, method: str) -> None:
        crew = self.house.crew
        actor = crew.cashier if method == "cage" else self.dealer
        if method == "cage":
            self.house.open_drawer()
        self.do(pay_fees, sitting_id=guest.sitting, method=method, actor=actor)

    def fill_bank_for(self, cents: int) -> None:
        bank = self.session.bank_chips
        bank.refresh_from_db(fields=["balance_cents"])
        if bank.balance_cents < cents:
            self.bring_chips(OPENER_POINTS * self.session.limit_cents)

    def bring_chips(self, cents: int) -> None:
        self.house.stock_cage(chips=cents)
        trays = self.house.trays
        chips = trays.take_trays(trays.vault, cents)
        trays.out.update(chips)
        crew, act = self.house.crew, Act(self.house.crew.floor, self.house.now, self.key())
        people = {"floor": crew.floor, "dealer": self.dealer, "cashier": crew.cashier}
        bring_chips(self.session, chips, **people, act=act)

    def send_back(self) -> None:
        crew, act = self.house.crew, Act(self.house.crew.floor, self.house.now, self.key())
        people = {"floor": crew.floor, "dealer": self.dealer, "cashier": crew.cashier}
        send_back(self.session, **people, act=act)

    def sit_out(self, guest: Guest, minutes: int) -> None:
        guest.out_until = self.house.now + timedelta(minutes=minutes)
        self.do(sit_out, sitting_id=guest.sitting, out=True, actor=self.dealer)

    def sit_in(self, guest: Guest) -> None:
        guest.out_until = None
        self.do(sit_out, sitting_id=guest.sitting, out=False, actor=self.dealer)
