"""The sessions of a person: one row of allauth's for each. Idle ones end after a time that depends on the
role; requests that scripts make are no activity."""

import time
from datetime import datetime
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import auth
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from casino.models import Staff, Terminal
from casino.sign_in import noting
from ledger.db.compiled import Compiled
from ledger.journal.acts import Act
from ledger.views.terminal import terminal_of
from tables.live.idle import BEGUN, LIMIT, SEEN, is_idle, is_over

TERMINAL = "only-at"
"""Session key of the number of the terminal where the session began; None elsewhere."""
_IN_SERVICE = Compiled(lambda pk: Terminal.objects.filter(pk=pk, revoked_at=None))


def places_of(person: Any, now: datetime) -> QuerySet[UserSession]:
    alive = Session.objects.filter(expire_date__gt=now).values("session_key")
    places: QuerySet[UserSession] = UserSession.objects.filter(user=person, session_key__in=alive)
    return places.order_by("-created_at", "-pk")


def end_others(person: Any, here: str, act: Act, *, only: int | None = None) -> int:
    """End a person's sessions: all but `here` (a key), or only number `only`. Return how many."""
    others = places_of(person, act.now).exclude(session_key=here)
    return _end(others if only is None else others.filter(pk=only), person, act)


def end_all(person: Any, act: Act) -> int:
    return _end(places_of(person, act.now), person, act)


def end_at(terminal: Terminal, act: Act) -> None:
    """End every session that began at this terminal, or in which it was enrolled."""
    for place in UserSession.objects.filter(data__terminal=terminal.pk).select_related("user"):
        _end(UserSession.objects.filter(pk=place.pk), place.user, act)


def follow(before: str | None, request: HttpRequest) -> None:
    UserSession.objects.filter(session_key=before).update(session_key=request.session.session_key)


def stay_at(terminal: Terminal, request: HttpRequest) -> None:
    """Bind the session in which a terminal was enrolled to it."""
    request.session[TERMINAL] = terminal.pk
    data = {"label": str(terminal), "terminal": terminal.pk}
    UserSession.objects.filter(session_key=request.session.session_key).update(data=data)


def end_elsewhere(request: HttpRequest, device: str) -> None:
    """End a session that began at a terminal that was revoked, even if its row is gone; one that began with a
    PIN also on any device but that terminal. `device` is the hash of the asking device's cookie."""
    number = request.session.get(TERMINAL)
    if number is None:
        return
    terminal = _IN_SERVICE.first(number)
    if terminal is None or (noting.is_by_pin(request) and terminal.token_hash != device):
        request.ended_by = "terminal"  # type: ignore[attr-defined]
        auth.logout(request)


def _end(places: QuerySet[UserSession], person: Any, act: Act) -> int:
    ended = 0
    for place in places:
        place.end()
        ended += 1
    if ended:
        noting.note("session_ended", act=act, staff=person.pk, count=ended)
    return ended


@receiver(user_logged_in)
def _signed_in(request: HttpRequest, user: Staff, **_: Any) -> None:
    begin(request, user, time.time())
    living = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    UserSession.objects.filter(user=user).exclude(session_key__in=living).delete()
    if request.session.session_key is None:
        request.session.save()
    terminal = getattr(request, "terminal", None)
    request.session[TERMINAL] = terminal.pk if terminal else None
    UserSession.objects.update_or_create(
        session_key=request.session.session_key,
        defaults={
            "user": user,
            "ip": request.META.get("REMOTE_ADDR") or "0.0.0.0",  # noqa: S104  (nothing listens there)
            "user_agent": request.headers.get("User-Agent", "")[:200],
            "data": {"label": terminal_of(request, ""), "terminal": request.session[TERMINAL]},
        },
    )


KEPT_SECONDS = 60
"""Precision of a session's last activity; an exact time would cost a write at every request."""


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
    by_hand = request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
    return request.method != "GET" or (by_hand and "HX-Request" not in request.headers)
