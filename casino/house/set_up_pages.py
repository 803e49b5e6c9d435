"""The pages of the first start: the house, then its first manager. A link admits the browser. Its token is in
the address once, then replaced by a mark in the session, so that no history or log keeps it."""

from dataclasses import asdict
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from casino.house import first_start
from casino.house.acts import SET_UP
from casino.house.forms import FirstManagerForm, NewHouseForm
from casino.sign_in.attempts import At, Attempt
from casino.sign_in.coming_in import come_in
from ledger.journal.acts import Act
from ledger.journal.particulars import Particulars, checked, checked_origin
from ledger.views.pages import EntryPage
from ledger.views.terminal import terminal_of

MARK, HOUSE, ORIGIN = "set-up-link", "set-up-house", "set-up-origin"


@method_decorator([login_not_required, never_cache], name="dispatch")
class SetUpPage(EntryPage):
    def link(self) -> int:
        pk: int = first_start.link_held(self.request.session.get(MARK), timezone.now()).pk
        return pk


class SetUpHouse(SetUpPage):
    form_class = NewHouseForm
    template = "house/set_up.html"

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
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

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        self.link()
        return super().post(request)

    def do(self, form: NewHouseForm) -> tuple[Particulars, str]:
        return checked(form.particulars), checked_origin(form.cleaned_data["origin"])

    def done(self, entered: tuple[Particulars, str], form: NewHouseForm) -> HttpResponse:
        """Keep the input in the session and go on to the manager; nothing is written yet."""
        house, self.request.session[ORIGIN] = entered
        self.request.session[HOUSE] = asdict(house)
        return redirect("set-up-manager")


class SetUpManager(SetUpPage):
    """The second step: create both, sign the manager in, and go to the desk."""

    form_class = FirstManagerForm
    template = "house/set_up_manager.html"

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        self.link()
        return super().get(request) if HOUSE in request.session else redirect("set-up")

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        self.link_id = self.link()
        return super().post(request) if HOUSE in request.session else redirect("set-up")

    def do(self, form: FirstManagerForm) -> Any:
        session = self.request.session
        return first_start.set_up(
            link_id=self.link_id,
            particulars=Particulars(**session[HOUSE]),
            origin=session[ORIGIN],
            manager=form.manager,
            act=Act(actor=None, now=timezone.now(), terminal=terminal_of(self.request, SET_UP)),
        )

    def done(self, person: Any, form: FirstManagerForm) -> HttpResponse:
        for name in (MARK, HOUSE, ORIGIN):
            self.request.session.pop(name, None)
        come_in(self.request, person, "set-up address")
        return redirect("house")
