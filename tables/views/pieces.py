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


class CountPieces(FloorForm):
    def __init__(self, *args: Any, denominations: dict[str, tuple[int, ...]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.denominations = denominations
        for asset, values in denominations.items():
            for value in reversed(values):
                self.fields[field_of(asset, value)] = PiecesField(value)
        begins = self.without_cursor().assets[0][1][0]  # the count starts at the top and is signed at the end
        begins.field.widget.attrs["autofocus"] = True

    @property
    def assets(self) -> list[tuple[str, list[forms.BoundField]]]:
        return [
            (asset, [self[field_of(asset, value)] for value in reversed(values)])
            for asset, values in self.denominations.items()
            if values
        ]

    @property
    def pieces(self) -> Pieces:
        counted = {
            asset: {value: self.cleaned_data[field_of(asset, value)] for value in values}
            for asset, values in self.denominations.items()
        }
        return Pieces(counted["chips"], counted["cash"])
