"""One table's evening in a simulated night: who comes and goes, what they decide, what the cards do.

Everything goes through the verbs that the screens use. Each happening yields the seconds that pass before it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from inspect import signature
from random import Random
from typing import Any

from ledger.money import amount_text
from tables.collection import pay_fees, start_clock, stop_clock
from tables.models import Round, Schedule, Table, TableSession
from tables.night.house import GAME, Happening, House
from tables.night.mistakes import Mistake, misread
from tables.night.people import Guest, guests, seated
from tables.night.setting import SetHand, set_hand, shuffled
from tables.opening import change_box, close_table, fill_bank, open_table
from tables.queries import RoundPlan, SeatPlan, TableState, plan_round, state_of
from tables.rounds import save_draft, settle_round, start_round, void_round
from tables.rules.rounds import library, parse_round, score
from tables.scoring import RoundEntry
from tables.seating import add_on, buy_in, cash_out, sit_out

SEATS = range(1, 6)
MOST_POINTS = 100
OPENER_POINTS = 400
INCIDENTS = (
    "A glass of water over the layout",
    "A card was found on the floor",
    "Fire alarm, no fire",
    "Camera down",
)
MISDEALS = ("A card was exposed", "Fourteen cards dealt to a hand", "The deck was one card short")
# How often something happens, each time it could.
DECLINES = 0.02
MISDEALT = 0.01
MISTAKEN = 0.02
STOPPED = 0.007
DINNER = 0.005
SITS_OUT = 0.01
SAVES_DRAFT = 0.3
RECORDED_LATE = 0.15
COMES_BACK = 0.25
PAYS_AHEAD = 0.06
# A table that is open for longer changes its drop box at half time.
ONE_BOX = timedelta(minutes=75)
# Decks that are tried where a story needs a certain outcome.
MOST_DECKS = 120

# Stacks after a round, by seat, in cents: whether the story wants them so.
Luck = Callable[[Mapping[int, int]], bool]


class TableNight:
    """A table from its opening to its closing, or to `scene`, which takes over at `until` and leaves it open."""

    def __init__(
        self,
        house: House,
        *,
        table: Table,
        schedule: Schedule,
        place: int,
        places: int,
        until: datetime | None,
        scene: Callable[[TableNight], Happening] | None = None,
        incidents: bool = True,
    ) -> None:
        self.house = house
        self.table = table
        self.schedule = schedule
        self.until = until
        self.scene = scene
        self.incidents = incidents
        self.rng = Random(f"{house.seed}/{place}")
        self.place = f"t{place}"
        self.town = guests(
            Random(f"{house.seed}/{place}/guests"), first=house.seed % 500 + place, step=places
        )
        self.present: dict[int, Guest] = {}
        self.away: list[Guest] = []
        self.freed: dict[int, datetime] = {}
        self.mistakes: list[Mistake] = []
        self.round: Round | None = None
        self._state: TableState | None = None

    session: TableSession
    opened_at: datetime
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
            yield from self.scene(self)
        else:
            yield from self.close()

    def open(self) -> Happening:
        """Open the table and seat the first guests."""
        house, limit = self.house, self.schedule.limit_cents
        house.stock_cage(chips=OPENER_POINTS * limit)
        self.session = self.do(
            open_table,
            table=self.table,
            game=GAME,
            schedule=self.schedule,
            max_buy_in_cents=MOST_POINTS * limit,
            opener_cents=OPENER_POINTS * limit,
            actor=house.crew.floor,
        )
        self.opened_at = house.now
        if self.until is not None and self.until - house.now > ONE_BOX:
            self.box_changes_at = house.now + (self.until - house.now) / 2
        yield self.seconds(60, 240)
        for _ in range(self.rng.randint(2, 4)):
            self.welcome(self.newcomer())
            yield self.seconds(10, 50)
        self.next_arrival = house.now + timedelta(seconds=self.seconds(120, 1500))

    def between_rounds(self) -> Happening:
        """Everything that may be done only while no round runs."""
        if self.box_changes_at is not None and self.house.now > self.box_changes_at:
            self.box_changes_at = None
            crew = self.house.crew
            self.do(change_box, session_id=self.session.pk, actor=crew.floor, second=crew.floor2)
        for step in (self.see_off, self.correct, self.arrivals, self.breaks, self.incident, self.sell_chips):
            yield from step()
        yield self.seconds(10, 40)

    def close(self) -> Happening:
        """Cash everybody out and close the table; two people pull its box."""
        for guest in list(self.present.values()):
            self.leave(guest, for_good=True)
            yield self.seconds(15, 60)
        for mistake in self.mistakes:
            yield from mistake.decide(self)
        crew = self.house.crew
        self.do(close_table, session_id=self.session.pk, actor=crew.floor, second=crew.dealer)

    # -- coming and going -----------------------------------------------------------------------------------------

    def newcomer(self) -> Guest:
        """The next guest who does not sit somewhere else already."""
        return next(guest for guest in self.town if not seated(guest, self.house.site))

    def arrivals(self) -> Happening:
        """Seat whoever comes while there is a seat; a table that runs dry fills up faster.

        Who went for a walk and found no seat within the house's interval takes the chips to the cage (R52).
        """
        now = self.house.now
        for guest in [guest for guest in self.away if guest.back_at <= now]:
            if guest.must_be_back <= now:
                self.away.remove(guest)
                self.house.expect(self.house.redeem_at_cage(guest.took_cents), now)
            elif len(self.present) < len(SEATS):
                self.away.remove(guest)
                self.welcome(guest)
                yield self.seconds(10, 40)
        due = now >= self.next_arrival or len(self.present) < 2
        if due and len(self.present) < len(SEATS):
            self.welcome(self.newcomer())
            mean = 5 * 60 if len(self.present) < 3 else 22 * 60
            self.next_arrival = self.house.now + timedelta(seconds=round(self.rng.expovariate(1 / mean)) + 30)
            yield self.seconds(10, 60)

    def welcome(self, guest: Guest) -> None:
        """Seat a guest with a first buy-in; some bring chips, some are entered a little late."""
        house, limit = self.house, self.schedule.limit_cents
        seat = self.rng.choice([seat for seat in SEATS if seat not in self.present])
        back = guest.back_at is not None
        cents = max(guest.points * limit, guest.took_cents)
        source = "chips" if back or guest.brings_chips else "cash"
        if source == "cash":
            self.fill_bank_for(cents)
        else:
            house.sell_at_cage(cents - (guest.took_cents if back else 0))
        sitting = self.do(
            buy_in,
            session_id=self.session.pk,
            seat=seat,
            player=guest.known(house.site, house.now),
            cents=cents,
            source=source,
            actor=self.rng.choice((house.crew.dealer, house.crew.floor)),
            **self.late_entry(seat),
        )
        guest.sitting, guest.seat, guest.back_at = sitting.pk, seat, None
        guest.leaves_at = house.now + guest.stays
        self.present[seat] = guest

    def late_entry(self, seat: int) -> dict[str, Any]:
        """Once in a while staff record a buy-in some minutes late; a second person vouches for the time (R61)."""
        if self.rng.random() >= RECORDED_LATE:
            return {}
        claimed = self.house.now - timedelta(seconds=self.seconds(60, 600))
        if claimed <= max(self.freed.get(seat, self.opened_at), self.opened_at):
            return {}
        return {"entered_at": claimed, "approver": self.house.crew.floor2}

    def see_off(self) -> Happening:
        """Let those leave whose time has come, or who are short and have had enough."""
        for guest in list(self.present.values()):
            if guest.leaves_at <= self.house.now or guest.short_rounds > 3:
                self.leave(guest)
                yield self.seconds(10, 40)

    def leave(self, guest: Guest, *, for_good: bool = False) -> None:
        """A guest cashes out, then goes to the cage, or for a walk and comes back with the same chips."""
        actor = self.rng.choice((self.house.crew.dealer, self.house.crew.floor))
        sitting = self.do(cash_out, sitting_id=guest.sitting, actor=actor)
        del self.present[guest.seat]
        self.freed[guest.seat] = self.house.now
        guest.sitting, guest.short_rounds, guest.took_cents = None, 0, sitting.taken_away_cents
        if not for_good and self.rng.random() < COMES_BACK:
            guest.back_at = self.house.now + timedelta(minutes=self.rng.randint(10, 100))
            guest.must_be_back = self.house.now + timedelta(minutes=self.house.site.return_minutes)
            guest.stays = timedelta(minutes=self.rng.randint(30, 120))
            self.away.append(guest)
        elif guest.took_cents:
            walk = timedelta(seconds=self.seconds(60, 240))
            self.house.expect(self.house.redeem_at_cage(guest.took_cents), self.house.now + walk)

    # -- chips and breaks -----------------------------------------------------------------------------------------

    def sell_chips(self) -> Happening:
        """Whoever is low adds on, as they feel; whoever owes a fee that the stack cannot pay adds on or pays."""
        for plan in self.plan().seats:
            guest, limit = self.present[plan.seat], self.schedule.limit_cents
            stack = plan.sitting.stack.balance_cents
            low = plan.reason in {"short", "fee_due"} or stack < 12 * limit
            guest.short_rounds = guest.short_rounds + 1 if plan.reason == "short" else 0
            if low and self.rng.random() < guest.adds_on:
                self.add_on(guest, max(guest.points, 30) * limit - stack)
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
        self.do(add_on, sitting_id=guest.sitting, cents=cents, source=source, actor=self.house.crew.dealer)

    def pay(self, guest: Guest, method: str) -> None:
        """A guest pays what is owed now in cash, at the table or at the cage."""
        crew = self.house.crew
        actor = crew.cashier if method == "cage" else crew.dealer
        self.do(pay_fees, sitting_id=guest.sitting, method=method, actor=actor)

    def fill_bank_for(self, cents: int) -> None:
        """Bring chips to the table where its bank could not sell so many."""
        bank = self.session.bank_chips
        bank.refresh_from_db(fields=["balance_cents"])
        if bank.balance_cents < cents:
            fill = OPENER_POINTS * self.schedule.limit_cents
            self.house.stock_cage(chips=fill)
            self.do(fill_bank, session_id=self.session.pk, cents=fill, actor=self.house.crew.floor)

    def breaks(self) -> Happening:
        """Somebody sits out for a while; rarely all but one go to eat, and the clock may have to wait (R61)."""
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
        """A guest sits out for some minutes."""
        guest.out_until = self.house.now + timedelta(minutes=minutes)
        self.do(sit_out, sitting_id=guest.sitting, out=True, actor=self.house.crew.dealer)

    def sit_in(self, guest: Guest) -> None:
        """A guest is back."""
        guest.out_until = None
        self.do(sit_out, sitting_id=guest.sitting, out=False, actor=self.house.crew.dealer)

    def incident(self) -> Happening:
        """Rarely something stops the clock for some minutes (R65)."""
        if self.incidents and self.rng.random() < STOPPED and self.round is not None:
            floor = self.house.crew.floor
            reason = self.rng.choice(INCIDENTS)
            self.do(stop_clock, session_id=self.session.pk, reason=reason, actor=floor)
            yield self.seconds(240, 1200)
            self.do(start_clock, session_id=self.session.pk, actor=floor)

    def correct(self) -> Happening:
        """Let mistakes that have been noticed be corrected."""
        for mistake in list(self.mistakes):
            if mistake.noticed_at <= self.house.now:
                self.mistakes.remove(mistake)
                yield from mistake.decide(self)

    # -- the round ------------------------------------------------------------------------------------------------

    def play_round(self, luck: Luck | None = None) -> Happening:
        """Start a round, deal, and settle it; a misdeal voids it. Where too few can play, some minutes pass."""
        plan = yield from self.start()
        if plan is None:
            return
        if self.rng.random() < MISDEALT:
            yield self.seconds(20, 80)
            reason = self.rng.choice(MISDEALS)
            self.do(void_round, round_id=self.round.pk, reason=reason, actor=self.house.crew.dealer)
            return
        hands = self.deal(plan, luck)
        yield from self.enter(hands)
        self.settle(hands)

    def start(self) -> Happening:
        """Start the next round; returns its plan, or None where too few can play."""
        plan = self.plan()
        declined = self.declining(plan)
        in_cash = {seat.seat for seat in plan.seats if seat.fees and self.present[seat.seat].pays_cash}
        plan = self.plan(declined=declined, in_cash=in_cash)
        if plan.problem is not None:
            yield self.seconds(60, 240)
            return None
        self.round = self.do(
            start_round,
            session_id=self.session.pk,
            actor=self.house.crew.dealer,
            declined=sorted(declined),
            in_cash=sorted(in_cash),
        )
        return plan

    def plan(self, **wishes: Any) -> RoundPlan:
        """What starting a round now would do."""
        return plan_round(self.state(), self.house.now, **wishes)

    def state(self) -> TableState:
        """The table as the rows say it, read once between two verbs."""
        if self._state is None:
            self._state = state_of(self.session)
        return self._state

    def declining(self, plan: RoundPlan) -> set[int]:
        """The seats that do not want to be dealt in, as long as two are left."""
        unwilling = [seat.seat for seat in plan.dealt_in if self.rng.random() < DECLINES]
        waiting = sum(seat.reason == "fifth" for seat in plan.waiting)
        return set(unwilling[: max(len(plan.dealt_in) + waiting - 2, 0)])

    def deal(self, plan: RoundPlan, luck: Luck | None = None) -> dict[int, SetHand]:
        """Deal from a shuffled deck and let everybody set their hand, by seat; `luck` has decks shuffled until it fits."""
        hands = self.dealt(plan)
        for _ in range(MOST_DECKS if luck else 0):
            if luck(self.stacks_after(plan, hands)):
                break
            hands = self.dealt(plan)
        return hands

    def dealt(self, plan: RoundPlan) -> dict[int, SetHand]:
        """One deal: thirteen cards to each seat, set as its guest would."""
        deck = shuffled(self.rng)
        return {
            seat.seat: set_hand(
                deck[13 * place : 13 * place + 13],
                self.house.sheet,
                self.present[seat.seat].temper,
                self.rng,
                all_at_once=seat.sitting.fantasy_land,
            )
            for place, seat in enumerate(plan.dealt_in)
        }

    def stacks_after(self, plan: RoundPlan, hands: Mapping[int, SetHand]) -> dict[int, int]:
        """The stacks that a round with these hands would leave, by seat, in cents."""
        entry = {
            "sheet": GAME,
            "limit": amount_text(self.schedule.limit_cents),
            "button": plan.button,
            "hands": [self.scored_form(seat, hands[seat.seat]) for seat in plan.dealt_in],
        }
        net = score(parse_round(entry, library())).net_cents
        return {seat.seat: seat.stack_cents + net[seat.seat] for seat in plan.dealt_in}

    def scored_form(self, seat: SeatPlan, hand: SetHand) -> dict[str, Any]:
        """A hand in the score format."""
        form = hand.entered(seat.seat) | {"stack": amount_text(seat.stack_cents)}
        return form | {"fantasy_land": True} if seat.sitting.fantasy_land else form

    def enter(self, hands: Mapping[int, SetHand]) -> Happening:
        """The time of the round itself; some dealers enter hands as they come."""
        entered = [hand.entered(seat) for seat, hand in hands.items()]
        if self.rng.random() < SAVES_DRAFT:
            yield self.seconds(50, 100)
            dealer = self.house.crew.dealer
            self.do(save_draft, round_id=self.round.pk, version=0, hands=entered[:1], actor=dealer)
        yield self.seconds(70, 170)

    def settle(self, hands: Mapping[int, SetHand], *, mistaken: bool | None = None) -> None:
        """Confirm the hands; now and then two cards of one have been entered the wrong way round."""
        entered = tuple(hand.entered(seat) for seat, hand in hands.items())
        wrong = None
        if self.rng.random() < MISTAKEN if mistaken is None else mistaken:
            wrong = misread(entered, self.rng)
        entry = RoundEntry(self.round.pk, self.key(), wrong or entered)
        self.do(settle_round, entry=entry, actor=self.house.crew.dealer)
        if wrong is not None:
            noticed = self.house.now + timedelta(seconds=self.seconds(0, 1200))
            self.mistakes.append(Mistake(self.round.pk, entered, noticed))

    # -- small change ---------------------------------------------------------------------------------------------

    def seconds(self, least: int, most: int) -> int:
        """Some whole number of seconds."""
        return self.rng.randint(least, most)

    def key(self) -> str:
        """A key for the next verb."""
        return self.house.key(self.place)

    def do(self, verb: Callable[..., Any], **what: Any) -> Any:
        """Call a verb at the night's time, with a key where it takes one; what was known of the table is read anew."""
        self._state = None
        if "key" in signature(verb).parameters:
            what["key"] = self.key()
        return verb(**what, now=self.house.now)
