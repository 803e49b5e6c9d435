"""Forms about staff: hiring, changing a person, and acts that a second person signs."""

from collections.abc import Collection
from typing import Any

from django import forms

from casino.models import LONGEST_BADGE, LONGEST_NAME, Staff
from casino.roles import ROLES
from casino.sign_in import coming_in
from casino.sign_in.own import AskedNow
from casino.staff.hiring import APPROVERS
from casino.staff.reviewing import REVIEWERS
from ledger.views.fields import DJANGO_CODES, FIRST_DAY, LAST_DAY, BooksForm, CalendarField, PlainField
from tables.views.fields import SecondPersonForm

LONGEST_USERNAME = 30
# Shown beside each role's box.
WORK = {
    "floor": "runs the tables and approves",
    "dealer": "deals and takes the fees",
    "cashier": "works the cage and signs boxes off",
    "counter": "counts drop boxes",
    "compliance": "keeps the exclusion list",
    "regulator": "reads everything, changes nothing",
    "manager": "keeps the staff, rates and sheets",
}


class SignedForm(SecondPersonForm):
    """A form that a second person signs, not the one it is `about`; nobody while the actor is `alone`."""

    codes = DJANGO_CODES
    signers: Collection[str] = APPROVERS
    halves = frozenset({"second", "second_pin"})
    also_sent = halves

    def __init__(self, *args: Any, alone: bool = False, about: Staff | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.offered = [name for name in self.offered if about is None or name != about.username]
        choices = self.fields["second"].widget.choices
        self.fields["second"].widget.choices = [
            (name, label) for name, label in choices if not name or name in self.offered
        ]
        if alone:
            del self.fields["second"], self.fields["second_pin"]


class AccessForm(SignedForm):
    """A review of access; `alone` is who gives no rights."""

    signers = REVIEWERS


class CodeForm(AskedNow, SignedForm):
    also_sent = SignedForm.also_sent | AskedNow.also_sent

    def clean_password(self) -> str:
        password = super().clean_password()
        coming_in.proved_again(self.request)
        return password


class PersonForm(SignedForm):
    """A person's data. Nobody changes their own roles, so `own` omits them."""

    second_needed = False

    full_name = forms.CharField(max_length=LONGEST_NAME, label="Full name")
    badge = PlainField(required=False, max_length=LONGEST_BADGE, label="Licence or badge number")
    badge_expires = CalendarField(
        required=False, label="Valid until", help_text="The last day on which it is valid."
    )
    roles = forms.MultipleChoiceField(
        required=False,
        choices=[(role, f"{role.capitalize()}: {WORK[role]}") for role in ROLES],
        widget=forms.CheckboxSelectMultiple,
    )

    field_order = (
        *("username", "full_name", "badge", "badge_expires", "roles"),
        *("second", "second_pin", "password"),
    )

    def __init__(self, *args: Any, own: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["full_name"].widget.attrs.update({"autocomplete": "off", "dir": "auto"})
        for field in self.fields.values():
            field.error_messages["required"] = f"{field.label}: this is missing."
        if own:
            del self.fields["roles"]

    def clean_badge_expires(self) -> Any:
        day = self.cleaned_data["badge_expires"]
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            raise forms.ValidationError("This is no day on which a badge could expire.", code="invalid")
        return day

    def entry(self) -> dict[str, Any]:
        """Return the verb's arguments; `roles` only if the form had them."""
        of_the_act = {"key", "password", *self.halves}
        entry = {name: value for name, value in self.cleaned_data.items() if name not in of_the_act}
        if "roles" in entry:
            entry["roles"] = frozenset(entry["roles"])
        return entry


class HireForm(CodeForm, PersonForm):
    second_needed = True

    username = forms.CharField(
        max_length=LONGEST_USERNAME,
        help_text="They sign in by it, and every record names them so. It never changes.",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )


class ActForm(BooksForm): ...
