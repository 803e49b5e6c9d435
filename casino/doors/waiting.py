"""A waiting player's own page, the floor's page that shows its QR code, and the public board for
television, which an enrolled device shows with nobody signed in."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe
from rest_framework.throttling import SimpleRateThrottle

from casino.doors import qr
from casino.sign_in import terminals
from casino.sign_in.attempts import place_of
from casino.sign_in.errors import StrangeTerminal, TooManyAttempts
from ledger.errors import Refusal
from ledger.views.day import the_site
from ledger.views.terminal import terminal_of
from tables.errors import BadEntry, PlaceUnknown
from tables.floor import own_pages
from tables.models import WaitingPlace
from tables.rules.table.waits import PAGE_LASTS
from tables.state.held_seats import State
from tables.views.waiting.acts import WaitingPlaceAct
from tables.views.waiting.public import own_place, public_lists

NOBODY_ELSE = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
"""The address is the secret: it goes to no other page, and into no search engine."""


class MakePage(WaitingPlaceAct):
    """POST makes the page and shows its code, once."""

    title = "Player's page"
    button = "Show the QR code"

    def do(self, form: Any) -> str:
        self.place, self.token = own_pages.make_page(place_id=self.place.pk, act=self.act(form))
        return ""

    def done(self, sentence: str, form: Any) -> HttpResponse:
        address = self.request.build_absolute_uri(reverse("wait", args=[self.token]))
        facts = {"place": self.place, "address": address, "picture": qr.picture(address)}
        hours = int(PAGE_LASTS.total_seconds()) // 3600
        answer = render(self.request, "doors/own_page.html", facts | {"hours": hours})
        answer.headers["Cache-Control"] = "private, no-store"
        return answer


class OfAddress(SimpleRateThrottle):
    """Requests from one address: a room of phones behind one router asks some hundred times a minute."""

    rate = "600/min"

    def get_cache_key(self, request: Any, view: Any) -> str:
        return f"wait-at-{place_of(terminal_of(request, ''))}"


class OfPage(SimpleRateThrottle):
    """Requests for one place's page, which asks four times a minute."""

    rate = "40/min"

    def get_cache_key(self, request: Any, view: Any) -> str:
        return f"wait-for-{view}"


@require_http_methods(["GET", "HEAD", "POST"])
@login_not_required
@csrf_exempt  # nobody is signed in: who knows the address may act, and no other page knows it
@never_cache
def wait(request: HttpRequest, token: str) -> HttpResponse:
    """Show a waiting player their place and take their word. Over and never there are the same 404."""
    try:
        answer = _answer(request, token)
    except Refusal as refusal:
        facts = {"sentence": refusal.message, "code": refusal.code}
        answer = render(request, "doors/wait.html", facts, status=refusal.status)
        if "HX-Request" in request.headers and isinstance(refusal, PlaceUnknown):
            answer.headers["HX-Refresh"] = "true"
    for name, value in NOBODY_ELSE.items():
        answer.headers[name] = value
    return answer


def _answer(request: HttpRequest, token: str) -> HttpResponse:
    site, now = the_site(), timezone.now()
    _require_pace(OfAddress(), request)
    place = own_pages.find(site, token, now)
    _require_pace(OfPage(), request, place)
    facts: dict[str, Any] = {"now": now}
    status = 200
    if request.method == "POST":
        try:
            place = own_pages.say(site=site, token=token, word=request.POST.get("word", ""), now=now)
        except BadEntry as refusal:
            facts |= {"refused": refusal}
            status = refusal.status
        else:
            if place.state != State.LEFT:
                return HttpResponseRedirect(request.path)
    return render(request, "doors/wait.html", facts | {"own": own_place(place, now)}, status=status)


def _require_pace(pace: SimpleRateThrottle, request: HttpRequest, place: WaitingPlace | None = None) -> None:
    """Refuse `too_many_attempts`."""
    if not pace.allow_request(request, place and place.pk):  # type: ignore[arg-type]
        raise TooManyAttempts("This page was asked for too often. Try again in a minute.")


STRANGE = "This device is not enrolled. The floor enrols it on its page Terminals; then it shows the board."


@require_safe
@login_not_required
@never_cache
def tv(request: HttpRequest) -> HttpResponse:
    """Show seats, lists and calls without a name; on a device that is not enrolled, how to enrol it. A demo
    enrols it."""
    site, now = the_site(), timezone.now()
    enrolled = terminals.find(request) is not None
    if not enrolled and not settings.DEMO:
        facts = {"strange": STRANGE, "code": StrangeTerminal.code}
        return render(request, "doors/tv.html", facts, status=StrangeTerminal.status)
    lists = public_lists(site, now)
    calls = [(one, place) for one in lists for place in one.called]
    answer = render(request, "doors/tv.html", {"lists": lists, "calls": calls, "now": now})
    if not enrolled:
        terminals.keep_cookie(answer, terminals.enrol_for_demo(now))
    return answer
