"""PINs, which a dealer or a second person types at a table, where a password would take too long. A PIN
proves a person on a terminal of the house. A session that began with one may deal and nothing more. Wrong
PINs count like wrong passwords."""

from datetime import datetime
from itertools import pairwise
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpRequest

from casino.demo import people
from casino.models import Staff
from casino.roles import DEALER, ROLES
from casino.sign_in import asking, noting
from casino.sign_in.attempts import At, Attempt
from casino.sign_in.errors import BadPin
from casino.sign_in.terminals import require_enrolled
from ledger.lengths import MOST_PIN_DIGITS
from tables.errors import WrongPin

DEALERS_RIGHTS = frozenset(ROLES[DEALER])
WRONG = "This name and PIN do not belong together."
PIN_HELP = (
    f"{settings.PIN_DIGITS} to {MOST_PIN_DIGITS} digits; no date, no row of digits, nothing that repeats."
)
DATES = ("%d%m%y", "%m%d%y", "%y%m%d", "%d%m%Y", "%m%d%Y", "%Y%m%d")


def require_good(digits: str) -> None:
    """Refuse a malformed or easily guessed PIN (`bad_pin`)."""
    if not (
        digits.isascii() and digits.isdecimal() and settings.PIN_DIGITS <= len(digits) <= MOST_PIN_DIGITS
    ):
        raise BadPin(f"A PIN is {settings.PIN_DIGITS} to {MOST_PIN_DIGITS} digits.", field="pin")
    if is_guessed(digits):
        raise BadPin(
            "Everybody would guess this PIN: take one without a date, a row or a repetition.", field="pin"
        )


def is_guessed(digits: str) -> bool:
    """Return whether digits repeat (121212, 123123), hardly differ, go in even steps, or are a date."""
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(digits)}
    repeats = any(digits == (digits[:size] * len(digits))[: len(digits)] for size in range(1, 4))
    return len(steps) == 1 or repeats or len(set(digits)) < 3 or any(_is_date(digits, form) for form in DATES)


def _is_date(digits: str, form: str) -> bool:
    try:
        return datetime.strptime(digits, form).strftime(form) == digits  # noqa: DTZ007 (a day, wherever)
    except ValueError:
        return False


def hashed(digits: str) -> str:
    """Return the hash of a new PIN. Slow: call it outside transactions. Refuses `bad_pin`."""
    require_good(digits)
    return make_password(digits)


def keep_pin(person: Staff, new_pin: str, *, actor: Any, request: HttpRequest | None) -> None:
    with transaction.atomic():
        noting.in_turn()
        person.pin = new_pin
        person.save(update_fields=["pin"])
        noting.note("pin_set", actor=actor, request=request, staff=person.pk)


class PinBackend(BaseBackend):
    """Authenticate by name and PIN on a terminal. Grants no permissions of its own."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, pin: str | None = None, **others: Any
    ) -> Staff | None:
        """Refuses `strange_terminal`, `wrong_pin`, and after too many `too_many_attempts` or `locked_out`."""
        if username is None or pin is None:
            return None
        require_enrolled(request)
        with Attempt(At.PIN, username, request) as attempt:
            person = Staff.objects.filter(username=username, is_active=True, must_renew=False).first()
            if person is None or not person.pin:
                make_password(pin)  # as slow as checking a PIN, so the time does not tell who has one
            # Outside a demo the demo's PIN proves nobody, even if a row has its hash.
            elif person.has_pin(pin) and (pin != people.PIN or settings.DEMO):
                attempt.succeeded()
        if person is None or not attempt.is_right:
            raise WrongPin(WRONG, field="pin")
        person.by_pin = True
        return person

    def get_user(self, user_id: int) -> Staff | None:
        """Return the person of a PIN session, limited to a dealer's permissions whatever their roles."""
        person = asking.person(user_id)
        if person is not None:
            person.within, person.by_pin = DEALERS_RIGHTS, True
        return person
