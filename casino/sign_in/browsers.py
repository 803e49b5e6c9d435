"""Devices of which attempts are counted apart: the house's terminals, and browsers in which somebody has signed in rightly before.

Such a browser keeps a cookie, and a row for each person who has come in there, with the cookie's hash. It opens nothing. It keeps
whoever guesses from elsewhere from locking its owner out.
"""

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from casino.models import KnownBrowser, Staff
from casino.sign_in.hashing import digest

COOKIE = f"{settings.COOKIE_PREFIX}browser"
LASTS = timedelta(days=400)
"""As long as browsers keep a cookie; each sign-in there renews it."""
_KEEPS = "_keeps_browser"


def device_of(request: HttpRequest | None, name: str) -> str:
    """Return the device that attempts at this name are counted at: `terminal 3`, `browser 12`; empty for all others together."""
    if request is None:
        return ""
    if terminal := getattr(request, "terminal", None):
        return f"terminal {terminal.pk}"
    token = request.COOKIES.get(COOKIE, "")
    known = KnownBrowser.objects.filter(token_hash=digest(token), person__username__iexact=name)
    number = known.values_list("pk", flat=True).first() if token else None
    return f"browser {number}" if number else ""


def remember(request: HttpRequest, person: Staff, now: datetime) -> None:
    """Know the browser in which this person has just come in, and have it keep its cookie; one that the house has not made, which
    somebody else may have put there and know, gives way to another."""
    token = request.COOKIES.get(COOKIE, "")
    if not (token and KnownBrowser.objects.filter(token_hash=digest(token)).exists()):
        token = secrets.token_urlsafe(32)
    KnownBrowser.objects.update_or_create(person=person, token_hash=digest(token), defaults={"seen_at": now})
    setattr(request, _KEEPS, token)


def forget(person: Staff) -> None:
    """Know no browser of this person any more: whoever made them start anew may fear that somebody else came in."""
    KnownBrowser.objects.filter(person=person).delete()


def forget_old(now: datetime) -> None:
    """Remove the rows of browsers whose cookies have run out."""
    KnownBrowser.objects.filter(seen_at__lt=now - LASTS).delete()


def keep_cookie(request: HttpRequest, response: HttpResponse) -> None:
    """Have the browser keep its cookie, if somebody came in by this request."""
    if token := getattr(request, _KEEPS, ""):
        response.set_cookie(
            COOKIE, token, max_age=LASTS, httponly=True, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
        )
