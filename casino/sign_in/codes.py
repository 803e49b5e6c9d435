"""One-time codes that a manager gives to new staff and to those who forgot their password or PIN. A code
signs its owner in once, within a day. They can do nothing else until they have set a password and PIN that
nobody else knows. Only the code's hash is stored."""

import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from casino.models import Staff
from casino.sign_in import attempts, browsers, noting
from casino.sign_in.factors import unspaced

# Without look-alikes: 0 and O, 1, I and L, U and V.
LETTERS = "23456789ABCDEFGHJKMNPQRSTWXYZ"
LENGTH = 10
LASTS = timedelta(hours=24)


class NewCode(NamedTuple):
    shown: str
    hashed: str


def new_code() -> NewCode:
    """Make a code. Call it outside transactions: hashing takes 0.1 s or more, and SQLite has one writer."""
    code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    return NewCode(f"{code[:5]}-{code[5:]}", make_password(code))


def give_code(person: Staff, code: NewCode, now: datetime) -> str:
    """Give this person a code, ending their password, PIN and sessions. Returns it as it is shown."""
    _come_by(person, code.hashed, now + LASTS)
    attempts.forget(person)
    return code.shown


def take_code(person: Staff) -> None:
    _come_by(person, "", None)


def _come_by(person: Staff, hashed: str, until: datetime | None) -> None:
    """Leave no way in but this code; none at all if it is empty."""
    person.set_unusable_password()
    person.set_pin("")
    person.code, person.code_until, person.must_renew = hashed, until, bool(hashed)
    person.save(update_fields=["password", "pin", "code", "code_until", "must_renew"])
    browsers.forget(person)


def use_code(request: HttpRequest | None, username: str, typed: str) -> Staff | None:
    """Return the owner of a valid one-time code, and use it up; else None. Of two at once, one succeeds."""
    person = Staff.objects.filter(username=username, is_active=True).exclude(code="").first()
    if person is None or not person.has_code(unspaced(typed).upper(), timezone.now()):
        return None
    with transaction.atomic():  # logged before anything that is set with it, and before the next code
        noting.in_turn()
        if not Staff.objects.filter(pk=person.pk, code=person.code).update(code=""):
            return None
        noting.note("code_used", actor=person, request=request)
    person.code = ""
    return person
