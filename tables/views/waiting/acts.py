"""The floor's waiting lists on the screen: checking in, calling, seating; and at a table holding a seat and must-move."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from ledger.journal.particulars import of_the_house
from ledger.money import amount_text, dollars
from tables.floor import waiting
from tables.models import Sitting, TableSession, WaitingPlace
from tables.rights import RUN_FLOOR
from tables.rules.table.buy_ins import BUY_IN_POINTS, smallest_buy_in
from tables.rules.table.dealing import SEATS
from tables.seats.players import Person
from tables.state.held_seats import held_seats
from tables.state.table_state import sessions
from tables.views.acts import (
    ActPage,
    SeatPanelActPage,
    SittingActPage,
    find_session,
    zone_of,
)
from tables.views.fields import FloorForm, ReasonForm
from tables.views.waiting.forms import BringForm, CallForm, HoldForm, SeatForm, TableChangeForm
from tables.views.waiting.lists import open_states


class WaitingPlaceAct(ActPage):
    """An act with one place of a list: a page of its own, and back to the lists."""

    right = RUN_FLOOR
    back_to = "Waiting lists"

    place: WaitingPlace

    def find(self, place_id: int) -> None:
        found = WaitingPlace.objects.select_related("player", "site", "session__table", "session__sheet")
        self.place = get_object_or_404(found, of_the_house(), pk=place_id)

    def require_sight(self) -> None:
        """Lists are the floor's: no table is looked at."""

    def back(self) -> str:
        return reverse("waiting")

    def heading(self) -> str:
        return f"{self.title}: {self.place.player}, place {self.place.number}"

    def by(self, form: FloorForm) -> dict[str, Any]:
        """What every verb is told."""
        return {"place_id": self.place.pk, "act": self.act(form)}

    def places(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """The free seats of the list's tables as choices; also the one that is kept for this place."""
        states = [
            state
            for state in open_states(self.place.site)
            if (state.session.sheet.code, state.session.limit_cents)
            == (self.place.game, self.place.limit_cents)
        ]
        held = held_seats([state.session.pk for state in states], self.now)
        return [
            (
                str(state.session.table),
                [
                    (f"{state.session.pk}-{seat}", f"{state.session.table}, seat {seat}")
                    for seat in SEATS
                    if seat not in {sitting.seat for sitting in state.sittings}
                    and held.get((state.session.pk, seat), self.place).pk == self.place.pk
                ],
            )
            for state in states
        ]

    def kept(self) -> str | None:
        """The seat that is kept for this place, as a choice."""
        return f"{self.place.session_id}-{self.place.seat}" if self.place.seat else None


class Call(WaitingPlaceAct):
    """Calling somebody to a seat, or to the floor."""

    title = "Call"
    button = "Call the player"
    form_class = CallForm

    def form_options(self) -> dict[str, Any]:
        return {"places": self.places(), "initial": {"place": self.kept()}}

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("A seat is kept for", f"{self.place.site.hold_minutes} minutes"),)

    def do(self, form: CallForm) -> str:
        session_id, seat = form.cleaned_data["place"] or (None, None)
        place = waiting.call(session_id=session_id, seat=seat, **self.by(form))
        to = f"to {find_session(session_id).table}, seat {seat}" if session_id else "to the floor"
        return f"{place.player} is called {to}."


class SeatPlace(WaitingPlaceAct):
    """Seating somebody from the list: with a buy-in, or with the stack from another table."""

    title = "Seat"
    button = "Seat the player"

    def find(self, place_id: int) -> None:
        super().find(place_id)
        at = Sitting.objects.filter(player=self.place.player, left_at__isnull=True)
        self.sits = at.select_related("session__table", "stack").first()

    def form(self, data: Any = None) -> FloorForm:
        form = BringForm if self.sits else SeatForm
        return form(data, auto_id="desk-%s", places=self.places(), initial={"place": self.kept()})

    def notes(self) -> Sequence[tuple[str, str]]:
        if self.sits is not None:
            return (
                ("Comes from", f"{self.sits.session.table}, seat {self.sits.seat}"),
                ("With the stack", dollars(self.sits.stack.balance_cents)),
            )
        return (("Buy-in", f"at least {dollars(smallest_buy_in(self.place.limit_cents))}"),)

    def quick_amounts(self) -> Sequence[str]:
        limit = self.place.limit_cents
        return [amount_text(points * limit).removesuffix(".00") for points in (BUY_IN_POINTS, 60, 100)]

    def do(self, form: Any) -> str:
        entry = form.cleaned_data
        session_id, seat = entry["place"]
        sitting = waiting.seat_from_list(
            session_id=session_id,
            seat=seat,
            cents=entry.get("amount") or 0,
            source=entry.get("source") or "cash",
            **self.by(form),
        )
        return f"{sitting.player} sits at {sitting.session.table}, seat {sitting.seat}."


class PutBack(WaitingPlaceAct):
    """Letting somebody wait on at their number."""

    title = "Back to the list"
    button = "Put back on the list"

    def do(self, form: Any) -> str:
        place = waiting.put_back(**self.by(form))
        return f"{place.player} waits on at place {place.number}."


class Leave(WaitingPlaceAct):
    """Taking somebody off the list, or releasing a seat that was held."""

    title = "Off the list"
    button = "Take off the list"
    form_class = ReasonForm

    def do(self, form: ReasonForm) -> str:
        place = waiting.leave(**self.by(form))
        return f"{place.player} is off the list."


class HoldSeat(SeatPanelActPage):
    """Holding a free seat for somebody who is on no list."""

    right = RUN_FLOOR
    title = "Hold the seat"
    button = "Hold this seat"
    form_class = HoldForm

    def find(self, session_id: int, seat: int) -> None:
        if seat not in SEATS:
            raise Http404
        self.session, self.seat = find_session(session_id), seat

    def heading(self) -> str:
        return f"{self.title}: {self.session.table}, seat {self.seat}"

    def form_options(self) -> dict[str, Any]:
        return {"zone": zone_of(self.session), "now": self.now}

    def do(self, form: HoldForm) -> str:
        entry = form.cleaned_data
        place = waiting.hold_seat(
            session_id=self.session.pk,
            seat=self.seat,
            until=entry["until"],
            who=Person(entry["name"], entry["number"], entry["description"], entry["known"]),
            act=self.act(form),
        )
        return f"Seat {self.seat} is held for {place.player} until {_clock(place, self.session)}."


class TableChange(SittingActPage):
    """Asking for another table."""

    right = RUN_FLOOR
    title = "Another table"
    button = "Put on the list"
    form_class = TableChangeForm

    def form_options(self) -> dict[str, Any]:
        return {"tables": [(str(one.pk), _table_label(one)) for one in other_tables(self.session)]}

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Carries along", "the whole stack, within that table's buy-in"),)

    def do(self, form: TableChangeForm) -> str:
        place = waiting.ask_change(
            sitting_id=self.sitting.pk,
            to_session_id=form.cleaned_data["table"],
            act=self.act(form),
        )
        table = place.session.table if place.session else ""
        return f"{place.player} has place {place.number} on the list for {table}."


def other_tables(session: TableSession) -> list[TableSession]:
    others = sessions().filter(closed_at__isnull=True, table__site=session.table.site)
    return list(others.exclude(pk=session.pk))


def _table_label(session: TableSession) -> str:
    return f"{session.table}: {session.sheet.title}, limit {dollars(session.limit_cents)}"


def _clock(place: WaitingPlace, session: TableSession) -> str:
    return f"{place.until.astimezone(zone_of(session)):%H:%M}" if place.until else ""
