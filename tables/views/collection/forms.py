"""Forms of the collection: paying, waiving, publishing rates and reasons."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from ledger.money import dollars
from ledger.views.fields import FIRST_DAY, LAST_DAY, AmountField, CalendarField, PlainField
from tables.collection.rates import REFERENCE_LENGTH
from tables.collection.waivers import CODE_LENGTH, TEXT_LENGTH
from tables.errors import BadEntry
from tables.models import Rate, WaiverReason
from tables.rules.table.paying import AT_A_TABLE, Method
from tables.views.fields import FloorForm

CURRENT = "now"


class WaiveForm(FloorForm):
    fee = forms.ChoiceField(label="Fee", widget=forms.RadioSelect)
    reason = forms.ModelChoiceField(WaiverReason.objects.none(), empty_label="Choose a published reason")

    def __init__(
        self, *args: Any, fees: Sequence[tuple[str, str]], reasons: Any, site: Any, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        fee: Any = self.fields["fee"]
        fee.widget.choices = self.offered = list(fees)
        fee.initial = fees[0][0] if fees else CURRENT
        if not fees:
            fee.widget = forms.HiddenInput()
        # A page sent twice may name a fee that is no longer offered; the verb decides.
        fee.valid_value = lambda value: value == CURRENT or (value.isascii() and value.isdigit())
        reason: Any = self.fields["reason"]
        reason.queryset = WaiverReason.objects.filter(site=site)
        reason.widget.choices = [
            ("", "Choose a published reason"),
            *((one.pk, one.text) for one in reasons),
        ]

    def clean_fee(self) -> int | None:
        """Return the id of the charge, None for the fee of the running down."""
        fee = self.cleaned_data["fee"]
        return None if fee == CURRENT else int(fee)


class CashForm(FloorForm):
    cents = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class HoldsFromField(CalendarField):
    """The day from which a published rate or reason holds, within the calendar."""

    def __init__(self, what: str) -> None:
        super().__init__(label="Holds from")
        self.what = what

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value and not FIRST_DAY <= value <= LAST_DAY:
            raise ValidationError(f"No {self.what} can hold from that day.", code=BadEntry.code)


class PublishReasonForm(FloorForm):
    halves = frozenset({"code", "effective_from"})

    text = PlainField(label="Reason", max_length=TEXT_LENGTH, help_text="Every paper shows this wording.")
    code = PlainField(max_length=CODE_LENGTH, help_text="Small letters and hyphens.")
    approval_reference = PlainField(
        label="Approval reference",
        max_length=REFERENCE_LENGTH,
        help_text="The letter or number under which it may be used.",
    )
    effective_from = HoldsFromField("reason")


class PayForm(FloorForm):
    method = forms.ChoiceField(
        label="Paid", choices=AT_A_TABLE, initial=Method.STACK, widget=forms.RadioSelect
    )


class PublishRateForm(FloorForm):
    """A new version of a rate's option, or a new option of the house."""

    beside = {"amount": "fee"}
    halves = frozenset({"limit", "fee"})
    empty = {"option": "Choose"}

    option = forms.ChoiceField(label="Which rate")
    limit = AmountField(help_text="A known option keeps its limit.")
    fee = AmountField(label="Fee", help_text="For each player and down of 40 minutes.")
    approval_reference = PlainField(
        label="Approval reference",
        max_length=REFERENCE_LENGTH,
        help_text="The letter or number under which it may be charged.",
    )
    effective_from = HoldsFromField("rate")

    def clean_option(self) -> int | None:
        """Return the number of the option, None for a new one."""
        option = self.cleaned_data["option"]
        return None if option == "new" else int(option)


class RateChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    def __init__(self, **options: Any) -> None:
        super().__init__(Rate.objects.none(), empty_label="Choose a limit", **options)

    def label_from_instance(self, rate: Rate) -> str:
        return (
            f"Limit {dollars(rate.limit_cents)}, fee {dollars(rate.fee_cents)} per player and down "
            f"(option {rate.option}, version {rate.version})"
        )


class LimitForm(FloorForm):
    """A limit with its fee, one of `rates`, and the maximum buy-in: 100 times the limit by default."""

    beside = {"max_buy_in": "max_buy_in", "amount": "max_buy_in"}

    rate = RateChoice(label="Limit and fee from the next down")
    max_buy_in = AmountField(
        label="Maximum buy-in", required=False, help_text="Empty: a hundred times the limit."
    )

    def __init__(self, *args: Any, rates: Iterable[Rate], **options: Any) -> None:
        super().__init__(*args, **options)
        rate: Any = self.fields["rate"]
        held = Rate.objects.filter(pk__in=[one.pk for one in rates])
        rate.queryset = held.order_by("limit_cents", "option")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("rate") and cleaned.get("max_buy_in") is None:
            cleaned["max_buy_in"] = 100 * cleaned["rate"].limit_cents
        return cleaned
