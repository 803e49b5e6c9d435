"""Signing in by badge and PIN on a terminal of the house, by passkey alone, and the second step. A session
that began with a PIN may deal and nothing more."""

import json
import secrets
from typing import Any

from django import forms
from django.contrib.auth import authenticate, login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from casino.models import LONGEST_BADGE, Staff
from casino.sign_in import coming_in, factors, terminals
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.views.fields import StatusForm
from ledger.views.pages import EntryPage
from ledger.views.terminal import terminal_of
from tables.rounds.pushes import come_in
from tables.views.fields import PinField, dealer_of


class ProofForm(StatusForm):
    """A code from the app or a recovery code, or a passkey's answer filled in by a script."""

    code = forms.CharField(
        required=False,
        label="Code",
        max_length=20,
        help_text="From your authenticator app, or one of your recovery codes.",
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "autocomplete": "one-time-code", "autofocus": True}
        ),
    )
    credential = forms.CharField(required=False, max_length=20_000, widget=forms.HiddenInput)


class SecondStepForm(ProofForm):
    def refuse(self, error: Refusal) -> None:
        self.show_refusal(error, "code")


@method_decorator([login_not_required, never_cache], name="dispatch")
class SecondStep(EntryPage):
    form_class = SecondStepForm
    template = "doors/second_step.html"

    person: Staff

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        person, self.then = coming_in.waiting(request)
        if person is None:
            return redirect("sign-in")
        self.person = person
        return super().dispatch(request, *args, **found_by)

    def do(self, form: ProofForm) -> str:
        """Return the kind of proof, for the log."""
        credential = form.cleaned_data["credential"]
        if not credential:
            return factors.prove_code(self.person, form.cleaned_data["code"], self.request)
        factors.prove_passkey(self.person, credential, self.request)
        return "passkey"

    def done(self, by: str, form: ProofForm) -> HttpResponse:
        first = "code" if self.person.must_renew else "password"
        coming_in.come_in(self.request, self.person, f"{first} and {by}")
        return redirect(self.then or "home")

    def facts(self, form: ProofForm) -> dict[str, Any]:
        has_passkey = any(step.type == factors.Type.WEBAUTHN for step in factors.steps_of(self.person))
        options = json.dumps(factors.passkey_options(self.person)) if has_passkey else ""
        return {"person": self.person, "options": options}


@method_decorator([login_not_required, never_cache], name="dispatch")
class PasskeySignIn(EntryPage):
    """Sign in by passkey: it identifies its owner and counts as the second step."""

    form_class = ProofForm
    template = "doors/passkey_refused.html"

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return JsonResponse(factors.passkey_options())

    def do(self, form: ProofForm) -> Staff:
        return factors.prove_passkey(None, form.cleaned_data["credential"], self.request)

    def done(self, person: Staff, form: ProofForm) -> HttpResponse:
        coming_in.come_in(self.request, person, "passkey")
        return redirect("home")


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
