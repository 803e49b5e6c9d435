"""Forms of the manager's desk: the particulars of the house, and the first manager."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core.exceptions import ValidationError

from casino.house.first_start import FirstManager
from casino.sign_in.passwords import BadPassword
from ledger.journal.particulars import (
    CHIPS_LENGTH,
    HOURS,
    LICENCE_LENGTH,
    MOST,
    NAME_LENGTH,
    ORIGIN_LENGTH,
    SHIFTS,
    TIMES_LENGTH,
    Particulars,
    time_zones,
)
from ledger.jurisdiction import jurisdictions
from ledger.views.fields import AmountField, PlainField
from tables.views.fields import FloorForm

NO_COMPLETING = {"autocomplete": "off"}


class HouseForm(FloorForm):
    halves = frozenset({"licence", "jurisdiction", "day_starts_at", "shifts"})

    name = forms.CharField(label="Name of the house", max_length=NAME_LENGTH)
    licence = forms.CharField(
        max_length=LICENCE_LENGTH,
        help_text="Its number, as on the document.",
        widget=forms.TextInput(attrs=NO_COMPLETING | {"placeholder": "GEGE-001234"}),
    )
    jurisdiction = forms.ChoiceField(help_text="Whose limits hold.")
    time_zone = forms.CharField(
        max_length=60,
        help_text="Type a place nearby and choose from the list.",
        widget=forms.TextInput(
            attrs=NO_COMPLETING | {"list": "time-zones", "placeholder": "America/Los_Angeles"}
        ),
    )
    day_starts_at = forms.TypedChoiceField(
        label="A gaming day starts at",
        coerce=int,
        choices=[(hour, f"{hour:02}:00") for hour in HOURS],
        initial=6,
        help_text="An hour at which nobody plays, on the house's clock.",
    )
    shifts = forms.TypedChoiceField(
        label="Shifts of a gaming day",
        coerce=int,
        choices=[(shifts, str(shifts)) for shifts in SHIFTS],
        initial=1,
        help_text="Of equal length, the first from that hour on. Each is closed by two people.",
    )
    authorised_tables = forms.IntegerField(
        label="Tables authorised",
        min_value=1,
        max_value=MOST,
        initial=10,
        help_text="How many may be open at once by the licence.",
    )

    box_seals = forms.BooleanField(
        label="Drop boxes carry numbered seals",
        required=False,
        initial=True,
        help_text="Their numbers are noted, and two people bring each box into the count room. A small house"
        " may do without.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choice: Any = self.fields["jurisdiction"]
        choice.choices = [(one.code, one.title) for one in jurisdictions()]

    @property
    def time_zones(self) -> tuple[str, ...]:
        return time_zones()

    @property
    def particulars(self) -> Particulars:
        entry = self.cleaned_data
        return Particulars(
            **{name: entry[name] for name in Particulars.__dataclass_fields__ if entry.get(name) is not None}
        )


class NewHouseForm(HouseForm):
    """The particulars of a new house, and the log's name, which never changes again."""

    origin = forms.CharField(
        label="Name of the audit log",
        max_length=ORIGIN_LENGTH,
        help_text="Under a name that the house owns, as tables.example.com/log. Its signatures carry it; it "
        "never changes.",
        widget=forms.TextInput(attrs=NO_COMPLETING | {"autocapitalize": "none"}),
    )


class ParticularsForm(HouseForm):
    """All particulars. `seen` is the mark of those that the page showed."""

    beside = {"amount": "chip_values"}
    halves = HouseForm.halves | {"return_minutes", "hold_minutes"}

    return_minutes = forms.IntegerField(
        label="Minutes a buy-in is remembered",
        min_value=0,
        max_value=MOST,
        help_text="Who comes back sooner brings what they took away.",
    )
    hold_minutes = forms.IntegerField(
        label="Minutes a seat is held", min_value=0, max_value=MOST, help_text="For a player who was called."
    )
    chip_values = PlainField(
        label="The house's chips",
        required=False,
        max_length=CHIPS_LENGTH,
        help_text="What each is worth in dollars, as 0.50 1 5 25. Empty: those usual in the jurisdiction.",
    )
    drop_times = forms.CharField(
        label="Times at which boxes are pulled",
        required=False,
        max_length=TIMES_LENGTH,
        help_text="By the house's clock and as filed, as 06:00 14:00 22:00. Half an hour before and after, a"
        " pull needs no reason. Empty: none are filed.",
    )
    confirm_from_cents = AmountField(
        label="The window asks once more from",
        required=False,
        help_text="An amount that is sold, redeemed or changed. 0: as the jurisdiction's file says.",
    )
    patron_from_cents = AmountField(
        label="The patron is named from",
        required=False,
        help_text="What somebody brings or takes in a gaming day. 0: as the jurisdiction's file says.",
    )
    seen = forms.CharField(max_length=16, widget=forms.HiddenInput)


class FirstManagerForm(FloorForm):
    halves = frozenset({"password", "again"})

    full_name = forms.CharField(max_length=60, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    username = forms.CharField(
        max_length=150,
        help_text="What you sign in with, and what stands in the books.",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )
    again = forms.CharField(
        strip=False,
        label="Password again",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    @property
    def rules(self) -> list[str]:
        return password_validators_help_texts()

    @property
    def manager(self) -> FirstManager:
        entry = self.cleaned_data
        return FirstManager(entry["username"], entry["full_name"], entry["password"])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if {"password", "again"} <= cleaned.keys() and cleaned["password"] != cleaned["again"]:
            self.add_error("again", ValidationError("The two passwords differ.", code=BadPassword.code))
        return cleaned
