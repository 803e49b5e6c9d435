"""PINs: what a dealer or a second person types at a table, where a password would take too long.

A PIN proves a person to somebody who is signed in already; by itself it opens no door of the house. Wrong ones count like
wrong passwords, and each is noted.
"""

import re
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY
from django.contrib.auth.backends import BaseBackend
from django.db import transaction
from django.http import HttpRequest

from casino.demo import people
from casino.models import Staff
from casino.sign_in import noting
from casino.sign_in.passwords import Attempts
from tables.errors import BadPin, TooManyAttempts, WrongPin

PIN = re.compile(r"[0-9]{4,8}", re.ASCII)


def require_good(digits: str) -> None:
    """Refuse what may not be a PIN (`bad_pin`)."""
    if not PIN.fullmatch(digits):
        raise BadPin("A PIN is 4 to 8 digits.", field="pin")
    if len(set(digits)) == 1 or (digits == people.PIN and not settings.DEMO):
        raise BadPin("Everybody would guess this PIN: take another one.", field="pin")


def set_pin(person: Staff, digits: str, *, actor: Any, request: HttpRequest | None = None) -> None:
    """Give a person a PIN of 4 to 8 digits, and note that it was set, never which. Refuses `bad_pin`."""
    require_good(digits)
    with transaction.atomic():
        person.set_pin(digits)
        person.save(update_fields=["pin"])
        noting.note("pin_set", actor=actor, request=request, staff=person.pk)


def came_by_pin(request: HttpRequest) -> bool:
    """Whether whoever is signed in was pushed in at this tablet by PIN: enough to deal, not to manage the house."""
    return bool(request.session.get(BACKEND_SESSION_KEY) == f"{__name__}.{PinBackend.__name__}")


class PinBackend(BaseBackend):
    """Who a name and a PIN prove: `authenticate(request, username=..., pin=...)`. It grants no rights of its own."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, pin: str | None = None, **others: Any
    ) -> Staff | None:
        """Give that person. Refuses `wrong_pin`, and `too_many_attempts` after too many of them from one address."""
        if username is None or pin is None:
            return None
        attempts = Attempts.of(request, f"pin {username}")
        attempts.count()
        if attempts.exhausted:
            raise TooManyAttempts("Too many wrong PINs. Try again in a few minutes.", field="pin")
        person = Staff.objects.filter(username=username, is_active=True).first()
        # Outside a demo the demo's PIN proves nobody, even where a row has its hash.
        if person is None or (pin == people.PIN and not settings.DEMO) or not person.has_pin(pin):
            noting.note("pin_refused", request=request, username=person.username if person else "")
            raise WrongPin("This name and PIN do not belong together.", field="pin")
        attempts.forget()
        return person

    def get_user(self, user_id: int) -> Staff | None:
        """Who is signed in at a tablet."""
        return Staff.objects.filter(pk=user_id, is_active=True).first()
