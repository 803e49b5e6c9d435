"""One-time codes: what a manager gives to somebody who is new, or who has forgotten password or PIN.

A code signs its owner in once, within a day. Nothing else works for them until they have set a password and a PIN of
their own, so nobody else ever knows those. Only a hash of the code is kept.
"""

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

# Without what is read as something else: 0 and O, 1, I and L, U and V.
LETTERS = "23456789ABCDEFGHJKMNPQRSTWXYZ"
LENGTH = 10
LASTS = timedelta(hours=24)


class NewCode(NamedTuple):
    """A code as it is shown, once, and the hash that is kept."""

    shown: str
    hashed: str


def new_code() -> NewCode:
    """Make a code. Call it before a transaction: its hash takes a tenth of a second or longer, and on SQLite all wait to write."""
    code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    return NewCode(f"{code[:5]}-{code[5:]}", make_password(code))


def give_code(person: Staff, code: NewCode, now: datetime) -> str:
    """Give this person a code, and end their password, PIN and sessions. Returns it as it is shown."""
    _come_by(person, code.hashed, now + LASTS)
    attempts.forget(person)
    return code.shown


def take_code(person: Staff) -> None:
    """End password, PIN, code and sessions of somebody who has left."""
    _come_by(person, "", None)


def _come_by(person: Staff, hashed: str, until: datetime | None) -> None:
    """Leave a person no way in but this code, if it is one."""
    person.set_unusable_password()
    person.set_pin("")
    person.code, person.code_until, person.must_renew = hashed, until, bool(hashed)
    person.save(update_fields=["password", "pin", "code", "code_until", "must_renew"])
    browsers.forget(person)


def use_code(request: HttpRequest | None, username: str, typed: str) -> Staff | None:
    """Return whose one-time code this is, and make it useless; None where it is none, is used or is too old.

    Two who use it at once: one comes in.
    """
    person = Staff.objects.filter(username=username, is_active=True).exclude(code="").first()
    if person is None or not person.has_code(unspaced(typed).upper(), timezone.now()):
        return None
    with transaction.atomic():  # the log has it before whatever is set with it, and before the next code
        noting.in_turn()
        if not Staff.objects.filter(pk=person.pk, code=person.code).update(code=""):
            return None
        noting.note("code_used", actor=person, request=request)
    person.code = ""
    return person
