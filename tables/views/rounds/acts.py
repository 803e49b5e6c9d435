"""Starting a round from the floor, voiding it, calling off a match, calling time."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from ledger.journal.particulars import of_the_house
from ledger.money import dollars
from tables.models import Round
from tables.rounds import matches, running
from tables.rounds.by_hand import names_of
from tables.state.matches import latest_standing
from tables.views.acts import (
    TablePanelActPage,
    find_session,
)
from tables.views.fields import FloorForm, ReasonForm
from tables.views.rounds.forms import CallTimeForm


class CallTime(TablePanelActPage):
    """Calling time on a stalled hand."""

    title = "Call time"
    button = "Call time: 60 seconds"
    form_class = CallTimeForm

    def find(self, round_id: int) -> None:
        self.round = get_object_or_404(Round, of_the_house("session__table__site"), pk=round_id)
        self.session = find_session(self.round.session_id)
        self.names = names_of(self.round)

    def heading(self) -> str:
        return f"{self.title}: round {self.round.number}, {self.session.table}"

    def warning(self) -> str:
        return "A hand that is then unfinished is entered as mis-set, without cards if need be."

    def form_options(self) -> dict[str, Any]:
        return {"names": self.names}

    def do(self, form: FloorForm) -> str:
        called = running.call_time(
            round_id=self.round.pk,
            seat=form.cleaned_data["seat"],
            act=self.act(form),
        )
        return f"Time is called on {self.names[called.seat]}, seat {called.seat}."


class StartRound(TablePanelActPage):
    """Starting the next round for the table's dealer. Its form is the dealer's own, which speaks to the tablet's doors."""

    title = "Start round"
    page_template = "rounds/start.html"
    http_method_names = ("get", "head")

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        template = "rounds/_start.html" if self.by_piece else self.page_template
        return render(request, template, {"act": self, "heading": self.heading(), "back": self.back()})


class VoidRound(TablePanelActPage):
    """Voiding a round that has not been settled."""

    title = "Void the round"
    button = "Void the round"
    danger = True
    form_class = ReasonForm

    def find(self, round_id: int) -> None:
        self.round = get_object_or_404(Round, of_the_house("session__table__site"), pk=round_id)
        self.session = find_session(self.round.session_id)

    def heading(self) -> str:
        return f"{self.title}: round {self.round.number}, {self.session.table}"

    def warning(self) -> str:
        return "Nobody wins or loses. Buttons and fantasy land stay as they were."

    def do(self, form: ReasonForm) -> str:
        voided = running.void_round(
            round_id=self.round.pk,
            act=self.act(form),
        )
        return f"Round {voided.number} is void."


class CallOffMatch(TablePanelActPage):
    """Calling off the match of a race."""

    title = "Call the match off"
    button = "Call the match off"
    danger = True
    form_class = ReasonForm

    def notes(self) -> Sequence[tuple[str, str]]:
        standing = latest_standing(self.session.pk)
        if standing is None or not standing.running:
            return ()
        points = ", ".join(f"{sitting.player} {points}" for sitting, points in standing.table)
        return ((str(standing.match), points), ("Stake", dollars(standing.match.stake_cents)))

    def warning(self) -> str:
        return "Nobody pays, and its players may leave. The next round begins a new match."

    def do(self, form: ReasonForm) -> str:
        match = matches.call_off(
            session_id=self.session.pk,
            act=self.act(form),
        )
        return f"{match} is called off."
