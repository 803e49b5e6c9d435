"""Pushes on screen: the floor's, that of the tablet at the table, and taking a table that has no dealer."""

from collections.abc import Sequence
from typing import Any

from django.contrib import auth, messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from tables.rights import DEAL
from tables.rounds.pushes import push_dealer
from tables.views.acts import ActPage, TablePanelActPage, find_session
from tables.views.rounds.forms import OwnPinForm, PushForm


class PushDealer(TablePanelActPage):
    """Pushing a dealer in from the floor's page of a table, or taking the dealer out."""

    title = "Push"
    button = "Push"
    form_class = PushForm

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Dealer now", str(self.session.dealer or "nobody")),)

    def form_options(self) -> dict[str, Any]:
        return {"request": self.request, "session": self.session}

    def do(self, form: PushForm) -> str:
        self.session = push_dealer(
            session_id=self.session.pk,
            dealer=form.dealer,
            leave_round=bool(form.cleaned_data.get("leave_round")),
            act=self.act(form),
        )
        return f"{form.dealer or 'Nobody'} deals at {self.session.table}."


class HandOver(PushDealer):
    """The push on the tablet at the table: whoever comes in types their PIN, and is signed in here from then on.

    What was entered of a round stays: it is the round's, not the dealer's.
    """

    right = DEAL
    button = "Come in"

    def back(self) -> str:
        return reverse("dealer-session", args=[self.session.pk])

    @property
    def by_piece(self) -> bool:
        return False  # whoever is signed in changes, so the whole page does

    def do(self, form: PushForm) -> str:
        said = super().do(form)
        self.came = form.dealer
        if form.dealer is not None and form.dealer.pk != self.request.user.pk:
            auth.logout(self.request)
            auth.login(self.request, form.dealer)
        return said

    def done(self, said: str) -> HttpResponse:
        if self.came is not None:
            return redirect(self.back())
        messages.success(self.request, said)
        return redirect("dealer")


class TakeTable(ActPage):
    """Taking a table without a dealer, with the own PIN."""

    right = DEAL
    title = "Deal here"
    button = "Deal at this table"
    panel = "take"
    form_class = OwnPinForm

    def find(self, session_id: int) -> None:
        self.session = find_session(session_id)

    def require_sight(self) -> None:
        """A table without a dealer may be looked at this far; the verb refuses any other."""

    def heading(self) -> str:
        return f"{self.title}: {self.session.table}"

    def back(self) -> str:
        return reverse("dealer")

    def form_options(self) -> dict[str, Any]:
        return {"request": self.request}

    def do(self, form: OwnPinForm) -> str:
        push_dealer(
            session_id=self.session.pk,
            dealer=self.request.user,
            act=self.act(form),
        )
        return f"You deal at {self.session.table}."

    def done(self, said: str) -> HttpResponse:
        return redirect("dealer-session", session_id=self.session.pk)
