"""The second step of signing in, and signing in by passkey alone."""

import json
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from casino.models import Staff
from casino.sign_in import coming_in, factors
from ledger.errors import Refusal
from ledger.views.fields import StatusForm


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


@method_decorator([login_not_required, never_cache], name="dispatch")
class SecondStep(View):
    person: Staff

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        person, self.then = coming_in.waiting(request)
        if person is None:
            return redirect("sign-in")
        self.person = person
        return super().dispatch(request, *args, **found_by)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.shown(ProofForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ProofForm(request.POST)
        if form.is_valid():
            try:
                by = self.prove(form.cleaned_data["code"], form.cleaned_data["credential"])
            except Refusal as refused:
                form.show_refusal(refused, "code")
            else:
                first = "code" if self.person.must_renew else "password"
                coming_in.come_in(request, self.person, f"{first} and {by}")
                return redirect(self.then or "home")
        return self.shown(form)

    def prove(self, code: str, credential: str) -> str:
        """Return the kind of proof, for the log."""
        if not credential:
            return factors.prove_code(self.person, code, self.request)
        factors.prove_passkey(self.person, credential, self.request)
        return "passkey"

    def shown(self, form: ProofForm) -> HttpResponse:
        has_passkey = any(step.type == factors.Type.WEBAUTHN for step in factors.steps_of(self.person))
        options = json.dumps(factors.passkey_options(self.person)) if has_passkey else ""
        facts = {"form": form, "person": self.person, "options": options}
        return render(self.request, "doors/second_step.html", facts, status=form.status)


@method_decorator([login_not_required, never_cache], name="dispatch")
class PasskeySignIn(View):
    """Sign in by passkey: it identifies its owner and counts as the second step."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return JsonResponse(factors.passkey_options())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ProofForm(request.POST)
        if form.is_valid():
            try:
                person = factors.prove_passkey(None, form.cleaned_data["credential"], request)
            except Refusal as refused:
                form.show_refusal(refused)
            else:
                coming_in.come_in(request, person, "passkey")
                return redirect("home")
        return render(request, "doors/passkey_refused.html", {"form": form}, status=form.status)
