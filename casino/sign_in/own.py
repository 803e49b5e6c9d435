"""One's own password and PIN: set after a one-time code, changed later after the password."""

from typing import Any

from django import forms
from django.contrib.auth import authenticate, update_session_auth_hash
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest

from casino.models import Staff
from casino.roles import only_reads
from casino.sign_in import asking, coming_in, noting, places
from casino.sign_in.errors import BadPin, LockedOut, TooManyAttempts
from casino.sign_in.passwords import BadPassword
from casino.sign_in.pins import PIN_HELP, hashed, keep_pin, require_good
from ledger.errors import NotAllowed
from ledger.journal.acts import Act
from ledger.views.fields import StatusForm
from tables.views.fields import PinField


def set_own(person: Staff, *, password: str, pin: str = "", request: HttpRequest, act: Act) -> None:
    """Set one's own password, and a PIN if given; other sessions end. Refuses `bad_pin`, `stale_page`."""
    new_password, new_pin = make_password(password), hashed(pin) if pin else ""
    with transaction.atomic(), noting.acting(act):
        noting.in_turn()
        own = asking.unchanged(person)
        own.password, own.must_renew = new_password, False
        own.save(update_fields=["password", "must_renew"])
        if pin:
            keep_pin(own, new_pin, actor=act.actor, request=request)
    _go_on(own, request)
    places.end_others(person, request.session.session_key or "", act)


def _go_on(own: Staff, request: HttpRequest) -> None:
    before = request.session.session_key
    update_session_auth_hash(request, own)
    places.follow(before, request)


def password_field(label: str, fill: str, **options: Any) -> forms.CharField:
    """`fill` is the field's `autocomplete`: `current-password` or `new-password`."""
    widget = forms.PasswordInput(attrs={"autocomplete": fill, **options.pop("attrs", {})})
    return forms.CharField(strip=False, label=label, max_length=128, widget=widget, **options)


def require_password(request: HttpRequest) -> None:
    """Refuse a session that began with a PIN (`not_allowed`)."""
    if request.user.within is not None:  # type: ignore[union-attr]
        raise NotAllowed("Sign in with your password: a PIN does not open this page.")


class NewPinField(PinField):
    def clean(self, value: Any) -> str:
        digits: str = super().clean(value)
        try:
            if digits:
                require_good(digits)
        except BadPin as refused:
            raise ValidationError(refused.message, code=refused.code) from refused
        return digits


class AskedAgain(StatusForm):
    request: HttpRequest

    def clean_password(self) -> str:
        """Refuse a wrong password; it counts like one at sign-in, with the same refusals."""
        password: str = self.cleaned_data["password"]
        name = self.request.user.get_username()
        try:
            person = authenticate(self.request, username=name, password=password)
        except (TooManyAttempts, LockedOut) as refused:
            self.refused_with = refused.status
            raise ValidationError(refused.message, code=refused.code) from None
        if person is None:
            raise ValidationError("This is not your password.", code="invalid_login")
        return password


class AskedNow(AskedAgain):
    """Asks for one's own password, unless it was typed just now."""

    also_sent = frozenset({"password"})
    password = password_field("Your password", "current-password")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if coming_in.came_just_now(self.request):
            del self.fields["password"]


class OwnForm(AskedAgain):
    twice: tuple[tuple[str, str, str], ...] = ()
    """Pairs of fields that must be the same, with the code where they differ."""

    def __init__(self, *args: Any, request: HttpRequest, **options: Any) -> None:
        super().__init__(*args, **options)
        self.request = request
        self.person: Staff = request.user  # type: ignore[assignment]

    def clean_new_password(self) -> str:
        password: str = self.cleaned_data["new_password"]
        try:
            validate_password(password, self.person)
        except ValidationError as refused:
            raise ValidationError(
                [ValidationError(one, code=BadPassword.code) for one in refused.messages]
            ) from None
        return password

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for name, again, code in self.twice:
            if {name, again} <= cleaned.keys() and cleaned[name] != cleaned[again]:
                self.add_error(again, ValidationError("The two differ.", code=code))
        return cleaned

    def save(self, act: Act) -> None:
        raise NotImplementedError


class NewPinForm(OwnForm):
    twice = (("pin", "again", BadPin.code),)

    password = password_field("Your password", "current-password", attrs={"autofocus": True})
    pin = NewPinField(label="New PIN", help_text=PIN_HELP)
    again = PinField(label="New PIN again")

    def save(self, act: Act) -> None:
        new_pin = hashed(self.cleaned_data["pin"])
        with transaction.atomic():
            noting.in_turn()
            own = asking.unchanged(self.person)
            keep_pin(own, new_pin, actor=self.person, request=self.request)
        if own.by_pin:
            _go_on(own, self.request)
        places.end_others(self.person, self.request.session.session_key or "", act)


class MailForm(OwnForm):
    password = password_field("Your password", "current-password", attrs={"autofocus": True})
    email = forms.EmailField(
        required=False, max_length=254, label="Your mail address", help_text="Empty: you get no notices."
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["email"].initial = self.person.email

    def save(self, act: Act) -> None:
        """Tell both the old address and the new one."""
        with transaction.atomic():
            if self.person.email:
                noting.tell("mail_set", {"staff": self.person.pk})
            self.person.email = self.cleaned_data["email"]
            self.person.save(update_fields=["email"])
            noting.note("mail_set", act=act, staff=self.person.pk)


class NewPasswordForm(OwnForm):
    twice = (("new_password", "again", BadPassword.code),)

    password = password_field("Your password now", "current-password", attrs={"autofocus": True})
    new_password = password_field("New password", "new-password", help_text="At least 10 characters.")
    again = password_field("New password again", "new-password")

    def save(self, act: Act) -> None:
        set_own(self.person, password=self.cleaned_data["new_password"], request=self.request, act=act)


class FirstForm(OwnForm):
    """People who only read need no PIN."""

    twice = (("new_password", "again", BadPassword.code), ("pin", "pin_again", BadPin.code))

    new_password = password_field(
        "Your password", "new-password", help_text="At least 10 characters.", attrs={"autofocus": True}
    )
    again = password_field("Your password again", "new-password")
    pin = NewPinField(label="Your PIN", help_text=f"{PIN_HELP} You type it at a table.")
    pin_again = PinField(label="Your PIN again")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if only_reads(self.person):
            del self.fields["pin"], self.fields["pin_again"]

    def save(self, act: Act) -> None:
        cleaned = self.cleaned_data
        set_own(
            self.person,
            password=cleaned["new_password"],
            pin=cleaned.get("pin", ""),
            request=self.request,
            act=act,
        )
