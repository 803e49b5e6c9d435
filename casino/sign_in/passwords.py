"""Authentication by password or by a one-time code, which a manager gives to new staff and to those who
forgot it; and the passwords that are refused."""

import contextlib
import mmap
import re
import secrets
from bisect import bisect_left
from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha1
from typing import Any, NamedTuple

from django import forms
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from casino.demo import people
from casino.models import Staff
from casino.roles import ROLES
from casino.sign_in import asking, attempts, browsers, noting
from casino.sign_in.attempts import At, Attempt
from casino.sign_in.errors import LockedOut, TooManyAttempts
from casino.sign_in.factors import unspaced
from ledger.errors import LedgerError
from ledger.journal.particulars import houses
from ledger.views.fields import StatusForm

# Without look-alikes: 0 and O, 1, I and L, U and V.
LETTERS = "23456789ABCDEFGHJKMNPQRSTWXYZ"
LENGTH = 10
LASTS = timedelta(hours=24)


class NewCode(NamedTuple):
    """A one-time code signs its owner in once, within a day; then a password and a PIN have to be set before
    anything else. Only the hash is stored."""

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


class BadPassword(LedgerError):
    """The password does not keep the rules for passwords, or the two differ. The sentence says which."""


class NotTheDemoPassword:
    def validate(self, password: str, user: Staff | None = None) -> None:
        if password == people.PASSWORD:
            raise ValidationError(self.get_help_text(), code="demo_password")

    def get_help_text(self) -> str:
        return "The password of the demo can't be used."


class StaffBackend(ModelBackend):
    """Adds waits after wrong passwords. Outside a demo the demo password opens nothing."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Accept a password or a one-time code. Refuses `too_many_attempts` and `locked_out`."""
        if username is None or password is None or (password == people.PASSWORD and not settings.DEMO):
            return None
        with Attempt(At.PASSWORD, username, request) as attempt:
            found = super().authenticate(request, username=username, password=password, **kwargs) or use_code(
                request, username, password
            )
            if found is not None:
                attempt.succeeded()
        return found

    def get_user(self, user_id: int) -> Staff | None:
        return asking.person(user_id)

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        if user_obj.is_superuser or not user_obj.is_active or user_obj.is_anonymous or obj is not None:
            return super().get_all_permissions(user_obj, obj)
        if not hasattr(user_obj, "asked_rights"):
            user_obj.asked_rights = asking.rights(user_obj.pk)
        return set(user_obj.asked_rights)


class SignInForm(StatusForm, AuthenticationForm):
    """Errors: `invalid_login`, `inactive`, `too_many_attempts`, `locked_out`."""

    also_sent = frozenset({"next"})
    error_messages = {
        "invalid_login": "This name and password do not belong together.",
        "inactive": "This person no longer works here.",
    }

    def clean(self) -> dict[str, Any]:
        try:
            return super().clean()
        except (TooManyAttempts, LockedOut) as refused:
            self.refused_with = refused.status
            raise forms.ValidationError(refused.message, code=refused.code) from None


WORDS = (
    *("casino", "cardroom", "cards", "poker", "chinese", "pineapple", "fantasy", "chips", "tables", "house"),
    *("password", "welcome", "login", "secret", "admin"),
    *sorted(ROLES),
)
"""Words of the trade, of signing in, and of the work here; docs/operations.md lists them."""
LEFT = 8
"""The characters that have to remain of a password without these words."""
SHORTEST = 4
"""The shortest word of the house's name and licence that counts."""


class NotHouseWords:
    """A password of little else than these words would be guessed first."""

    def validate(self, password: str, user: Staff | None = None) -> None:
        if len(without(password, words_of_house())) < LEFT:
            raise ValidationError(self.get_help_text(), code="house_words")

    def get_help_text(self) -> str:
        return f"Beside words of the trade and of the house, the password needs {LEFT} characters of its own."


def words_of_house() -> list[str]:
    own = " ".join(f"{site.name} {site.licence}" for site in houses()).lower()
    found = {word for word in re.findall(r"\w+", own) if len(word) >= SHORTEST}
    return sorted({*WORDS, *found}, key=lambda word: (-len(word), word))


def without(password: str, words: list[str]) -> str:
    """Return a password without these words, punctuation and trailing digits; unchanged if it has none."""
    text = password.lower()
    for word in words:
        text = text.replace(word, "")
    return password if text == password.lower() else re.sub(r"[\W_]|\d+\W*$", "", text)


DIGITS = 40
SAMPLES = 1000
_HASH = re.compile(rb"[0-9A-F]{40}")


class NotBreached:
    """Looks passwords up in a local file, because the house has no internet access: one line a password,
    sorted, each beginning with its SHA-1 in hex, as haveibeenpwned-downloader writes it."""

    def validate(self, password: str, user: Staff | None = None) -> None:
        """Raise ValidationError: `breached_password`, or `no_list` if the file can't be read."""
        if not settings.BREACHED_PASSWORDS:
            return
        try:
            listed = is_listed(password, settings.BREACHED_PASSWORDS)
        except (OSError, ValueError):
            sentence = "The list of leaked passwords can't be read: call whoever runs the server."
            raise ValidationError(sentence, code="no_list") from None
        if listed:
            raise ValidationError(self.get_help_text(), code="breached_password")

    def get_help_text(self) -> str:
        return "A password that is known to have leaked can't be used."


def is_listed(password: str, path: str) -> bool:
    """Return whether the file has this password. OSError or ValueError if it is missing or empty."""
    wanted = sha1(password.encode(), usedforsecurity=False).hexdigest().upper().encode()
    with _list(path) as lines:
        at = bisect_left(range(len(lines)), wanted, key=lambda at: _line_at(lines, at)[1])
        return at < len(lines) and _line_at(lines, at)[1] == wanted


def wrong_with(path: str) -> str:
    """Check a sample of the lines; return a sentence about what is wrong, or an empty string."""
    try:
        with _list(path) as lines:
            step = max(len(lines) // SAMPLES, 1)
            seen = [_line_at(lines, at)[1] for at in range(0, len(lines), step)]
    except (OSError, ValueError) as error:
        return f"BREACHED_PASSWORDS can't be read: {error}."
    if not all(map(_HASH.fullmatch, seen)) or seen != sorted(seen):
        return "BREACHED_PASSWORDS has to be a list of SHA-1 hashes in their order, one a line."
    return ""


@contextlib.contextmanager
def _list(path: str) -> Iterator[mmap.mmap]:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as lines:
        yield lines


def _line_at(lines: mmap.mmap, at: int) -> tuple[int, bytes]:
    """Return the offset of the line that contains this byte, and its hash."""
    start = lines.rfind(b"\n", 0, at) + 1
    return start, lines[start : start + DIGITS].upper()
