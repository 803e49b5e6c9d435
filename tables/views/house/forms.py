"""Forms about tables and games."""

from collections.abc import Sequence
from typing import Any

from django import forms

from tables.floor.tables import HIGHEST
from tables.models import Table
from tables.views.fields import FloorForm


class SideForm(FloorForm):
    """Where seat 1 of a table is."""

    seat_one = forms.ChoiceField(
        label="Seat 1 is at",
        choices=Table.Side.choices,
        initial=Table.Side.LEFT,
        widget=forms.RadioSelect,
        help_text="Seen from the dealer. The seats are counted from there, around the table.",
    )


class AddTableForm(SideForm):
    """Entering a table."""

    number = forms.IntegerField(
        min_value=1,
        max_value=HIGHEST,
        help_text="As it stands on the table. It never changes.",
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
    )

    field_order = ("number", "seat_one")


class GamesForm(FloorForm):
    """Which games are on offer."""

    games = forms.MultipleChoiceField(label="On offer", required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, choices: Sequence[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        field: Any = self.fields["games"]
        field.choices = choices
