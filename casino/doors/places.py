"""The page of one's own sessions, and signing out of one of them or everywhere else."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone

from casino.doors.factors import StepForm
from casino.sign_in import places
from casino.sign_in.own import require_password
from ledger.views.pages import EntryPage
from ledger.views.terminal import act_of


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
