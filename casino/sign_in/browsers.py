"""Devices with attempt counts of their own: terminals, and browsers in which the name has signed in before.
Such a browser keeps a cookie whose hash is stored with each person who signed in there. The cookie grants
nothing; it keeps strangers who guess from locking its owner out."""

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from casino.models import KnownBrowser, Staff
from casino.sign_in.hashing import digest

COOKIE = f"{settings.COOKIE_PREFIX}browser"
LASTS = timedelta(days=400)
"""The longest lifetime that browsers allow; each sign-in renews it."""
_KEEPS, _BROWSER = "_keeps_browser", "browser"


def device_of(request: HttpRequest | None, name: str) -> str:
    """Return the device that attempts at this name count for: `terminal 3`, `browser 12`, or empty."""
    if request is None:
        return ""
    if terminal := getattr(request, "terminal", None):
        return f"terminal {terminal.pk}"
    token = request.COOKIES.get(COOKIE, "")
    known = KnownBrowser.objects.filter(token_hash=digest(token), person__username__iexact=name)
    number = known.values_list("pk", flat=True).first() if token else None
    return f"{_BROWSER} {number}" if number else ""


def is_browser(device: str) -> bool:
    return device.startswith(_BROWSER)


def remember(request: HttpRequest, person: Staff, now: datetime) -> None:
    """Record this person's browser and set its cookie, replacing one that the house did not issue."""
    token = request.COOKIES.get(COOKIE, "")
    if not (token and KnownBrowser.objects.filter(token_hash=digest(token)).exists()):
        token = secrets.token_urlsafe(32)
    KnownBrowser.objects.update_or_create(person=person, token_hash=digest(token), defaults={"seen_at": now})
    setattr(request, _KEEPS, token)


def forget(person: Staff) -> None:
    """Forget this person's browsers: after a reset, somebody else may have used one."""
    KnownBrowser.objects.filter(person=person).delete()


def forget_old(now: datetime) -> None:
    KnownBrowser.objects.filter(seen_at__lt=now - LASTS).delete()


def keep_cookie(request: HttpRequest, response: HttpResponse) -> None:
    if token := getattr(request, _KEEPS, ""):
        response.set_cookie(
            COOKIE, token, max_age=LASTS, httponly=True, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
        )
