"""Forms for what is put right later, signed by a second person."""

from typing import Any

from django import forms

from ledger.forms import AmountField
from tables.forms import SOURCES, SecondPersonForm


class CorrectChipsForm(SecondPersonForm):
    """What a buy-in, an add-on or a cash-out should have said; of a cash-out there is no source."""

    halves = frozenset({"second", "second_pin"})
    signers = ("approve_corrections",)

    amount = AmountField(label="Right amount")
    source = forms.ChoiceField(label="Paid", choices=SOURCES, widget=forms.RadioSelect)
    reason = forms.CharField(
        label="What was wrong", max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    field_order = ("amount", "source", "reason", "second", "second_pin")

    def __init__(self, *args: Any, source: str, **options: Any) -> None:
        super().__init__(*args, **options)
        if source:
            self.fields["source"].initial = source
        else:
            del self.fields["source"]
