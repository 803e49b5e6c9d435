"""Authentication by password or one-time code, and the passwords that are refused."""

import re
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from casino.demo import people
from casino.models import Staff
from casino.roles import ROLES
from casino.sign_in import asking
from casino.sign_in.attempts import At, Attempt
from casino.sign_in.codes import use_code
from casino.sign_in.errors import LockedOut, TooManyAttempts
from ledger.errors import LedgerError
from ledger.journal.particulars import houses
from ledger.views.fields import StatusForm


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
