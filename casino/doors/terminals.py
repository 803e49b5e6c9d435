"""The page of the terminals: the devices on which PINs are taken, and enrolling the one that shows the page."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views import View

from casino.models import LONGEST_TERMINAL, Terminal
from casino.sign_in import terminals
from ledger.errors import Refusal
from ledger.rights import require
from ledger.views.day import the_site
from ledger.views.fields import BooksForm
from ledger.views.terminal import act_of
from tables.rights import MANAGE_HOUSE, RUN_FLOOR

ROOM = "floor"


class EnrolForm(BooksForm):
    """The name of the device that shows the page."""

    name = forms.CharField(
        max_length=LONGEST_TERMINAL,
        label="Name of this device",
        help_text="The books show it beside everything that is done here, for instance Table 3.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class RevokeForm(BooksForm):
    """Which terminal goes."""

    terminal = forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput)


class Terminals(View):
    """All terminals. POST enrols this device."""

    form_class: type[BooksForm] = EnrolForm

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require(request.user, RUN_FLOOR, MANAGE_HOUSE)
        return super().dispatch(request, *args, **found_by)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.shown(EnrolForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = self.form_class(request.POST)
        if form.is_valid():
            try:
                return self.do(form)
            except Refusal as refused:
                form.refuse(refused)
        return self.shown(form)

    def do(self, form: BooksForm) -> HttpResponse:
        """Have the verb do it, and say what was done."""
        token = terminals.enrol(name=form.cleaned_data["name"], act=act_of(self.request, ROOM))
        messages.success(self.request, "This device is a terminal now: it takes PINs.")
        answer = redirect("terminals")
        terminals.keep_cookie(answer, token)
        return answer

    def shown(self, form: BooksForm) -> HttpResponse:
        facts = {
            "site": the_site(),
            "form": form if isinstance(form, EnrolForm) else EnrolForm(),
            "refused": form if isinstance(form, RevokeForm) else None,
            "here": terminals.find(self.request),
            "terminals": Terminal.objects.filter(revoked_at=None)
            .select_related("enrolled_by")
            .order_by("name"),
            "key": BooksForm()["key"],
        }
        return render(self.request, "doors/terminals.html", facts, status=form.status)


class RevokeTerminal(Terminals):
    """Revoking one: it takes no PIN any more, and whoever is signed in there by PIN is out."""

    form_class = RevokeForm

    def get(self, request: HttpRequest) -> HttpResponse:
        return redirect("terminals")

    def do(self, form: BooksForm) -> HttpResponse:
        gone = terminals.revoke(terminal_id=form.cleaned_data["terminal"], act=act_of(self.request, ROOM))
        messages.success(self.request, f"{gone} takes no PIN any more.")
        return redirect("terminals")
