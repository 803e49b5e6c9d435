"""Chips and cash entered by denomination: one field for each."""

import re
from dataclasses import replace
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from ledger.errors import BadAmount, ConfirmCount, CountsDiffer, NotAsSent, Refusal
from ledger.rules.denominations import Pieces, field_of, value_text
from ledger.views.fields import BooksForm
from tables.views.fields import FloorForm, TwoPeopleForm


class PiecesField(forms.CharField):
    def __init__(self, cents: int) -> None:
        inputs = {"inputmode": "numeric", "autocomplete": "off", "placeholder": "0", "data-value": cents}
        super().__init__(required=False, label=value_text(cents), widget=forms.TextInput(attrs=inputs))

    def to_python(self, value: Any) -> int:  # type: ignore[override]
        text = (super().to_python(value) or "").strip()
        if not re.fullmatch(r"[0-9]{0,9}", text, re.ASCII):
            raise ValidationError("Count whole pieces, from 0 up.", code=BadAmount.code)
        return int(text or 0)


Denominations = dict[str, tuple[int, ...]]
"""The denominations that a house counts, in cents by asset, the smallest first."""


class OneCount:
    """One person's count: a field of the form for each denomination, all with this `prefix`."""

    def __init__(self, form: BooksForm, denominations: Denominations, prefix: str = "") -> None:
        self._form, self._denominations, self._prefix = form, denominations, prefix
        for asset, values in denominations.items():
            for value in reversed(values):
                form.fields[self._name(asset, value)] = PiecesField(value)
        form.fields[f"{prefix}confirmed"] = forms.IntegerField(required=False, widget=forms.HiddenInput)

    @property
    def assets(self) -> list[tuple[str, list[forms.BoundField]]]:
        return [
            (asset, [self._form[self._name(asset, value)] for value in reversed(values)])
            for asset, values in self._denominations.items()
            if values
        ]

    @property
    def fields(self) -> list[forms.BoundField]:
        return [field for _, fields in self.assets for field in fields]

    @property
    def has_cash(self) -> bool:
        cash = [fields for asset, fields in self.assets if asset == "cash"]
        return any(field.value() or field.errors for fields in cash for field in fields)

    @property
    def pieces(self) -> Pieces:
        counted = {
            asset: {value: self._form.cleaned_data[self._name(asset, value)] for value in values}
            for asset, values in self._denominations.items()
        }
        found = Pieces(counted["chips"], counted["cash"])
        confirmed = self._form.cleaned_data[self.said_again.name]
        return replace(found, meant=confirmed == found.chips_cents + found.cash_cents)

    @property
    def said_again(self) -> forms.BoundField:
        """The hidden field with the amount of the count when the form asked for it again."""
        return self._form[f"{self._prefix}confirmed"]

    def require_written(self, if_nothing: str) -> None:
        """Add an error (`bad_amount`) if no field was filled in, not even with a zero."""
        if not any(field.data for field in self.fields):
            said = f"Nothing was counted. {if_nothing}"
            self._form.add_error(self.fields[0].name, ValidationError(said, code=BadAmount.code))

    def empty(self) -> None:
        """Empty the fields: a second count begins from nothing, and nobody adjusts a figure."""
        typed = {field.name for field in (*self.fields, self.said_again)}
        sent = self._form.data
        self._form.data = {name: sent.get(name) for name in sent if name not in typed}

    def ask_again(self, error: Refusal) -> None:
        """After this refusal, accept the same count as meant if it is sent once more."""
        if error.code == ConfirmCount.code and error.field in {field.name for field in self.fields}:
            found, sent = self.pieces, cast(QueryDict, self._form.data).copy()
            sent[self.said_again.name] = str(found.chips_cents + found.cash_cents)
            self._form.data = sent

    @property
    def wrong(self) -> bool:
        return any(field.errors for field in self.fields)

    def begin(self) -> None:
        """Put the cursor on top of this count, instead of where it was."""
        self._form.without_cursor()
        self.fields[0].field.widget.attrs["autofocus"] = True

    def _name(self, asset: str, value: int) -> str:
        return self._prefix + field_of(asset, value)


class CountPieces(FloorForm):
    """One person's count, emptied if it is to be made again. An empty place is counted with a zero."""

    if_nothing = ""

    def __init__(self, *args: Any, denominations: Denominations, **options: Any) -> None:
        super().__init__(*args, **options)
        self.count = OneCount(self, denominations)
        self.count.begin()  # the count starts at the top and is signed at the end

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if self.if_nothing:
            self.count.require_written(self.if_nothing)
        return cleaned or self.cleaned_data

    def refuse(self, error: Refusal) -> None:
        if error.code in (CountsDiffer.code, NotAsSent.code):
            self.count.empty()
        self.count.ask_again(error)
        super().refuse(error)

    @property
    def assets(self) -> list[tuple[str, list[forms.BoundField]]]:
        return self.count.assets

    @property
    def pieces(self) -> Pieces:
        return self.count.pieces


class TwoCountsForm(TwoPeopleForm):
    """Two people count, each alone. Counts that differ are emptied."""

    folds_cash = False
    """Whether cash lies folded, where what comes before the counts is long."""
    counts: tuple[OneCount, ...] = ()
    """The count of the acting person, and the second person's."""

    def __init__(self, *args: Any, denominations: Denominations, **options: Any) -> None:
        super().__init__(*args, **options)
        self.counts = OneCount(self, denominations), OneCount(self, denominations, "second_")
        self.counts[0].begin()

    @property
    def counted(self) -> set[str]:
        return {field.name for count in self.counts for field in (*count.fields, count.said_again)}

    @property
    def plain_fields(self) -> list[forms.BoundField]:
        """The fields that are not the first person's count, nor the second person's."""
        theirs = self.counted | {"second", "second_pin"}
        return [field for field in super().plain_fields if field.name not in theirs]

    @property
    def second_open(self) -> bool:
        """Whether the second person's part is shown instead of the first one's."""
        first, second = self.counts
        theirs = (self["second"], self["second_pin"], *second.fields)
        return not any(field.errors for field in first.fields) and any(field.errors for field in theirs)

    def clean(self) -> dict[str, Any]:
        """Refuse a count without any entry (`bad_amount`): an empty bank is counted too."""
        cleaned = super().clean()
        for count in self.counts:
            count.require_written("If the bank is empty, write 0.")
        return cleaned

    def refuse(self, error: Refusal) -> None:
        """Show the refusal. Counts that differ are emptied: nobody adjusts one to the other."""
        for count in self.counts:
            if error.code == CountsDiffer.code:
                count.empty()
            count.ask_again(error)
        super().refuse(error)
        for count in self.counts[:1] if self.non_field_errors() else ():
            count.begin()
