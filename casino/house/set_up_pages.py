"""The pages of the first start: the house, then its first manager. A link admits the browser. Its token is in
the address once, then replaced by a mark in the session, so that no history or log keeps it."""

from dataclasses import asdict
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from casino.house import first_start
from casino.house.acts import SET_UP
from casino.house.forms import FirstManagerForm, NewHouseForm
from casino.sign_in.attempts import At, Attempt
from casino.sign_in.coming_in import come_in
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.journal.particulars import Particulars, checked, checked_origin
from ledger.views.terminal import terminal_of
from tables.views.fields import FloorForm

MARK, HOUSE, ORIGIN = "set-up-link", "set-up-house", "set-up-origin"


@method_decorator([login_not_required, never_cache], name="dispatch")
class SetUpPage(View):
    template: str
    form_class: type[FloorForm]

    def link(self) -> int:
        pk: int = first_start.link_held(self.request.session.get(MARK), timezone.now()).pk
        return pk

    def shown(self, form: FloorForm) -> HttpResponse:
        return render(self.request, self.template, {"form": form}, status=form.status)


class SetUpHouse(SetUpPage):
    template = "house/set_up.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the form with earlier input; with a token in the address, redeem it first."""
        if "token" in request.GET:
            request.session[MARK] = self.come_in(request.GET["token"])
            return redirect("set-up")
        self.link()
        origin = request.session.get(ORIGIN, first_start.usual_origin())
        return self.shown(NewHouseForm(initial={**request.session.get(HOUSE, {}), "origin": origin}))

    def come_in(self, token: str) -> int:
        """Return the link of a token. Counts guesses, except once there is a house: nothing is left to guess
        then, and images on foreign pages may point here."""
        if not first_start.wanted():
            raise first_start.refusal()
        with Attempt(At.TERMINAL, "", self.request) as attempt:
            link = first_start.find_link(token, timezone.now())
            if link is not None:
                attempt.succeeded()
        if link is None:
            raise first_start.refusal()
        return link.pk

    def post(self, request: HttpRequest) -> HttpResponse:
        """Keep the input in the session and go on to the manager; nothing is written yet."""
        self.link()
        form = NewHouseForm(request.POST)
        if not form.is_valid():
            return self.shown(form)
        try:
            house, origin = checked(form.particulars), checked_origin(form.cleaned_data["origin"])
        except Refusal as refused:
            form.refuse(refused)
            return self.shown(form)
        request.session[HOUSE], request.session[ORIGIN] = asdict(house), origin
        return redirect("set-up-manager")


class SetUpManager(SetUpPage):
    """The second step: create both, sign the manager in, and go to the desk."""

    template = "house/set_up_manager.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        self.link()
        return self.shown(FirstManagerForm()) if HOUSE in request.session else redirect("set-up")

    def post(self, request: HttpRequest) -> HttpResponse:
        link, house = self.link(), request.session.get(HOUSE)
        if house is None:
            return redirect("set-up")
        form = FirstManagerForm(request.POST)
        if not form.is_valid():
            return self.shown(form)
        act = Act(actor=None, now=timezone.now(), terminal=terminal_of(request, SET_UP))
        try:
            person = first_start.set_up(
                link_id=link,
                particulars=Particulars(**house),
                origin=request.session[ORIGIN],
                manager=form.manager,
                act=act,
            )
        except Refusal as refused:
            form.refuse(refused)
            return self.shown(form)
        self.sign_in(person)
        return redirect("house")

    def sign_in(self, person: Any) -> None:
        for name in (MARK, HOUSE, ORIGIN):
            self.request.session.pop(name, None)
        come_in(self.request, person, "set-up address")
