"""Chips and cash entered by denomination: one field for each."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from ledger.errors import BadAmount
from ledger.rules.denominations import Pieces, field_of, value_text
from tables.views.fields import FloorForm


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
"""What a house counts, in cents by asset, the smallest first."""


class OneCount:
    """One person's count: a field of the form for each denomination, all with this `prefix`."""

    def __init__(self, form: FloorForm, denominations: Denominations, prefix: str = "") -> None:
        self._form, self._denominations, self._prefix = form, denominations, prefix
        for asset, values in denominations.items():
            for value in reversed(values):
                form.fields[self._name(asset, value)] = PiecesField(value)

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
    def pieces(self) -> Pieces:
        counted = {
            asset: {value: self._form.cleaned_data[self._name(asset, value)] for value in values}
            for asset, values in self._denominations.items()
        }
        return Pieces(counted["chips"], counted["cash"])

    def begin(self) -> None:
        """Put the cursor on top of this count, instead of where it was."""
        self._form.without_cursor()
        self.fields[0].field.widget.attrs["autofocus"] = True

    def _name(self, asset: str, value: int) -> str:
        return self._prefix + field_of(asset, value)


class CountPieces(FloorForm):
    def __init__(self, *args: Any, denominations: Denominations, **options: Any) -> None:
        super().__init__(*args, **options)
        self.count = OneCount(self, denominations)
        self.count.begin()  # the count starts at the top and is signed at the end

    @property
    def assets(self) -> list[tuple[str, list[forms.BoundField]]]:
        return self.count.assets

    @property
    def pieces(self) -> Pieces:
        return self.count.pieces
