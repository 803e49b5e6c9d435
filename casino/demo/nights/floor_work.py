"""Floor and dealer work at a simulated table besides the rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from casino.demo.nights.bank import receive_closer
from casino.demo.nights.house import Happening, pieces_worth, read_seal
from casino.demo.nights.people import Guest, free_dealer
from casino.demo.nights.seating import Seating
from ledger.cage import documents
from ledger.errors import CountsDiffer
from ledger.journal.acts import Act
from ledger.rules.denominations import Pieces
from ledger.rules.documents import Step
from tables.collection.rates import announce_rate, rates_in_force
from tables.collection.uncollected import lock_open_charges
from tables.collection.waivers import reasons_in_force, waive_fee
from tables.floor.closing import break_table, proposed_places
from tables.floor.must_move import move_up, set_must_move
from tables.floor.picking_up import pick_up
from tables.floor.waiting import call, join, leave, seat_from_list
from tables.models import Sitting, WaitingPlace
from tables.rounds.pushes import push_dealer
from tables.seats.chip_counts import count_chips
from tables.seats.tokes import give_toke
from tables.state.held_seats import same_game

# Probability of each, every time it could happen.
TOKED = 0.08
COUNTED = 0.02
MISCOUNTED = 0.2
WAIVED = 0.5
RATE_CHANGED = 0.006
TAKES_CALL = 0.8
FEEDS = 0.7
BANK_OFF = 0.15


PUSH_EVERY = timedelta(minutes=38)
TOKE_CENTS = 100
SHORT_CENTS = 500
CLOSER_CHIP = 20
"""A table's bank has no chip worth more than this many times its limit."""


@dataclass(eq=False, repr=False, kw_only=True)
class FloorWork(Seating):
    """A table on a floor with others. `main` is the table that it feeds (R55); `scene` ends its play."""

    scene: Callable[[Any], Happening] | None = None
    line: list[tuple[Guest, int]] = field(default_factory=list)
    main: FloorWork | None = None
    closing: bool = False
    incident_seen: bool = False
    rates_change: bool = field(init=False)
    pushed_at: datetime = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rates_change = self.incidents and self.scene is None and not self.sheet.race_to

    def work(self) -> Happening:
        for step in (
            *(self.push, self.take_up, self.call_next),
            *(self.toke, self.count, self.waive, self.change_rate, self.run_errand),
        ):
            yield from step()

    def run_errand(self) -> Happening:
        """Do the first of the night's errands that this table can."""
        for errand in self.house.errands:
            if (happens := errand(self)) is not None:
                self.house.errands.remove(errand)
                yield from happens
                break

    def push(self) -> Happening:
        """About every down, push in a rested dealer."""
        if self.house.now >= self.pushed_at + PUSH_EVERY:
            self.come_in(free_dealer(self.house.crew.dealer))
            yield self.seconds(15, 45)

    def come_in(self, dealer: Any) -> None:
        self.dealer, self.pushed_at = dealer, self.house.now
        self.order(push_dealer, dealer=dealer)

    def toke(self) -> Happening:
        for plan in self.plan().seats:
            spare = plan.sitting.stack.balance_cents - plan.due_cents - 40 * self.session.limit_cents
            cents = TOKE_CENTS * self.seconds(1, 5)
            if spare > cents and self.rng.random() < TOKED / 2:
                self.do(give_toke, sitting_id=plan.sitting.pk, cents=cents, actor=self.dealer)
                yield self.seconds(3, 8)

    def count(self) -> Happening:
        if self.present and self.rng.random() < COUNTED:
            stacks = {sitting.seat: sitting.stack.balance_cents for sitting in self.state().sittings}
            if self.rng.random() < MISCOUNTED:
                seat = self.rng.choice(sorted(stacks))
                wrong = stacks | {seat: stacks[seat] + self.session.limit_cents}
                self.do(count_chips, session_id=self.session.pk, counted=wrong, actor=self.dealer)
                yield self.seconds(30, 60)
            self.order(count_chips, counted=stacks)
            yield self.seconds(20, 60)

    def waive(self) -> Happening:
        owing = [plan for plan in self.plan().seats if any(fee.cents for fee in plan.fees)]
        if self.incident_seen and self.round is not None and owing:
            self.incident_seen = False
            if self.rng.random() < WAIVED:
                reason = self.rng.choice(list(reasons_in_force(self.house.site, self.house.now)))
                sitting = self.rng.choice(owing).sitting
                self.do(waive_fee, sitting_id=sitting.pk, reason=reason, actor=self.house.crew.floor)
                yield self.seconds(10, 30)

    def change_rate(self) -> Happening:
        """Rarely announce a neighbouring rate from the next down on (R64)."""
        if not self.rates_change or self.rng.random() >= RATE_CHANGED or self.round is None:
            return
        self.rates_change = False
        rates = rates_in_force(self.house.site, self.house.now)
        place = next(
            place for place, rate in enumerate(rates) if rate.limit_cents == self.session.limit_cents
        )
        rate = (
            rates[place - 1] if place and self.rng.random() < 0.5 else rates[min(place + 1, len(rates) - 1)]
        )
        # No guest would play at five times the limit they came for.
        if self.session.limit_cents != rate.limit_cents <= 2 * self.session.limit_cents:
            self.order(announce_rate, rate=rate, max_buy_in_cents=100 * rate.limit_cents)
            yield self.seconds(10, 30)

    # -- the waiting list --------------------------------------------------------------------------

    def wait_in_line(self, guest: Guest) -> None:
        if guest.card:
            act = Act(self.house.crew.floor, self.house.now)
            guest.known(self.house.site, act)  # a card number alone works only for a known player
        place = self.do(
            join,
            site=self.house.site,
            game=self.sheet.code,
            limit_cents=self.session_now().limit_cents,
            who=guest.person(),
            actor=self.house.crew.floor,
        )
        guest.player = place.player
        self.line.append((guest, place.pk))

    def call_next(self) -> Happening:
        free = self.free_seats()
        if not free or not self.line or self.fed():
            return
        guest, place_id = self.line.pop(0)
        seat = self.rng.choice(free)
        place = WaitingPlace.objects.get(pk=place_id)
        if place.limit_cents != self.session_now().limit_cents or self.rng.random() >= TAKES_CALL:
            self.do(leave, place_id=place_id, because="Went home", actor=self.house.crew.floor)
            return
        self.order(call, place_id=place_id, seat=seat)
        yield self.seconds(30, 240)
        cents, source = self.chips_of(guest)
        self.sits(guest, self.order(seat_from_list, place_id=place_id, seat=seat, cents=cents, source=source))

    def give_up_line(self) -> None:
        for _, place_id in self.line:
            self.do(leave, place_id=place_id, because="The table closed", actor=self.house.crew.floor)
        self.line.clear()

    # -- several tables ----------------------------------------------------------------------------

    def join_main_game(self) -> None:
        """Sometimes make a second table with the same limit the must-move table of the first (R55)."""
        for other in self.house.nights:
            alike = same_game(other.session_now(), self.session_now()) and other.main is None
            if self.scene is None and alike and not other.closing and self.rng.random() < FEEDS:
                self.main = other
                self.order(set_must_move, to_session_id=other.session.pk)
                break
        self.house.nights.append(self)

    def feeders(self) -> list[FloorWork]:
        """Return the tables whose players must move to this one, while the limits agree."""
        return [
            one
            for one in self.house.nights
            if one.main is self and not one.closing and same_game(one.session_now(), self.session_now())
        ]

    def take_up(self) -> Happening:
        """Move the player longest at a must-move table to a free seat here (R55)."""
        waiting = [
            (sitting.entered_at, sitting.pk, sitting.seat, feeder, sitting.pk in feeder.state().in_round)
            for feeder in self.feeders()
            for sitting in feeder.fresh_state().sittings
        ]
        free = self.free_seats()
        if free and waiting:
            _, sitting_id, seat, feeder, dealt_in = min(waiting, key=lambda one: one[:2])
            if feeder.at_rest and not dealt_in:
                guest = feeder.present[seat]
                feeder.end_match()
                to: dict[str, Any] = {"to_session_id": self.session.pk, "seat": self.rng.choice(free)}
                moved = self.do(move_up, sitting_id=sitting_id, actor=self.house.crew.floor, **to)
                feeder.gone(guest)
                self.sits(guest, moved)
                yield self.seconds(20, 60)

    def somebody_walked_away(self, places: dict[int, Any]) -> int | None:
        """Once a night a stack is left behind and goes to the cage; return the sitting."""
        site = self.house.site
        if not self.incidents or documents.held(site):
            return None
        for sitting in Sitting.objects.filter(pk__in=places).select_related("stack").order_by("pk"):
            cents = sitting.stack.balance_cents
            if (
                places[sitting.pk] is None
                and cents
                and not lock_open_charges(self.session, sitting.player_id)
            ):
                most = CLOSER_CHIP * self.session.limit_cents
                counted = Pieces(self.house.trays.take(self.house.trays.out, cents, most))
                counts = {"count": counted, "second_count": counted, "second": self.dealer}
                floor = self.house.crew.floor
                document = self.do(pick_up, sitting_id=sitting.pk, **counts, actor=floor)
                act = self.house.at_cage()
                documents.take(document=document, step=Step.RECEIVED, pieces=counted, act=act)
                return sitting.pk
        return None

    def break_up(self) -> None:
        """Break the table; two people count its bank, now and then a chip short until they count again."""
        self.end_match()
        others = {other.session.pk: other for other in self.house.nights if not other.closing}
        found = proposed_places(self.session, self.house.now)
        places = {
            sitting: place if place and place[0] in others else None for sitting, place in found.items()
        }
        chips, cash = self.session.bank_chips, self.session.bank_cash
        for bank in (chips, cash):
            bank.refresh_from_db(fields=["balance_cents"])
        short = self.incidents and self.rng.random() < BANK_OFF and chips.balance_cents >= SHORT_CENTS
        guests = {guest.sitting: guest for guest in self.present.values() if guest.sitting is not None}
        if (away := self.somebody_walked_away(places)) is not None:
            del places[away]
            self.gone(guests.pop(away))
        trays, largest = self.house.trays, CLOSER_CHIP * self.session.limit_cents
        there = trays.take(trays.out, chips.balance_cents - SHORT_CENTS * short, largest)
        count = replace(pieces_worth(self.house.site, 0, cash.balance_cents), chips=there, meant=True)
        said = {"places": places, "second": self.dealer, "seal": read_seal(self.session.pk)}
        if short:  # the first counter does not notice the missing chip until both count again
            whole = replace(count, chips=Counter(there) + Counter({SHORT_CENTS: 1}))
            with suppress(CountsDiffer):
                self.order(break_table, counts=(whole, count), **said)
        self.order(break_table, counts=(count, count), **said)
        receive_closer(self.session, cashier=self.house.crew.cashier, act=self.house.at_cage())
        trays.vault.update(there)
        self.house.nights.remove(self)
        for sitting in Sitting.objects.filter(pk__in=guests).select_related("moved_to").order_by("pk"):
            guest = guests[sitting.pk]
            self.gone(guest)
            place = places[sitting.pk]
            if place is None:
                guest.took_cents = sitting.taken_away_cents or 0
                self.to_the_cage(guest)
            else:
                others[place[0]].sits(guest, sitting.moved_to)
