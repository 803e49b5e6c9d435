"""The seats' panel, on the floor's page and the dealer's, one act each, and counting the chips."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.text import capfirst

from ledger.cage import documents
from ledger.money import dollars
from ledger.views.pages import read_by
from tables.collection import taking
from tables.floor import picking_up
from tables.floor.closing import free_seats
from tables.models import Sitting, TableSession
from tables.rights import HANDLE_CHIPS, RUN_FLOOR
from tables.rounds.pushes import require_sight
from tables.rules.table.paying import Method
from tables.seats import buying_in, chip_counts, moving, tokes
from tables.seats.sitting import cash_out, change_seat, sit_out
from tables.state.held_seats import longest_at_feeders
from tables.state.plan import PlannedFee, plan_round, show_upcoming_rate
from tables.state.table_state import TableState, load_states, state_of
from tables.views import acts
from tables.views.collection.published import PayForm
from tables.views.fields import places_at
from tables.views.panels import fees_now, leaving, table_facts
from tables.views.seats import forms


@read_by(HANDLE_CHIPS, *acts.READERS)
def panel(request: HttpRequest, session_id: int) -> HttpResponse:
    session = acts.find_session(session_id)
    require_sight(request.user, session)
    facts = table_facts(session, timezone.now())
    return render(request, "seats/_seats.html", acts.seat_panel(request.user, facts))


def buy_in_bounds(state: TableState, now: datetime) -> tuple[int, int]:
    """Return the bounds of a first buy-in now, in cents, by the rate of a down that has begun (R64)."""
    show_upcoming_rate(state, plan_round(state, now))
    return state.session.smallest_buy_in_cents, state.session.most_on_a_stack_cents


class BuyIn(acts.EmptySeatActPage):
    title = "Buy-in"
    button = "Seat the player"
    form_class = forms.BuyInForm

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
        return acts.typed_amounts(sorted({smallest, min(2 * smallest, most), most}))

    @cached_property
    def bounds(self) -> tuple[int, int]:
        return buy_in_bounds(state_of(self.session), self.now)

    @cached_property
    def comes_first(self) -> Sitting | None:
        """The must-move player who goes to this main game before anybody from outside (R55)."""
        return longest_at_feeders(self.session)

    @property
    def warning(self) -> str:
        if self.comes_first is None:
            return ""
        feeder = self.comes_first.session.table
        return (
            f"{self.comes_first.player} moves here first from {feeder}. Who comes in sits down at {feeder}."
        )

    def form_options(self) -> dict[str, Any]:
        may_order = self.comes_first is not None and self.request.user.has_perm(RUN_FLOOR)
        return {"zone": self.zone, "now": self.now, "may_order": may_order}

    def do(self, form: forms.BuyInForm) -> str:
        entry = form.cleaned_data
        sitting = buying_in.buy_in(
            session_id=self.session.pk,
            who=form.person,
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


class AddOn(acts.SittingActPage):
    title = "Add-on"
    button = "Add the chips"
    form_class = forms.AddOnForm

    def notes(self) -> Sequence[tuple[str, str]]:
        return (
            ("Stack", dollars(self.sitting.stack.balance_cents)),
            ("At most", dollars(max(self.space, 0))),
        )

    @cached_property
    def space(self) -> int:
        """The cents by which the stack may grow."""
        _, most = buy_in_bounds(state_of(self.session), self.now)
        return most - self.sitting.stack.balance_cents

    def quick_amounts(self) -> Sequence[str]:
        space = self.space
        return acts.typed_amounts(
            sorted({cents for cents in (10 * self.session.limit_cents, space) if 0 < cents <= space})
        )

    def do(self, form: forms.AddOnForm) -> str:
        entry = form.cleaned_data
        sitting = buying_in.add_on(
            sitting_id=self.sitting.pk, cents=entry["amount"], source=entry["source"], act=self.act(form)
        )
        return f"{sitting.player} adds on {dollars(entry['amount'])}."


class SitOut(acts.SittingActPage):
    title = "Sit out"
    out = True

    def do(self, form: Any) -> str:
        sitting = sit_out(sitting_id=self.sitting.pk, out=self.out, act=self.act(form))
        return f"{sitting.player} {'sits out' if self.out else 'plays again'}."


class Return(SitOut):
    title = "Back in"
    button = "Deal them in again"
    out = False


class PayFee(acts.SittingActPage):
    title = "Take the fee"
    undone_at = "undo"
    form_class = PayForm

    def notes(self) -> Sequence[tuple[str, str]]:
        fees = fees_now(state_of(self.session), self.sitting, self.now)
        rows = [(_fee_words(fee), dollars(fee.cents)) for fee in fees]
        total = [("Together", dollars(sum(fee.cents for fee in fees)))] if len(fees) > 1 else []
        return [
            *(rows or [("Owes", "nothing now")]),
            *total,
            ("Stack", dollars(self.sitting.stack.balance_cents)),
        ]

    def do(self, form: PayForm) -> str:
        taken = taking.pay_fees(
            sitting_id=self.sitting.pk, method=form.cleaned_data["method"], act=self.act(form)
        )
        cents = sum(fee.charge.cents for fee in taken)
        how = "from the stack" if form.cleaned_data["method"] == Method.STACK else "in cash"
        return f"{self.sitting.player} pays {dollars(cents)} {how}."


def _fee_words(fee: PlannedFee) -> str:
    due = capfirst(fee.fell_due)
    words = {"full": f"{due}, full fee", "half": f"{due}, half fee", "covered": f"{due}, covered fee"}
    return words[fee.rule]


class ChangeSeat(acts.SittingActPage):
    rights = (RUN_FLOOR,)
    title = "Change seats"
    form_class = forms.ChangeSeatForm
    warning = (
        "Only between rounds. Stack, fees and fantasy land stay with the player; the buttons go on from seat"
        " to seat."
    )

    def form_options(self) -> dict[str, Any]:
        ((_, seats),) = free_seats([state_of(self.session)], self.now, self.keeps)
        return {"choices": {"seat": [(seat, f"Seat {seat}") for seat in seats]}}

    def do(self, form: forms.ChangeSeatForm) -> str:
        before, to_seat = self.sitting.seat, form.cleaned_data["seat"]
        change_seat(sitting_id=self.sitting.pk, seat=to_seat, act=self.act(form))
        return f"{self.sitting.player} changes from seat {before} to seat {to_seat}."


class MovePlayer(acts.SittingActPage):
    rights = (RUN_FLOOR,)
    title = "Move"
    button = "Move the player"
    form_class = forms.MoveForm

    def notes(self) -> Sequence[tuple[str, str]]:
        return notes_of_leaving(self.session, self.sitting, "Carries along")

    @property
    def warning(self) -> str:
        return "Fantasy land stays behind." if self.sitting.fantasy_land else ""

    def form_options(self) -> dict[str, Any]:
        states = load_states(acts.other_tables(self.session))
        free = free_seats(states, self.now, self.keeps)
        return {
            "choices": {
                "place": [
                    places_at(session, seats, _terms(state, self.now))
                    for state, (session, seats) in zip(states, free, strict=True)
                ]
            }
        }

    def do(self, form: forms.MoveForm) -> str:
        session_id, seat = form.cleaned_data["place"]
        arrived = moving.move_player(
            sitting_id=self.sitting.pk,
            to_session_id=session_id,
            seat=seat,
            ordered=form.cleaned_data["ordered"],
            act=self.act(form),
        )
        return f"{arrived.player} moves to {arrived.session.table}, seat {arrived.seat}."


def _terms(state: TableState, now: datetime) -> str:
    least, most = buy_in_bounds(state, now)
    limit = dollars(state.session.limit_cents)
    return f"{state.session.table}, limit {limit}, {dollars(least)} to {dollars(most)}"


def notes_of_leaving(session: TableSession, sitting: Sitting, away: str) -> list[tuple[str, str]]:
    """Return what becomes of a stack that leaves the table: fees first, the rest `away`."""
    plan = leaving(state_of(session), sitting)
    rows = [("Stack", dollars(plan.stack_cents)), ("Fees taken first", dollars(plan.taken_cents))]
    if plan.unpaid_cents:
        rows.append(("Fees that stay due", dollars(plan.unpaid_cents)))
    return [*rows, (away, dollars(plan.takes_away_cents))]


def _off(one: chip_counts.CountedStack) -> str:
    return f"{dollars(abs(one.difference_cents))} {'over' if one.difference_cents > 0 else 'short'}"


class CashOut(acts.SittingActPage):
    title = "Cash-out"
    button = "Cash out"
    danger = True
    warning = "All chips leave the table with the player."
    form_class = forms.CashOutForm

    def form_options(self) -> dict[str, Any]:
        count = chip_counts.open_variance(self.session)
        off = [one for one in count.off if one.sitting == self.sitting.pk] if count else []
        return {
            "counted": f"{_off(off[0])} in the last count: the chips have been counted again" if off else ""
        }

    def notes(self) -> Sequence[tuple[str, str]]:
        return notes_of_leaving(self.session, self.sitting, "Takes away")

    def do(self, form: Any) -> str:
        sitting = cash_out(sitting_id=self.sitting.pk, act=self.act(form))
        return f"{sitting.player} leaves with {dollars(sitting.taken_away_cents or 0)}."


class PickUp(acts.SittingActPage):
    """Take an absent player's stack to the cage, where it is held for the player."""

    rights = (RUN_FLOOR,)
    title = "Pick up the stack"
    danger = True
    form_class = forms.PickUpForm
    warning = "Fees due are put into the box first. Then two of you count what is left, each alone."

    def notes(self) -> Sequence[tuple[str, str]]:
        return notes_of_leaving(self.session, self.sitting, "Goes to the cage")

    def form_options(self) -> dict[str, Any]:
        return {"denominations": documents.denominations_of(self.site, picking_up.KIND)}

    def do(self, form: forms.PickUpForm) -> str:
        count, second_count = (one.pieces for one in form.counts)
        document = picking_up.pick_up(
            sitting_id=self.sitting.pk,
            count=count,
            second_count=second_count,
            second=form.second_person,
            act=self.act(form),
        )
        return f"The stack of {self.sitting.player} is picked up: {document}, for a cashier to count."


class Toke(acts.SittingActPage):
    title = "Toke"
    undone_at = "undo"
    button = "Give it to the dealer"
    form_class = forms.TokeForm

    def notes(self) -> Sequence[tuple[str, str]]:
        stack = ("Stack", dollars(self.sitting.stack.balance_cents))
        dealer = self.session.dealer
        return (stack, ("For", str(dealer))) if dealer else (stack,)

    def quick_amounts(self) -> Sequence[str]:
        return acts.typed_amounts(
            cents for cents in (100, 200, 500) if cents <= self.sitting.stack.balance_cents
        )

    def do(self, form: Any) -> str:
        cents = form.cleaned_data["amount"]
        sitting = tokes.give_toke(sitting_id=self.sitting.pk, cents=cents, act=self.act(form))
        return f"{sitting.player} gives the dealer {dollars(cents)}."


class CountChips(acts.SeatPanelActPage):
    """Count every stack blind; the expected amounts are shown afterwards."""

    title = "Count the chips"
    button = "Enter the count"
    form_class = forms.ChipCountForm

    def find(self, session_id: int) -> None:
        self.session = acts.find_session(session_id)
        sittings = Sitting.objects.filter(session=self.session, left_at__isnull=True)
        self.sittings = list(sittings.select_related("player").order_by("seat"))

    def form_options(self) -> dict[str, Any]:
        return {"sittings": self.sittings}

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Count", "what lies at each seat, by the chips alone"),)

    def do(self, form: forms.ChipCountForm) -> str:
        count = chip_counts.count_chips(session_id=self.session.pk, counted=form.counted, act=self.act(form))
        if not count.off:
            return f"All {len(count.stacks)} stacks are what the books say."
        self.said_level = messages.WARNING
        return " ".join(
            f"Seat {one.seat}: counted {dollars(one.counted_cents)}, expected {dollars(one.expected_cents)},"
            f" {_off(one)}."
            for one in count.off
        )
