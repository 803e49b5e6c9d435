"""What staff do at a seat: the panel of seats, and one act each for buying in, adding on, sitting out, paying, leaving.

The dealer's page has the same panel as the floor's.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_safe

from ledger.money import amount_text, dollars
from ledger.rights import require
from tables.collection import taking
from tables.models import Sitting
from tables.rights import HANDLE_CHIPS, RUN_FLOOR
from tables.rounds.pushes import require_sight
from tables.rules.table.dealing import SEATS
from tables.seats import buying_in, moving
from tables.seats.players import Person
from tables.seats.sitting import cash_out, change_seat, sit_out
from tables.state.held_seats import held_seats, longest_at_feeders
from tables.state.plan import plan_round, show_upcoming_rate
from tables.state.table_state import TableState, load_states, sessions, state_of
from tables.views.acts import (
    READERS,
    SeatPanelActPage,
    SittingActPage,
    find_session,
    seat_panel,
    zone_of,
)
from tables.views.collection.forms import PayForm
from tables.views.panels import fees_now, leaving, table_facts
from tables.views.seats.forms import AddOnForm, BuyInForm, ChangeSeatForm, MoveForm


@require_safe
def panel(request: HttpRequest, session_id: int) -> HttpResponse:
    """The five seats of a table with what can be done at each."""
    require(request.user, HANDLE_CHIPS, *READERS)
    session = find_session(session_id)
    require_sight(request.user, session)
    facts = table_facts(session, timezone.now())
    return render(request, "seats/_seats.html", seat_panel(request.user, facts))


def buy_in_bounds(state: TableState, now: datetime) -> tuple[int, int]:
    """The least and the most of a first buy-in now, in cents: by the rate of a down that has begun, written or not (R64)."""
    show_upcoming_rate(state, plan_round(state, now))
    return state.session.smallest_buy_in_cents, state.session.most_on_a_stack_cents


class BuyIn(SeatPanelActPage):
    """Seating a player with a first buy-in."""

    title = "Buy-in"
    button = "Seat the player"
    form_class = BuyInForm

    def find(self, session_id: int, seat: int) -> None:
        if seat not in SEATS:
            raise Http404
        self.session, self.seat = find_session(session_id), seat

    def heading(self) -> str:
        return f"{self.title}: {self.session.table}, seat {self.seat}"

    def notes(self) -> Sequence[tuple[str, str]]:
        facts = table_facts(self.session, self.now)
        clock, (least, most) = facts.clock, self.bounds
        fee = f"{dollars(clock.entry_fee_cents)} with the first round"
        rows = [
            ("Buy-in", f"{dollars(least)} to {dollars(most)}"),
            ("Entering now pays", f"{fee} (half)" if clock.entry_fee_cents < clock.fee_cents else fee),
        ]
        if facts.announced is not None:
            down, rate = facts.announced
            nine = dollars(rate.nine_points_cents)
            rows.append((f"From down {down}", f"limit {dollars(rate.limit_cents)}, nine points are {nine}"))
        return rows

    def quick_amounts(self) -> Sequence[str]:
        smallest, most = self.bounds
        likely = sorted({smallest, min(2 * smallest, most), most})
        return [amount_text(cents).removesuffix(".00") for cents in likely]

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """What the buy-in lies between."""
        return buy_in_bounds(state_of(self.session), self.now)

    @cached_property
    def comes_first(self) -> Sitting | None:
        """Who of a must-move table goes to this main game before anybody from outside (R55)."""
        return longest_at_feeders(self.session)

    def warning(self) -> str:
        if self.comes_first is None:
            return ""
        feeder = self.comes_first.session.table
        return (
            f"{self.comes_first.player} moves here first from {feeder}. Who comes in sits down at {feeder}."
        )

    def form_options(self) -> dict[str, Any]:
        may_order = self.comes_first is not None and self.request.user.has_perm(RUN_FLOOR)
        told = {"zone": zone_of(self.session), "now": self.now, "may_order": may_order}
        return {"request": self.request, **told}

    def do(self, form: BuyInForm) -> str:
        entry = form.cleaned_data
        sitting = buying_in.buy_in(
            session_id=self.session.pk,
            who=Person(entry["name"], entry["number"], entry["description"], entry["known"]),
            entry=buying_in.FirstBuyIn(
                self.seat,
                entry["amount"],
                entry["source"],
                entered_at=entry["entered_at"],
                ordered=entry.get("ordered", False),
            ),
            act=self.act(form, approver=form.second_person),
        )
        return f"{sitting.player} is in seat {sitting.seat} with {dollars(entry['amount'])}."


class AddOn(SittingActPage):
    """Adding chips to a stack between rounds."""

    title = "Add-on"
    button = "Add the chips"
    form_class = AddOnForm

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Stack", dollars(self.sitting.stack.balance_cents)), ("At most", dollars(max(self.room, 0))))

    @cached_property
    def room(self) -> int:
        """How much the stack may grow, in cents."""
        _, most = buy_in_bounds(state_of(self.session), self.now)
        return most - self.sitting.stack.balance_cents

    def quick_amounts(self) -> Sequence[str]:
        room = self.room
        likely = {cents for cents in (10 * self.session.limit_cents, room) if 0 < cents <= room}
        return [amount_text(cents).removesuffix(".00") for cents in sorted(likely)]

    def do(self, form: AddOnForm) -> str:
        entry = form.cleaned_data
        sitting = buying_in.add_on(
            sitting_id=self.sitting.pk,
            cents=entry["amount"],
            source=entry["source"],
            act=self.act(form),
        )
        return f"{sitting.player} adds on {dollars(entry['amount'])}."


class SitOut(SittingActPage):
    """Marking a player as sitting out."""

    title = "Sit out"
    button = "Sit out"
    out = True

    def do(self, form: Any) -> str:
        sitting = sit_out(
            sitting_id=self.sitting.pk,
            out=self.out,
            act=self.act(form),
        )
        return f"{sitting.player} {'sits out' if self.out else 'plays again'}."


class Return(SitOut):
    """Marking a player as back."""

    title = "Back in"
    button = "Deal them in again"
    out = False


class PayFee(SittingActPage):
    """Taking what a player owes now."""

    title = "Take the fee"
    undone_at = "undo"
    button = "Take the fee"
    form_class = PayForm

    def notes(self) -> Sequence[tuple[str, str]]:
        fees = fees_now(state_of(self.session), self.sitting, self.now)
        rows = [(f"{capfirst(fee.fell_due)}, {fee.rule} fee", dollars(fee.cents)) for fee in fees]
        total = [("Together", dollars(sum(fee.cents for fee in fees)))] if len(fees) > 1 else []
        return [
            *(rows or [("Owes", "nothing now")]),
            *total,
            ("Stack", dollars(self.sitting.stack.balance_cents)),
        ]

    def do(self, form: PayForm) -> str:
        taken = taking.pay_fees(
            sitting_id=self.sitting.pk,
            method=form.cleaned_data["method"],
            act=self.act(form),
        )
        cents = sum(fee.charge.cents for fee in taken)
        how = "from the stack" if form.cleaned_data["method"] == "stack" else "in cash"
        return f"{self.sitting.player} pays {dollars(cents)} {how}."


class ChangeSeat(SittingActPage):
    """Changing to another seat of the same table; the floor's alone."""

    right = RUN_FLOOR
    title = "Change seats"
    button = "Change seats"
    form_class = ChangeSeatForm

    def warning(self) -> str:
        return "Only between rounds. Stack, fees and fantasy land stay with the player; the buttons go on from seat to seat."

    def form_options(self) -> dict[str, Any]:
        held = held_seats([self.session.pk], self.now)
        kept = {at for at, place in held.items() if place.player_id != self.sitting.player_id}
        return {"seats": list(state_of(self.session).free_seats(kept))}

    def do(self, form: ChangeSeatForm) -> str:
        before, to_seat = self.sitting.seat, form.cleaned_data["seat"]
        change_seat(sitting_id=self.sitting.pk, seat=to_seat, act=self.act(form))
        return f"{self.sitting.player} changes from seat {before} to seat {to_seat}."


class MovePlayer(SittingActPage):
    """Moving a player to another table with the whole stack; the floor's alone."""

    right = RUN_FLOOR
    title = "Move"
    button = "Move the player"
    form_class = MoveForm

    def notes(self) -> Sequence[tuple[str, str]]:
        plan = leaving(state_of(self.session), self.sitting)
        rows = [("Stack", dollars(plan.stack_cents)), ("Fees taken first", dollars(plan.taken_cents))]
        if plan.unpaid_cents:
            rows.append(("Fees that stay due", dollars(plan.unpaid_cents)))
        return [*rows, ("Carries along", dollars(plan.takes_away_cents))]

    def warning(self) -> str:
        return "Fantasy land stays behind." if self.sitting.fantasy_land else ""

    def form_options(self) -> dict[str, Any]:
        others = sessions().filter(closed_at__isnull=True, table__site=self.session.table.site)
        states = load_states(others.exclude(pk=self.session.pk))
        held = held_seats([state.session.pk for state in states], self.now)
        others_seats = {at for at, place in held.items() if place.player_id != self.sitting.player_id}
        return {"places": [_free_seats(state, others_seats, self.now) for state in states]}

    def do(self, form: MoveForm) -> str:
        session_id, seat = form.cleaned_data["place"]
        arrived = moving.move_player(
            sitting_id=self.sitting.pk,
            to_session_id=session_id,
            seat=seat,
            ordered=form.cleaned_data["ordered"],
            act=self.act(form),
        )
        return f"{arrived.player} moves to {arrived.session.table}, seat {arrived.seat}."


def _free_seats(
    state: TableState, held: Collection[tuple[int, int]], now: datetime
) -> tuple[str, list[tuple[str, str]]]:
    """The free seats of a table as choices, none of them `held` for another player, under what somebody who asks has to
    bring there."""
    session, (least, most) = state.session, buy_in_bounds(state, now)
    bounds = f"{dollars(least)} to {dollars(most)}"
    free = state.free_seats(held)
    places = [(f"{session.pk}-{seat}", f"{session.table}, seat {seat}") for seat in free]
    return f"{session.table}, limit {dollars(session.limit_cents)}, {bounds}", places


class CashOut(SittingActPage):
    """Letting a player leave with all chips."""

    title = "Cash-out"
    button = "Cash out"
    danger = True

    def notes(self) -> Sequence[tuple[str, str]]:
        plan = leaving(state_of(self.session), self.sitting)
        rows = [("Stack", dollars(plan.stack_cents)), ("Fees taken first", dollars(plan.taken_cents))]
        if plan.unpaid_cents:
            rows.append(("Fees that stay due", dollars(plan.unpaid_cents)))
        return [*rows, ("Takes away", dollars(plan.takes_away_cents))]

    def warning(self) -> str:
        return "All chips leave the table with the player."

    def do(self, form: Any) -> str:
        sitting = cash_out(
            sitting_id=self.sitting.pk,
            act=self.act(form),
        )
        return f"{sitting.player} leaves with {dollars(sitting.taken_away_cents or 0)}."
