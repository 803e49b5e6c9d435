"""Forms about rates: publishing one, and changing that of an open table."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from ledger.forms import FIRST_DAY, LAST_DAY, AmountField
from tables.errors import BadEntry
from tables.forms import FloorForm, ScheduleChoice
from tables.models import Schedule
from tables.schedules import REFERENCE_LENGTH


class PublishRateForm(FloorForm):
    """Publishing a rate: a new version of an option, or a new option of the house's own."""

    beside = {"amount": "fee"}
    halves = frozenset({"limit", "fee"})

    option = forms.ChoiceField(label="Which rate")
    limit = AmountField(help_text="A known option keeps its limit.")
    fee = AmountField(label="Fee", help_text="For each player and down of 40 minutes.")
    approval_reference = forms.CharField(
        label="Approval reference",
        max_length=REFERENCE_LENGTH,
        help_text="The letter or number under which it may be charged.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    effective_from = forms.DateField(
        label="Holds from", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, *args: Any, options: Sequence[tuple[str, str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["option"].choices = [("", "Choose"), *options, ("new", "A new option of the house's own")]

    def clean_option(self) -> int | None:
        """The number of the option, None for a new one."""
        option = self.cleaned_data["option"]
        return None if option == "new" else int(option)

    def clean_effective_from(self) -> Any:
        """A day that a calendar of this house has."""
        day = self.cleaned_data["effective_from"]
        if not FIRST_DAY <= day <= LAST_DAY:
            raise ValidationError("No rate can hold from that day.", code=BadEntry.code)
        return day


class ChangeRateForm(FloorForm):
    """Announcing another rate, limit or maximum buy-in for an open table (R64)."""

    beside = {"max_buy_in": "max_buy_in", "amount": "max_buy_in"}

    schedule = ScheduleChoice(
        Schedule.objects.none(), empty_label="Choose a limit", label="Limit and fee from the next down"
    )
    max_buy_in = AmountField(
        label="Maximum buy-in", required=False, help_text="Empty: a hundred times the limit."
    )

    def __init__(self, *args: Any, schedules: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["schedule"].queryset = schedules

    def clean(self) -> dict[str, Any]:
        """Fill in the usual maximum."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("schedule") and cleaned.get("max_buy_in") is None:
            cleaned["max_buy_in"] = 100 * cleaned["schedule"].limit_cents
        return cleaned
