"""Idle sessions end after a time that depends on the role; requests that scripts make are no activity."""

import time
from typing import Any

from django.conf import settings
from django.contrib import auth
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from casino.models import Staff
from tables.live.idle import BEGUN, LIMIT, SEEN, is_idle, is_over

KEPT_SECONDS = 60
"""Precision of a session's last activity; an exact time would cost a write at every request."""


@receiver(user_logged_in)
def _signed_in(request: HttpRequest, user: Staff, **_: Any) -> None:
    begin(request, user, time.time())


def begin(request: HttpRequest, person: Staff, now: float) -> None:
    """`now` is in seconds since 1970."""
    if settings.DEMO:
        return
    minutes = [settings.IDLE_MINUTES[role] for role in person.roles if role in settings.IDLE_MINUTES]
    request.session[LIMIT] = 60 * min(minutes, default=min(settings.IDLE_MINUTES.values()))
    request.session[SEEN] = request.session[BEGUN] = now


def end_or_go_on(request: HttpRequest, now: float) -> None:
    seen = request.session.get(SEEN)
    if seen is None:
        return
    if is_over(request.session, now):
        reason = "idle" if is_idle(request.session, now) else "lifetime"
        request.ended_by = reason  # type: ignore[attr-defined]
        auth.logout(request)
    elif now - seen > KEPT_SECONDS and is_act(request):
        request.session[SEEN] = now


def is_act(request: HttpRequest) -> bool:
    """Return whether the request is a person's: a page or a form, not a script's own GET."""
    if request.method != "GET":
        return True
    return (
        request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
        and "HX-Request" not in request.headers
    )
