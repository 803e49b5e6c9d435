"""Sign-in with badge and PIN on a terminal of the house; such a session may deal and nothing more."""

import secrets
from typing import Any

from django import forms
from django.contrib.auth import authenticate, login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from casino.models import LONGEST_BADGE, Staff
from casino.sign_in import terminals
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.views.fields import StatusForm
from ledger.views.pages import EntryPage
from ledger.views.terminal import terminal_of
from tables.rounds.pushes import come_in
from tables.views.fields import PinField, dealer_of


class BadgeForm(StatusForm):
    """`person` is set once the form is valid."""

    badge = forms.CharField(
        label="Badge number or username",
        max_length=max(LONGEST_BADGE, 150),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "autofocus": True}),
    )
    pin = PinField(label="PIN")

    def __init__(self, *args: Any, request: HttpRequest, **options: Any) -> None:
        super().__init__(*args, **options)
        self.request = request
        self.person: Staff | None = None

    def clean(self) -> dict[str, Any]:
        """Authenticate a dealer. Anybody else gets a wrong PIN, without their PIN being looked at."""
        cleaned = super().clean() or self.cleaned_data
        if {"badge", "pin"} <= cleaned.keys():
            try:
                name = dealer_of(cleaned["badge"])
                self.person = authenticate(self.request, username=name, pin=cleaned["pin"])
            except Refusal as refused:
                self.show_refusal(refused)
        return cleaned


@method_decorator([login_not_required, never_cache], name="dispatch")
class BadgeSignIn(EntryPage):
    """The sign-in page for badge and PIN. On a device that is no terminal it only says so."""

    template = "doors/badge.html"

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return redirect("home") if request.user.is_authenticated else super().get(request)

    def form(self, data: Any = None) -> BadgeForm:
        return BadgeForm(data, request=self.request)

    def facts(self, form: BadgeForm) -> dict[str, Any]:
        return {"terminal": terminals.find(self.request), "strange": terminals.STRANGE}

    def do(self, form: BadgeForm) -> None:
        """At a table's own terminal the push is done with it."""
        here = terminals.find(self.request)
        if here is not None and here.table is not None:
            device, key = terminal_of(self.request, "dealer"), f"badge-{secrets.token_hex(8)}"
            come_in(table=here.table, dealer=form.person, act=Act(form.person, timezone.now(), key, device))

    def done(self, made: None, form: BadgeForm) -> HttpResponse:
        login(self.request, form.person)
        return redirect("home")
