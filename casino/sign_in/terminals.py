"""Terminals: enrolled devices of the house. Each keeps a long-lived cookie; only its hash is stored."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from casino.models import Terminal
from casino.sign_in import noting, places
from casino.sign_in.errors import StrangeTerminal
from casino.sign_in.hashing import digest
from ledger.cage import names
from ledger.errors import BadText
from ledger.journal.acts import Act
from ledger.rights import require
from ledger.rules.addresses import like_an_address
from tables.errors import StalePage
from tables.rights import MANAGE_HOUSE, RUN_FLOOR

COOKIE = f"{settings.COOKIE_PREFIX}terminal"
LASTS = timedelta(days=400)
"""The longest lifetime that browsers allow; each sign-in renews it."""
_RENEWED = "_renews_terminal"
STRANGE = (
    "This device is not a terminal of the house, so it takes no PIN. Sign in with your password, or "
    "ask the floor to enrol it."
)


def in_service() -> QuerySet[Terminal]:
    return Terminal.objects.filter(revoked_at=None)


def enrol(*, name: str, table: int | None = None, act: Act) -> str:
    """Enrol a device, of one table or of none; return the token for its cookie, which is not stored. Refuses
    `not_allowed`, and `bad_text` for a name that is empty, cannot be recorded or is another terminal's."""
    require(act.actor, RUN_FLOOR, MANAGE_HOUSE)
    name = " ".join(name.split())
    if like_an_address(name):
        raise BadText(
            "A terminal is not called like an address or the server's command line: the books show one of "
            "these. Take a name such as Table 3.",
            field="name",
        )
    if not (names.fold(name) and name.isprintable() and names.is_plain(name)):
        raise BadText(
            "Name this device in Latin letters, digits or Chinese characters, such as Table 3.", field="name"
        )
    taken = BadText(
        f"Another terminal is called {name}, or nearly so. Revoke it first, or take another name.",
        field="name",
    )
    if names.as_seen(name) in map(names.as_seen, in_service().values_list("name", flat=True)):
        raise taken
    try:
        return _write(name, table, act)
    except IntegrityError:  # another device was enrolled under it at the same moment
        raise taken from None


def enrol_for_demo(now: datetime) -> str:
    return _write(f"Demo {secrets.token_hex(3)}", None, Act(actor=None, now=now))


def _write(name: str, table: int | None, act: Act) -> str:
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        noting.in_turn()
        terminal = Terminal.objects.create(
            name=name,
            table=table,
            token_hash=digest(token),
            enrolled_by=act.actor,
            enrolled_at=act.now,
            seen_at=act.now,
        )
        stays: dict[str, Any] = {} if table is None else {"table": table}
        noting.note("terminal_enrolled", act=act, number=terminal.pk, name=name, **stays)
    return token


def revoke(*, terminal_id: int, act: Act) -> Terminal:
    """Revoke a terminal and end every session that began there. Refuses `not_allowed` and `stale_page`."""
    require(act.actor, RUN_FLOOR, MANAGE_HOUSE)
    with transaction.atomic():
        terminal = in_service().select_for_update().filter(pk=terminal_id).first()
        if terminal is None:
            raise StalePage("This terminal has been revoked already.")
        terminal.revoked_at = act.now
        terminal.save(update_fields=["revoked_at"])
        places.end_at(terminal, act)
        noting.note("terminal_revoked", act=act, number=terminal.pk, name=terminal.name)
    return terminal


def hash_of(request: HttpRequest) -> str:
    return digest(request.COOKIES.get(COOKIE, ""))


def find(request: HttpRequest) -> Terminal | None:
    return of_token(request.COOKIES.get(COOKIE, ""))


def of_token(token: str) -> Terminal | None:
    return in_service().filter(token_hash=digest(token)).first() if token else None


def hashes() -> frozenset[str]:
    return frozenset(in_service().values_list("token_hash", flat=True))


@receiver(user_logged_in)
def _signed_in(request: HttpRequest, **_: Any) -> None:
    if terminal := getattr(request, "terminal", None):
        Terminal.objects.filter(pk=terminal.pk).update(seen_at=timezone.now())
        setattr(request, _RENEWED, True)


def renew_cookie(request: HttpRequest, response: HttpResponse) -> None:
    if getattr(request, _RENEWED, False):
        keep_cookie(response, request.COOKIES[COOKIE])


def require_enrolled(request: HttpRequest | None) -> None:
    """Refuse a PIN away from terminals (`strange_terminal`); record when this one was last used."""
    terminal = find(request) if request is not None else None
    if terminal is None:
        raise StrangeTerminal(STRANGE, field="pin")
    Terminal.objects.filter(pk=terminal.pk).update(seen_at=timezone.now())


def keep_cookie(response: HttpResponse, token: str) -> None:
    response.set_cookie(
        COOKIE, token, max_age=LASTS, httponly=True, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
    )
