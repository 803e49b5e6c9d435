"""The waiting lists' acts and their forms: checking in, calling, seating, holding a seat, asking for another
table."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError

from ledger.money import dollars
from ledger.views.fields import AmountField, new_key
from ledger.views.pages import FormPage, find_here
from tables.errors import BadEntry
from tables.floor import games, waiting
from tables.floor.closing import free_seats
from tables.models import Sitting, WaitingPlace
from tables.rights import RUN_FLOOR
from tables.rules.table.buy_ins import BUY_IN_POINTS, smallest_buy_in
from tables.state.held_seats import clock_text
from tables.views import acts
from tables.views.fields import (
    FloorForm,
    LocalTimeField,
    PlaceField,
    ReasonForm,
    is_session_here,
    moments_of,
    places_at,
)
from tables.views.seats.forms import SOURCES, WhoForm
from tables.views.waiting.lists import ListFacts, open_states, waiting_lists


class ListField(forms.ChoiceField):
    """A list, sent as "game-limit" in cents; the value is both."""

    def to_python(self, value: Any) -> Any:
        game, _, limit = str(value or "").rpartition("-")
        if not value:
            return None
        if not game or not limit.isascii() or not limit.isdigit() or len(limit) > 12:
            raise ValidationError("Choose a list.", code=BadEntry.code)
        return game, int(limit)

    def validate(self, value: Any) -> None:
        """Accept lists that were not offered: the verb knows every game."""
        forms.Field.validate(self, value)


class JoinForm(WhoForm):
    """Put somebody on a list, or on a new one of any game and limit."""

    beside = {**WhoForm.beside, "limit": "limit"}
    seldom = frozenset({"game", "limit"})
    empty = {"game": "Choose a game"}

    listed = ListField(label="List")
    game = forms.CharField(required=False, max_length=40, widget=forms.Select)
    limit = AmountField(required=False)
    field_order = ("number", "listed", "name", "description", "game", "limit")

    def clean(self) -> dict[str, Any]:
        """Take another game and limit, if given, else the chosen list."""
        cleaned = super().clean() or self.cleaned_data
        game, limit = cleaned.get("game"), cleaned.get("limit")
        if game or limit:
            for name in ("game", "limit"):
                if not cleaned.get(name) and not self.has_error(name):
                    self.add_error(name, ValidationError("A list is of a game and a limit.", BadEntry.code))
            self.errors.pop("listed", None)
            cleaned["listed"] = (game, limit)
        return cleaned


class CallForm(FloorForm):
    beside = {"seat": "place", "session": "place"}
    empty = {"place": "Just to the floor"}

    place = PlaceField(label="To", required=False)


class SeatForm(CallForm):
    beside = {**CallForm.beside, "player": "place"}
    empty = {"place": "Choose a free seat"}

    place = PlaceField(label="Seat")
    amount = AmountField(label="Buy-in")
    source = forms.ChoiceField(label="Paid", choices=SOURCES, initial="cash", widget=forms.RadioSelect)


class BringForm(CallForm):
    also_sent = frozenset({"amount", "source"})  # a player just seated with a buy-in sits there now
    beside = {**CallForm.beside, "amount": "place"}
    empty = {"place": "Choose a free seat"}

    place = PlaceField(label="Seat")


class HoldForm(WhoForm):
    until = LocalTimeField(label="Until", help_text="On the house's clock. The fee counts from the buy-in.")
    field_order = ("number", "name", "description", "until")

    def __init__(self, *args: Any, zone: ZoneInfo, now: datetime, **options: Any) -> None:
        super().__init__(*args, **options)
        self.zone, self.now = zone, now
        half_an_hour = (now + timedelta(minutes=30)).astimezone(zone)
        self.fields["until"].initial = half_an_hour.time().replace(second=0, microsecond=0)

    def clean_until(self) -> datetime:
        """Return the next moment at which the house's clock shows this time."""
        moments = moments_of(self.cleaned_data["until"], self.zone, self.now, (0, 1))
        return min(moment for moment in moments if moment > self.now)


class TableField(forms.ChoiceField):
    """An open table, sent as the id of its session; the value is that number."""

    def to_python(self, value: Any) -> Any:
        text = str(value or "")
        if not text:
            return None
        known = text.isascii() and text.isdigit() and len(text) < 10
        if not known or not is_session_here(int(text)):
            raise ValidationError("No such table is open here.", code=BadEntry.code)
        return int(text)

    def validate(self, value: Any) -> None:
        """Accept a table that was closed meanwhile: the verb refuses it."""
        forms.Field.validate(self, value)


class TableChangeForm(FloorForm):
    empty = {"table": "Choose a table"}

    table = TableField()


class WaitingPlaceAct(acts.HouseActPage):
    rights = (RUN_FLOOR,)
    home, back_to = "waiting", "Waiting lists"

    place: WaitingPlace

    def find(self, place_id: int) -> None:
        found = WaitingPlace.objects.select_related("player", "site", "session__table", "session__sheet")
        self.place = find_here(found, place_id)

    def heading(self) -> str:
        return f"{self.title}: {self.place.player}, place {self.place.number}"

    def by(self, form: FloorForm) -> dict[str, Any]:
        return {"place_id": self.place.pk, "act": self.act(form)}

    def places(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return the free seats of the list's tables as choices, with the one kept for this place."""
        listed = self.place.game, self.place.limit_cents
        states = [
            state
            for state in open_states(self.place.site)
            if (state.session.sheet.code, state.session.limit_cents) == listed
        ]
        free = free_seats(states, self.now, lambda held: held.pk == self.place.pk)
        return [places_at(session, seats) for session, seats in free]

    def form_options(self) -> dict[str, Any]:
        if "place" not in self.form_class.base_fields:
            return {}
        kept = f"{self.place.session_id}-{self.place.seat}" if self.place.seat else None
        return {"choices": {"place": self.places()}, "initial": {"place": kept}}


class Call(WaitingPlaceAct):
    title = "Call"
    button = "Call the player"
    form_class = CallForm

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("A seat is kept for", f"{self.place.site.hold_minutes} minutes"),)

    def do(self, form: CallForm) -> str:
        session_id, seat = form.cleaned_data["place"] or (None, None)
        place = waiting.call(session_id=session_id, seat=seat, **self.by(form))
        to = f"to {acts.find_session(session_id).table}, seat {seat}" if session_id else "to the floor"
        return f"{place.player} is called {to}."


class SeatPlace(WaitingPlaceAct):
    title = "Seat"
    button = "Seat the player"

    def find(self, place_id: int) -> None:
        super().find(place_id)
        at = Sitting.objects.filter(player=self.place.player, left_at__isnull=True)
        self.sits = at.select_related("session__table", "stack").first()
        self.form_class = BringForm if self.sits else SeatForm  # type: ignore[misc]

    def notes(self) -> Sequence[tuple[str, str]]:
        if self.sits is not None:
            return (
                ("Comes from", f"{self.sits.session.table}, seat {self.sits.seat}"),
                ("With the stack", dollars(self.sits.stack.balance_cents)),
            )
        return (("Buy-in", f"at least {dollars(smallest_buy_in(self.place.limit_cents))}"),)

    def quick_amounts(self) -> Sequence[str]:
        return acts.typed_amounts(points * self.place.limit_cents for points in (BUY_IN_POINTS, 60, 100))

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
    title = "Back to the list"
    button = "Put back on the list"

    def do(self, form: Any) -> str:
        place = waiting.put_back(**self.by(form))
        return f"{place.player} waits on at place {place.number}."


class Leave(WaitingPlaceAct):
    title = "Off the list"
    button = "Take off the list"
    form_class = ReasonForm

    def do(self, form: ReasonForm) -> str:
        place = waiting.leave(**self.by(form))
        return f"{place.player} is off the list."


class HoldSeat(acts.EmptySeatActPage):
    rights = (RUN_FLOOR,)
    title = "Hold the seat"
    button = "Hold this seat"
    form_class = HoldForm

    def form_options(self) -> dict[str, Any]:
        return {"zone": self.zone, "now": self.now}

    def do(self, form: HoldForm) -> str:
        place = waiting.hold_seat(
            session_id=self.session.pk,
            seat=self.seat,
            until=form.cleaned_data["until"],
            who=form.person,
            act=self.act(form),
        )
        return f"Seat {self.seat} is held for {place.player} until {clock_text(self.site, place.until)}."


class TableChange(acts.SittingActPage):
    rights = (RUN_FLOOR,)
    title = "Another table"
    button = "Put on the list"
    form_class = TableChangeForm

    def form_options(self) -> dict[str, Any]:
        tables = [
            (str(one.pk), f"{one.table}: {one.sheet.title}, limit {dollars(one.limit_cents)}")
            for one in acts.other_tables(self.session)
        ]
        return {"choices": {"table": tables}}

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Carries along", "the whole stack, within that table's buy-in"),)

    def do(self, form: TableChangeForm) -> str:
        place = waiting.ask_change(
            sitting_id=self.sitting.pk, to_session_id=form.cleaned_data["table"], act=self.act(form)
        )
        table = place.session.table if place.session else ""
        return f"{place.player} has place {place.number} on the list for {table}."


# -- the page of the lists -----------------------------------------------------------------------------------


def shown_of(site: Any, lists: Sequence[ListFacts]) -> dict[str, Any]:
    return {
        "site": site,
        "lists": lists,
        "unasked": [one for one in lists if not one.places],
        "turns": [turn for one in lists for turn in one.turns],
    }


def list_facts(site: Any, now: datetime) -> dict[str, Any]:
    return shown_of(site, waiting_lists(site, now))


class Lists(FormPage):
    home = "waiting"
    rights = (RUN_FLOOR,)
    room = acts.ActPage.room
    template = "waiting/lists.html"

    @cached_property
    def lists(self) -> list[ListFacts]:
        return waiting_lists(self.site, self.now)

    def form(self, data: Any = None) -> JoinForm:
        known = [(one.code, one.label) for one in self.lists]
        played = [(sheet.code, games.title_of(sheet)) for sheet in games.games()]
        return JoinForm(data, choices={"listed": known, "game": played}, auto_id="join-%s")

    def do(self, form: JoinForm) -> str:
        game, limit_cents = form.cleaned_data["listed"]
        place = waiting.join(
            site=self.site, game=game, limit_cents=limit_cents, who=form.person, act=self.act(form)
        )
        return f"{place.player} has place {place.number}."

    def facts(self, form: JoinForm) -> dict[str, Any]:
        return shown_of(self.site, self.lists) | {"key": new_key()}
