"""Authentication by password or one-time code, and the passwords that are refused."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from casino.demo import people
from casino.models import Staff
from casino.sign_in import asking
from casino.sign_in.attempts import At, Attempt
from casino.sign_in.codes import use_code
from casino.sign_in.errors import LockedOut, TooManyAttempts
from ledger.errors import LedgerError
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
