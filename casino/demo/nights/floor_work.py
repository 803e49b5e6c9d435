"""The floor's and the dealers' work at a simulated table besides dealing: pushes, lists, counts, waivers, new rates.

Each happens at one table now and then, through the verbs that the screens use. Rounds are in round_play.py.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from casino.demo.nights.house import Happening
from casino.demo.nights.people import Guest, free_dealer
from casino.demo.nights.table_in_play import TableInPlay
from ledger.journal.acts import Act
from tables.collection.rates import announce_rate, rates_in_force
from tables.collection.waivers import reasons_in_force, waive_fee
from tables.floor.breaking import break_table, proposed_places
from tables.floor.calling import call, seat_from_list
from tables.floor.closing import BankCount
from tables.floor.must_move import move_up, set_must_move
from tables.floor.waiting import join, leave
from tables.models import Sitting, WaitingPlace
from tables.rounds.pushes import push_dealer
from tables.seats.chip_counts import count_chips
from tables.seats.tokes import give_toke
from tables.state.held_seats import longest_at_feeders, same_game
from tables.state.table_state import sessions

# How often something happens, each time it could.
TOKED = 0.08
COUNTED = 0.02
MISCOUNTED = 0.2
WAIVED = 0.5
RATE_CHANGED = 0.006
TAKES_CALL = 0.8
FEEDS = 0.7
BANK_OFF = 0.15


# Dealers are pushed about every down.
PUSH_EVERY = timedelta(minutes=38)
TOKE_CENTS = 100
SHORT_CENTS = 500


def push(night: TableInPlay) -> Happening:
    """About every down, push in a dealer back from a break and send the other one on theirs."""
    if night.house.now >= night.pushed_at + PUSH_EVERY:
        come_in(night, free_dealer(night.house.crew.dealer))
        yield night.seconds(15, 45)


def come_in(night: TableInPlay, dealer: Any) -> None:
    """Push a dealer in, replacing the one who dealt here."""
    night.dealer, night.pushed_at = dealer, night.house.now
    night.do(push_dealer, session_id=night.session.pk, dealer=dealer, actor=night.house.crew.floor)


def toke(night: TableInPlay) -> Happening:
    """A player who is ahead gives the dealer a chip or two (R52)."""
    for plan in night.plan().seats:
        spare = plan.sitting.stack.balance_cents - plan.due_cents - 40 * night.session.limit_cents
        cents = TOKE_CENTS * night.seconds(1, 5)
        if spare > cents and night.rng.random() < TOKED / 2:
            night.do(give_toke, sitting_id=plan.sitting.pk, cents=cents, actor=night.dealer)
            yield night.seconds(3, 8)


def count(night: TableInPlay) -> Happening:
    """Count the stacks; once in a while one differs, and a second count finds no difference."""
    if night.present and night.rng.random() < COUNTED:
        stacks = {sitting.seat: sitting.stack.balance_cents for sitting in night.state().sittings}
        if night.rng.random() < MISCOUNTED:
            seat = night.rng.choice(sorted(stacks))
            wrong = stacks | {seat: stacks[seat] + night.session.limit_cents}
            night.do(count_chips, session_id=night.session.pk, counted=wrong, actor=night.dealer)
            yield night.seconds(30, 60)
        night.do(count_chips, session_id=night.session.pk, counted=stacks, actor=night.house.crew.floor)
        yield night.seconds(20, 60)


def waive(night: TableInPlay) -> Happening:
    """After an incident, sometimes waive a fee for a published reason."""
    owing = [plan for plan in night.plan().seats if any(fee.cents for fee in plan.fees)]
    if night.incident_seen and night.round is not None and owing:
        night.incident_seen = False
        if night.rng.random() < WAIVED:
            reason = night.rng.choice(list(reasons_in_force(night.house.site, night.house.now)))
            sitting = night.rng.choice(owing).sitting
            night.do(waive_fee, sitting_id=sitting.pk, reason=reason, actor=night.house.crew.floor)
            yield night.seconds(10, 30)


def change_rate(night: TableInPlay) -> Happening:
    """Rarely change to the next higher or lower limit from the next down (R64), while nobody moves to or from the table."""
    if not night.rates_change or night.rng.random() >= RATE_CHANGED or night.round is None:
        return
    night.rates_change = False
    rates = rates_in_force(night.house.site, night.house.now)
    place = next(place for place, rate in enumerate(rates) if rate.limit_cents == night.session.limit_cents)
    rate = rates[place - 1] if place and night.rng.random() < 0.5 else rates[min(place + 1, len(rates) - 1)]
    # No guest would play at five times the limit they came for.
    if night.session.limit_cents != rate.limit_cents <= 2 * night.session.limit_cents:
        night.do(
            announce_rate,
            session_id=night.session.pk,
            rate=rate,
            max_buy_in_cents=100 * rate.limit_cents,
            actor=night.house.crew.floor,
        )
        yield night.seconds(10, 30)


# -- the waiting list -----------------------------------------------------------------------------------------


def wait_in_line(night: TableInPlay, guest: Guest) -> None:
    """Put a guest who finds no seat on the list for this game and limit."""
    if guest.card:
        act = Act(night.house.crew.floor, night.house.now)
        guest.known(night.house.site, act)  # a card number alone works only for a known player
    place = night.do(
        join,
        site=night.house.site,
        game=night.sheet.code,
        limit_cents=night.session_now().limit_cents,
        who=guest.person(),
        actor=night.house.crew.floor,
    )
    guest.player = place.player
    night.line.append((guest, place.pk))


def call_next(night: TableInPlay) -> Happening:
    """Call the first player in line to a free seat; they come, or have gone home, or wait for another limit."""
    free = night.free_seats()
    if not free or not night.line or fed(night):
        return
    guest, place_id = night.line.pop(0)
    floor, seat = night.house.crew.floor, night.rng.choice(free)
    place = WaitingPlace.objects.get(pk=place_id)
    if place.limit_cents != night.session_now().limit_cents or night.rng.random() >= TAKES_CALL:
        night.do(leave, place_id=place_id, because="Went home", actor=floor)
        return
    night.do(call, place_id=place_id, session_id=night.session.pk, seat=seat, actor=floor)
    yield night.seconds(30, 240)
    cents, source = night.chips_of(guest)
    sitting = night.do(
        seat_from_list,
        place_id=place_id,
        session_id=night.session.pk,
        seat=seat,
        cents=cents,
        source=source,
        actor=floor,
    )
    night.sits(guest, sitting)


def give_up_line(night: TableInPlay) -> None:
    """Take everybody off the list when the table closes."""
    for _, place_id in night.line:
        night.do(leave, place_id=place_id, because="The table closed", actor=night.house.crew.floor)
    night.line.clear()


# -- several tables -------------------------------------------------------------------------------------------


def join_main_game(night: TableInPlay) -> None:
    """Sometimes make a second table with the same limit the must-move table of the first (R55)."""
    for other in night.house.nights:
        alike = same_game(other.session_now(), night.session_now()) and other.main is None
        if night.scene is None and alike and not other.closing and night.rng.random() < FEEDS:
            night.main = other
            night.do(
                set_must_move,
                session_id=night.session.pk,
                to_session_id=other.session.pk,
                actor=night.house.crew.floor,
            )
            break
    night.house.nights.append(night)


def feeders_of(night: TableInPlay) -> list[TableInPlay]:
    """Return the tables whose players must move to this one, while they play the same limit."""
    return [
        one
        for one in night.house.nights
        if one.main is night and not one.closing and same_game(one.session_now(), night.session_now())
    ]


def fed(night: TableInPlay) -> bool:
    """Whether this table's free seats go to players of its must-move tables first."""
    return longest_at_feeders(sessions().get(pk=night.session.pk)) is not None


def take_up(night: TableInPlay) -> Happening:
    """Move the player who has been at the must-move tables longest to the main game's free seat (R55)."""
    waiting = [
        (sitting.entered_at, sitting.pk, sitting.seat, feeder, sitting.pk in feeder.state().in_round)
        for feeder in feeders_of(night)
        for sitting in feeder.fresh_state().sittings
    ]
    free = night.free_seats()
    if free and waiting:
        _, sitting_id, seat, feeder, dealt_in = min(waiting, key=lambda one: one[:2])
        if feeder.at_rest and not dealt_in:
            guest = feeder.present[seat]
            feeder.end_match()
            to: dict[str, Any] = {"to_session_id": night.session.pk, "seat": night.rng.choice(free)}
            moved = night.do(move_up, sitting_id=sitting_id, actor=night.house.crew.floor, **to)
            feeder.gone(guest)
            night.sits(guest, moved)
            yield night.seconds(20, 60)


def break_up(night: TableInPlay) -> None:
    """Break the table; two people count its bank, which now and then is a chip short."""
    night.end_match()
    others = {other.session.pk: other for other in night.house.nights if not other.closing}
    found = proposed_places(night.session, night.house.now)
    places = {sitting: place if place and place[0] in others else None for sitting, place in found.items()}
    chips, cash = night.session.bank_chips, night.session.bank_cash
    for bank in (chips, cash):
        bank.refresh_from_db(fields=["balance_cents"])
    short = night.incidents and night.rng.random() < BANK_OFF and chips.balance_cents >= SHORT_CENTS
    guests = {guest.sitting: guest for guest in night.present.values() if guest.sitting is not None}
    night.do(
        break_table,
        session_id=night.session.pk,
        places=places,
        second=night.dealer,
        count=BankCount(
            chips.balance_cents - SHORT_CENTS * short,
            cash.balance_cents,
            cause="One chip was not found" if short else "",
        ),
        actor=night.house.crew.floor,
    )
    night.house.nights.remove(night)
    for sitting in Sitting.objects.filter(pk__in=guests).select_related("moved_to").order_by("pk"):
        guest = guests[sitting.pk]
        night.gone(guest)
        place = places[sitting.pk]
        if place is None:
            guest.took_cents = sitting.taken_away_cents or 0
            night.to_the_cage(guest)
        else:
            others[place[0]].sits(guest, sitting.moved_to)


BETWEEN_ROUNDS = (push, take_up, call_next, toke, count, waive, change_rate)
