"""The page of one's own sessions, and signing out everywhere else."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views import View

from casino.sign_in import places
from casino.sign_in.own import require_password
from ledger.views.fields import require_nothing_sent
from ledger.views.terminal import act_of


class OwnPlaces(View):
    """POST ends all sessions but this one."""

    def dispatch(self, request: HttpRequest, *args: object, **found_by: object) -> HttpResponseBase:
        require_password(request)
        return super().dispatch(request, *args, **found_by)

    def get(self, request: HttpRequest) -> HttpResponse:
        here = request.session.session_key
        found = [
            (place, place.session_key == here) for place in places.places_of(request.user, timezone.now())
        ]
        return render(request, "doors/places.html", {"places": found})

    def post(self, request: HttpRequest) -> HttpResponse:
        require_nothing_sent(request.POST)
        ended = places.end_others(request.user, request.session.session_key or "", act_of(request, ""))
        messages.success(request, f"You are signed out in {ended} other place{'' if ended == 1 else 's'}.")
        return redirect("places")
