"""Forms about people: hiring somebody, changing what the house knows of them, and the acts that need no words."""

from typing import Any

from django import forms

from casino.models import LONGEST_BADGE, LONGEST_NAME
from casino.roles import ROLES
from ledger.views.fields import FIRST_DAY, LAST_DAY, BooksForm, CalendarField, PlainField

LONGEST_USERNAME = 30
# What each role does here, beside its box.
WORK = {
    "floor": "runs the tables and approves",
    "dealer": "deals and takes the fees",
    "cashier": "works the cage and signs boxes off",
    "counter": "counts drop boxes",
    "compliance": "keeps the exclusion list",
    "regulator": "reads everything, changes nothing",
    "manager": "keeps the staff, rates and sheets",
}


class PersonForm(BooksForm):
    """What the house knows of somebody. Nobody changes their own roles, so `own` leaves them out."""

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

    def __init__(self, *args: Any, own: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["full_name"].widget.attrs.update({"autocomplete": "off", "dir": "auto"})
        for field in self.fields.values():
            field.error_messages["required"] = f"{field.label}: this is missing."
        if own:
            del self.fields["roles"]

    def clean_badge_expires(self) -> Any:
        """Refuse a year that somebody mistyped (`bad_text`)."""
        day = self.cleaned_data["badge_expires"]
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            raise forms.ValidationError("This is no day on which a badge could expire.", code="invalid")
        return day

    def entry(self) -> dict[str, Any]:
        """What the verb takes; roles only where they were asked for."""
        entry = {name: value for name, value in self.cleaned_data.items() if name != "key"}
        if "roles" in entry:
            entry["roles"] = frozenset(entry["roles"])
        return entry


class HireForm(PersonForm):
    """Somebody new: also the name by which they sign in, which stays theirs."""

    username = forms.CharField(
        max_length=LONGEST_USERNAME,
        help_text="They sign in by it, and every record names them so. It never changes.",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false", "autofocus": True}
        ),
    )

    field_order = ("username", "full_name", "badge", "badge_expires", "roles")


class ActForm(BooksForm):
    """An act about somebody that needs no words."""
