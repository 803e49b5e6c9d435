"""Form fields and the base of every form about the books: amounts, keys, refusals."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Self
from uuid import uuid4

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.urls import reverse

from ledger import lengths
from ledger.errors import (
    BadAmount,
    BadText,
    CountsDiffer,
    InsufficientFunds,
    KeyReused,
    NotAsSent,
    Question,
    Refusal,
)
from ledger.money import amount_text, parse_amount
from ledger.rules.denominations import foreign

# The error codes of the books for those of Django's own fields.
DJANGO_CODES = dict.fromkeys(
    ("required", "invalid", "min_length", "max_length", "null_characters_not_allowed"), BadText.code
)

FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2199, 12, 31)

CSRF_TOKEN = "csrfmiddlewaretoken"  # noqa: S105  (the name of the field that Django adds to every form)
ASKED, ANSWER = "asked", "answer"
"""The fields of a form that asked something: what, and the answer."""
_RENEWED = (KeyReused.code, NotAsSent.code, CountsDiffer.code)
OPENED_BY = "opened_by"
"""The field of every form, and the header `X-Opened-By`: who was signed in when the page was opened."""
LONGEST_NAME = 30


def new_key() -> str:
    """Return a key for one act; a page that is sent twice has one key, and so acts once."""
    return uuid4().hex


class AmountField(forms.CharField):
    """An amount in dollars as text; its value is whole cents. Refuses as `parse_amount` does."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "placeholder": "0.00"})

    def to_python(self, value: Any) -> int | None:  # type: ignore[override]
        """Return whole cents, or None if optional and empty. Raises ValidationError."""
        text = super().to_python(value)
        if not text:
            if self.required:
                raise ValidationError(f"{self.label or 'The amount'} is missing.", code=BadAmount.code)
            return None
        try:
            return parse_amount(text)
        except BadAmount as error:
            raise ValidationError(error.message, code=error.code) from error

    def prepare_value(self, value: Any) -> Any:
        return amount_text(value) if isinstance(value, int) else value


def suggest_players(form: forms.Form) -> None:
    """Make the fields for name and card number suggest players while typing (js/suggest.js)."""
    for name in ("name", "number"):
        attrs = {"autocomplete": "off", "data-suggest": reverse("suggest-players")}
        form.fields[name].widget.attrs |= attrs | ({"dir": "auto"} if name == "name" else {})


class KnownField(forms.IntegerField):
    """The id of a player chosen from the suggestions; hidden, and empty if nobody was."""

    def __init__(self) -> None:
        super().__init__(required=False, min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput)


def unmeant(sent: QueryDict, known: Collection[str], several: Collection[str] = ()) -> str:
    """Return a complaint about a key that the form does not know, or that occurs twice and is not in
    `several`; else "". A typo must not be ignored, and of two values nobody knows which was meant."""
    for name in sent:
        shown = name[:LONGEST_NAME] if name.isprintable() else ascii(name[:LONGEST_NAME])
        if name not in known and name not in (CSRF_TOKEN, OPENED_BY):
            return (
                foreign(name, known)
                or f"{shown} means nothing here. There is {', '.join(known) or 'no key'}."
            )
        if len(sent.getlist(name)) > 1 and name not in several:
            return f"{shown} occurs twice."
    return ""


def require_nothing_sent(sent: QueryDict) -> None:
    if wrong := unmeant(sent, ()):
        raise BadText(wrong)


class CodedForm(forms.Form):
    """A form with this house's error `codes` for Django's own fields."""

    codes: ClassVar[Mapping[str, str]] = {}

    def full_clean(self) -> None:
        super().full_clean()
        for errors in self.errors.values():
            for error in errors.as_data():
                error.code = self.codes.get(error.code or "", error.code)


class StatusForm(CodedForm):
    """A form with the HTTP status of its page. It refuses unknown keys, but for those in `also_sent`."""

    also_sent: frozenset[str] = frozenset()
    refused_with: int | None = None

    def full_clean(self) -> None:
        """Check the keys first: with an unknown key nothing is tried, no PIN and no code."""
        wrong = self.unmeant_key()
        if wrong:
            self._errors, self.cleaned_data = ErrorDict(), {}
            self.add_error(None, ValidationError(wrong, code=BadText.code))
        else:
            super().full_clean()

    def unmeant_key(self) -> str:
        if not isinstance(self.data, QueryDict):
            return ""
        names = {self.add_prefix(name): field for name, field in self.fields.items()}
        several = {
            name for name, field in names.items() if getattr(field.widget, "allow_multiple_selected", False)
        }
        return unmeant(self.data, [*names, *self.also_sent], several)

    @property
    def status(self) -> int:
        return self.refused_with or (400 if self.errors else 200)

    def refusals(self) -> list[tuple[str, str]]:
        """Return the sentence and the code of every error."""
        errors = [error for beside in self.errors.values() for error in beside.as_data()]
        return [(sentence, error.code or "") for error in errors for sentence in error.messages]

    def add_error(self, field: str | None, error: Any) -> None:
        """Add the error; put the cursor into the first wrong field, else the secret to be typed again."""
        super().add_error(field, error)
        wrong = [name for name in self.fields if name in self.errors]
        # A secret that may stay empty can be folded away, where no cursor can be.
        needed = [name for name, each in self.fields.items() if each.required]
        secret = [name for name in needed if isinstance(self.fields[name].widget, forms.PasswordInput)]
        widgets = [self.fields[name].widget for name in wrong or secret]
        if widgets and not widgets[0].is_hidden and not widgets[0].use_fieldset:
            self.without_cursor()
            widgets[0].attrs["autofocus"] = True

    def without_cursor(self) -> Self:
        for field in self.fields.values():
            field.widget.attrs.pop("autofocus", None)
        return self

    def refuse_unread(self, refusal: Refusal) -> None:
        """Show a refusal without validating the entry: no field is judged, and no PIN is tried."""
        self._errors, self.cleaned_data = ErrorDict(), {}
        self.show_refusal(refusal)

    def refuse(self, error: Refusal) -> None:
        """Show what a verb refused beside the field that it names, else on top of the form."""
        self._show_beside(error, error.field)

    def _show_beside(self, error: Refusal, name: str | None) -> None:
        shown = name in self.fields and not self.fields[name].widget.is_hidden
        self.show_refusal(error, name if shown else None)

    def show_refusal(self, refusal: Refusal, field: str | None = None) -> None:
        self.add_error(field, ValidationError(refusal.message, code=refusal.code))
        self.refused_with = refusal.status


@dataclass(frozen=True)
class FormQuestion:
    """A question in a form: the answers that may be chosen, and what it is about, signed for the way back."""

    question: Question

    @property
    def token(self) -> str:
        return signing.dumps(self.question.about, salt=ASKED)


class BooksForm(StatusForm):
    """A form for one verb. `beside` maps fields of the verb to form fields that show their refusals. Refusals
    with a code of `about_money` stand beside the amount."""

    codes = DJANGO_CODES
    beside: ClassVar[Mapping[str, str]] = {}
    about_money: ClassVar[Collection[str]] = (BadAmount.code, InsufficientFunds.code)

    key = forms.CharField(min_length=8, max_length=64, initial=new_key, widget=forms.HiddenInput)
    asked: FormQuestion | None = None
    """What a verb asks, and the form shows until it is answered."""

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"]
        if not re.fullmatch(lengths.SENT_KEY, key):
            raise ValidationError(
                "The key must be a text of 8 to 64 characters without a slash.", code="invalid"
            )
        return key

    def unmeant_key(self) -> str:
        self.also_sent = self.also_sent | {ASKED, ANSWER}
        return super().unmeant_key()

    def answered(self, about: str) -> dict[str, Any]:
        """Return what was asked about a thing of this name (`exclusion`), with the answer as `said`; empty if
        nothing was. What was asked is signed, so it was asked by this house."""
        try:
            asked = signing.loads(self.data.get(ASKED) or "", salt=ASKED)
        except signing.BadSignature:
            return {}
        said = self.data.get(ANSWER)
        return asked | {"said": said} if about in asked and said else {}

    @property
    def entered(self) -> dict[str, Any]:
        """Return what was entered, by field, as parameters of a verb; the key is its act's."""
        return {name: value for name, value in self.cleaned_data.items() if name != "key"}

    def full_clean(self) -> None:
        """Check all fields; the errors of hidden ones stand on top."""
        super().full_clean()
        for field in self.hidden_fields():
            if field.name in self.errors:
                self.add_error(None, self.errors.pop(field.name).as_data())
                self.renew_key()

    def refuse(self, error: Refusal) -> None:
        if error.question is not None:
            self.asked = FormQuestion(error.question)
        name = self.beside.get(error.field or "", error.field)
        if error.code in self.about_money and name not in self.fields:
            name = self.beside.get("amount", "amount")
        if error.code in _RENEWED:
            # What was sent stands; sending this page again is then deliberate, and gets a key of its own.
            self.renew_key()
        self._show_beside(error, name)

    def renew_key(self) -> None:
        self.data = {**{name: self.data.get(name) for name in self.data}, "key": new_key()}


class PlainField(forms.CharField):
    widget = forms.TextInput(attrs={"autocomplete": "off"})


class ReasonField(PlainField):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": lengths.REASON} | options)


class CalendarField(forms.DateField):
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
