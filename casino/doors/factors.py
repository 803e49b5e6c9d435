"""Pages of one's own second steps: add an authenticator app or passkeys, make recovery codes, remove them;
and of one's own sessions."""

import json
from typing import Any

from allauth.mfa.adapter import get_adapter
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone

from casino.doors import qr
from casino.sign_in import coming_in, factors, places
from casino.sign_in.allauth_parts import app_codes
from casino.sign_in.own import AskedNow, OwnForm, require_password
from casino.views import error_page
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.views.fields import PlainField, require_nothing_sent
from ledger.views.pages import EntryPage
from ledger.views.terminal import act_of
from tables.errors import StalePage


class StepForm(AskedNow, OwnForm): ...


class AppForm(StepForm):
    code = forms.CharField(
        max_length=10,
        label="Code that the app shows now",
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "autocomplete": "one-time-code", "autofocus": True}
        ),
    )
    field_order = ("code", "password")


class PasskeyForm(StepForm):
    name = PlainField(required=False, max_length=40, label="Name of this passkey", initial="Passkey")
    credential = forms.CharField(max_length=20_000, widget=forms.HiddenInput)
    field_order = ("name", "password")


class RemoveForm(StepForm):
    step = forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput)


class StepsPage(EntryPage):
    form_class = StepForm

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require_password(request)
        self.act: Act = act_of(request, "")
        return super().dispatch(request, *args, **found_by)

    def form(self, data: Any = None) -> Any:
        return self.form_class(data, request=self.request)

    def facts(self, form: StepForm) -> dict[str, Any]:
        person = self.act.actor
        steps = factors.steps_of(person)
        return {
            "steps": steps,
            "has_app": any(step.type == factors.Type.TOTP for step in steps),
            "codes_left": factors.codes_left(person),
            "is_demanded": factors.is_demanded(person),
            "may_put_off": factors.may_put_off(person),
            "is_held": coming_in.MUST_ADD in self.request.session,
        }


class OwnSteps(StepsPage):
    """POST puts off setting up the first second step, once."""

    template = "doors/steps.html"

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        require_nothing_sent(request.POST)
        try:
            factors.put_off(self.act.actor, self.act.now)
        except Refusal as refused:
            return error_page(request, refused.status, refused.message, refused.code)
        request.session.pop(coming_in.MUST_ADD, None)
        return redirect("home")


class ActOnSteps(StepsPage):
    """`do` returns newly made recovery codes."""

    def done(self, codes: list[str], form: StepForm) -> HttpResponse:
        self.request.session.pop(coming_in.MUST_ADD, None)
        if codes:
            return render(self.request, "doors/codes.html", {"codes": codes, "person": self.act.actor})
        return redirect("steps")


class AddApp(ActOnSteps):
    form_class = AppForm
    template = "doors/add_app.html"

    def do(self, form: AppForm) -> list[str]:
        codes = factors.add_app(
            self.act.actor, app_codes.get_totp_secret(), form.cleaned_data["code"], self.act
        )
        app_codes.clear_totp_secret(self.request)
        messages.success(self.request, "The app is set up.")
        return codes

    def facts(self, form: StepForm) -> dict[str, Any]:
        secret = app_codes.get_totp_secret()
        address = get_adapter().build_totp_url(self.act.actor, secret)
        groups = " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))
        own = {"secret": groups, "picture": qr.picture(address)}
        return super().facts(form) | own


class AddPasskey(ActOnSteps):
    form_class = PasskeyForm
    template = "doors/add_passkey.html"

    def do(self, form: PasskeyForm) -> list[str]:
        data = form.cleaned_data
        codes = factors.add_passkey(self.act.actor, data["name"], data["credential"], self.act)
        messages.success(self.request, "The passkey is set up.")
        return codes

    def facts(self, form: StepForm) -> dict[str, Any]:
        return super().facts(form) | {"options": json.dumps(factors.new_passkey_options(self.act.actor))}


class RemoveStep(ActOnSteps):
    form_class = RemoveForm
    template = "doors/remove_step.html"

    def form(self, data: Any = None) -> RemoveForm:
        return RemoveForm(data, request=self.request, initial={"step": self.request.GET.get("step", "")})

    def do(self, form: RemoveForm) -> list[str]:
        factors.remove(self.act.actor, form.cleaned_data["step"], self.act)
        messages.success(self.request, "It is removed.")
        return []


class NewCodes(ActOnSteps):
    template = "doors/new_codes.html"

    def do(self, form: StepForm) -> list[str]:
        if not factors.has_step(self.act.actor):
            raise StalePage("Set up an app or a passkey first.")
        return factors.new_codes(self.act.actor, self.act)


class PlacesForm(StepForm):
    place = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)


class OwnPlaces(EntryPage):
    """POST ends one other session, or all but this one, after the password."""

    template = "doors/places.html"

    def dispatch(self, request: HttpRequest, *args: object, **found_by: object) -> HttpResponseBase:
        require_password(request)
        return super().dispatch(request, *args, **found_by)

    def form(self, data: Any = None) -> PlacesForm:
        return PlacesForm(data, request=self.request)

    def facts(self, form: PlacesForm) -> dict[str, Any]:
        here, every = self.request.session.session_key, places.places_of(self.request.user, timezone.now())
        return {"places": [(place, place.session_key == here) for place in every]}

    def done(self, made: None, form: PlacesForm) -> HttpResponse:
        request = self.request
        here, only = request.session.session_key or "", form.cleaned_data["place"]
        ended = places.end_others(request.user, here, act_of(request, ""), only=only)
        where = "1 other place" if ended == 1 else f"{ended} other places"
        messages.success(request, f"You are signed out in {where}.")
        return redirect("places")
