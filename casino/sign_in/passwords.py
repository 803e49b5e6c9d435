"""Coming in: whose password or one-time code is right, which passwords are refused, and the wait after too many wrong ones."""

import contextlib
import hashlib
import logging
from typing import Any

import redis
from django import forms
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.forms import AuthenticationForm
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from casino.demo import people
from casino.models import Staff
from casino.sign_in.codes import use_code
from ledger.errors import LedgerError
from ledger.views.fields import StatusForm
from tables.errors import TooManyAttempts

log = logging.getLogger(__name__)


class BadPassword(LedgerError):
    """The password does not keep the rules for passwords, or the two differ. The sentence says which."""

    code = "bad_password"


class NotTheDemoPassword:
    """Refuses the password that every demo room shares, as a password that somebody sets."""

    def validate(self, password: str, user: Staff | None = None) -> None:
        """Raise ValidationError (`demo_password`) for it."""
        if password == people.PASSWORD:
            raise ValidationError(self.get_help_text(), code="demo_password")

    def get_help_text(self) -> str:
        """The sentence beside the field."""
        return "The password of the demo can't be used."


class Attempts:
    """The attempts at one name from one address within SIGN_IN_WAIT_SECONDS, kept in the cache."""

    def __init__(self, username: str, address: str) -> None:
        # Hashed: a cache key takes no spaces, and a password typed into the wrong field is kept nowhere.
        named = f"{username.casefold()}\n{address}".encode()
        self.key = f"sign-in:{hashlib.sha256(named).hexdigest()}"

    @classmethod
    def of(cls, request: HttpRequest | None, username: str) -> "Attempts":
        """The attempts at this name from where the request comes from."""
        return cls(username, request.META.get("REMOTE_ADDR", "") if request else "")

    @property
    def exhausted(self) -> bool:
        """Whether there were too many, the one that is being made included."""
        try:
            return (cache.get(self.key) or 0) > settings.SIGN_IN_ATTEMPTS
        except redis.RedisError:
            return False

    def count(self) -> None:
        """Count one attempt before its password is looked at, so that parallel guesses all count.

        Without a cache nobody could work, so people come in uncounted then, and the log says so.
        """
        try:
            cache.add(self.key, 0, settings.SIGN_IN_WAIT_SECONDS)
            with contextlib.suppress(ValueError):  # the count ran out between the two calls
                cache.incr(self.key)
        except redis.RedisError as error:
            log.warning("sign-in attempts are not counted, the cache does not answer: %s", error)

    def forget(self) -> None:
        """Start anew after the right password."""
        try:
            cache.delete(self.key)
        except redis.RedisError as error:
            log.warning("sign-in attempts are not forgotten, the cache does not answer: %s", error)


class StaffBackend(ModelBackend):
    """Django's own backend, with the wait after too many wrong passwords, wherever one is asked for.

    Outside a demo the demo password opens nothing, even where a row has its hash.
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Give the person whose name and password, or one-time code, these are, or None."""
        if username is None or password is None or (password == people.PASSWORD and not settings.DEMO):
            return None
        attempts = Attempts.of(request, username)
        attempts.count()
        if attempts.exhausted:
            return None
        found = super().authenticate(request, username=username, password=password, **kwargs) or use_code(
            request, username, password
        )
        if found is not None:
            attempts.forget()
        return found


class SignInForm(StatusForm, AuthenticationForm):
    """Name and password; errors are `invalid_login`, `inactive` and `too_many_attempts`."""

    error_messages = {
        "invalid_login": "This name and password do not belong together.",
        "inactive": "This person no longer works here.",
        "too_many_attempts": "Too many wrong passwords. Try again in a few minutes.",
    }

    def clean(self) -> dict[str, Any]:
        """Judge the pair; a name that must wait is told so, whatever its password."""
        try:
            return super().clean()
        except forms.ValidationError:
            if Attempts.of(self.request, self.cleaned_data.get("username", "")).exhausted:
                self.refused_with = TooManyAttempts.status
                raise forms.ValidationError(
                    self.error_messages["too_many_attempts"], code=TooManyAttempts.code
                ) from None
            raise
