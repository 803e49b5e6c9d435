"""Forms about fees that are not taken: waiving one, and publishing a reason for that."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from ledger.forms import FIRST_DAY, LAST_DAY
from tables.errors import BadEntry
from tables.forms import FloorForm
from tables.models import WaiverReason
from tables.waivers import CODE_LENGTH, REFERENCE_LENGTH, TEXT_LENGTH

CURRENT = "now"


class WaiveForm(FloorForm):
    """Waiving one of the fees that a player owes, for a published reason."""

    fee = forms.ChoiceField(label="Fee", widget=forms.RadioSelect)
    reason = forms.ModelChoiceField(WaiverReason.objects.none(), empty_label="Choose a published reason")

    def __init__(
        self, *args: Any, fees: Sequence[tuple[str, str]], reasons: Any, site: Any, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.fields["fee"].widget.choices = self.offered = list(fees)
        self.fields["fee"].initial = fees[0][0] if fees else CURRENT
        if not fees:
            self.fields["fee"].widget = forms.HiddenInput()
        # A page that is sent twice may name what is not offered any more: the verb says what became of it.
        self.fields["fee"].valid_value = lambda value: (
            value == CURRENT or (value.isascii() and value.isdigit())
        )
        self.fields["reason"].queryset = WaiverReason.objects.filter(site=site)
        self.fields["reason"].widget.choices = [
            ("", "Choose a published reason"),
            *((reason.pk, reason.text) for reason in reasons),
        ]

    def clean_fee(self) -> int | None:
        """The id of the charge, None for the fee of the down that runs."""
        fee = self.cleaned_data["fee"]
        return None if fee == CURRENT else int(fee)


class CashForm(FloorForm):
    """Taking what the board says is due, in cash; `cents` is what the page showed."""

    cents = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class PublishReasonForm(FloorForm):
    """Publishing a reason for which fees may be waived."""

    halves = frozenset({"code", "effective_from"})

    text = forms.CharField(
        label="Reason",
        max_length=TEXT_LENGTH,
        help_text="As it will stand on every paper.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    code = forms.CharField(
        max_length=CODE_LENGTH,
        help_text="Small letters and hyphens.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    approval_reference = forms.CharField(
        label="Approval reference",
        max_length=REFERENCE_LENGTH,
        help_text="The letter or number under which it may be used.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    effective_from = forms.DateField(
        label="Holds from", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def clean_effective_from(self) -> Any:
        """A day that a calendar of this house has."""
        day = self.cleaned_data["effective_from"]
        if not FIRST_DAY <= day <= LAST_DAY:
            raise ValidationError("No reason can hold from that day.", code=BadEntry.code)
        return day
