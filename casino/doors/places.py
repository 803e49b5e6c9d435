"""The page of one's own sessions, and signing out of one of them or everywhere else."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views import View

from casino.doors.factors import StepForm
from casino.sign_in import places
from casino.sign_in.own import require_password
from ledger.views.terminal import act_of


class PlacesForm(StepForm):
    place = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)


class OwnPlaces(View):
    """POST ends one other session, or all but this one, after the password."""

    def dispatch(self, request: HttpRequest, *args: object, **found_by: object) -> HttpResponseBase:
        require_password(request)
        return super().dispatch(request, *args, **found_by)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.shown(PlacesForm(request=request))

    def shown(self, form: PlacesForm) -> HttpResponse:
        request = self.request
        here = request.session.session_key
        found = [
            (place, place.session_key == here) for place in places.places_of(request.user, timezone.now())
        ]
        return render(request, "doors/places.html", {"places": found, "form": form}, status=form.status)

    def post(self, request: HttpRequest) -> HttpResponse:
        form = PlacesForm(request.POST, request=request)
        if not form.is_valid():
            return self.shown(form)
        here, only = request.session.session_key or "", form.cleaned_data["place"]
        ended = places.end_others(request.user, here, act_of(request, ""), only=only)
        messages.success(request, f"You are signed out in {ended} other place{'' if ended == 1 else 's'}.")
        return redirect("places")
