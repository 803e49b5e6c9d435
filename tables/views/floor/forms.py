"""Forms of opening, filling, closing, breaking and must-move."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse

from tables.errors import NoPlace
from tables.models import Table
from tables.views.collection.forms import LimitForm, RateChoice
from tables.views.fields import FloorForm, KeyForm, PlaceField
from tables.views.pieces import TwoCountsForm
from tables.views.waiting.forms import TableField

CASH_OUT = "cash-out"


class BreakForm(TwoCountsForm):
    """Break a table: a place for every player, then the count."""

    def __init__(
        self,
        *args: Any,
        seated: Sequence[Any],
        places: Sequence[tuple[str, Sequence[tuple[str, str]]]],
        proposed: Mapping[int, tuple[int, int] | None],
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.seated = seated
        # A page sent twice names places of players who have gone.
        self.also_sent = frozenset(name for name in self.data if name.startswith("place_"))
        self.without_cursor()  # the places come first
        for sitting in seated:
            field = WhereTo(label=f"{sitting.player}, seat {sitting.seat}")
            field.widget.choices = [("", "Choose"), (CASH_OUT, "Cash out"), *places]
            place = proposed.get(sitting.pk)
            field.initial = CASH_OUT if place is None else f"{place[0]}-{place[1]}"
            self.fields[f"place_{sitting.pk}"] = field
        self.order_fields([f"place_{sitting.pk}" for sitting in seated])

    @property
    def places(self) -> dict[int, tuple[int, int] | None]:
        """Where each player goes, as `break_table` takes it."""
        return {sitting.pk: self.cleaned_data[f"place_{sitting.pk}"] for sitting in self.seated}

    def clean(self) -> dict[str, Any]:
        """Refuse a seat given twice (`no_place`)."""
        cleaned = super().clean()
        given = set()
        for sitting in self.seated:
            place = cleaned.get(f"place_{sitting.pk}")
            if place is not None and place in given:
                self.add_error(
                    f"place_{sitting.pk}", ValidationError("Somebody else goes there.", code=NoPlace.code)
                )
            given.add(place)
        return cleaned


class WhereTo(PlaceField):
    """A seat at another table, or None for a cash-out."""

    def to_python(self, value: Any) -> tuple[int, int] | None:
        return None if value == CASH_OUT else super().to_python(value)

    def validate(self, value: Any) -> None:
        """Accept None, a cash-out; `clean` checks that something was chosen."""

    def clean(self, value: Any) -> tuple[int, int] | None:
        if not value:
            raise ValidationError(self.error_messages["required"], code="required")
        place: tuple[int, int] | None = super().clean(value)
        return place


class OpenTableForm(LimitForm):
    table = forms.ModelChoiceField(Table.objects.none())
    game = forms.ChoiceField()
    rate = RateChoice(label="Limit and fee")

    field_order = ("key", "table", "game", "rate", "max_buy_in")

    def __init__(
        self,
        *args: Any,
        tables: Any,
        free: Any,
        games: Sequence[tuple[str, str]],
        offered: Sequence[tuple[str, str]],
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        # Free tables are offered, all are understood: a page sent twice names a table that is open.
        table: Any = self.fields["table"]
        table.queryset = tables
        table.widget.choices = [("", "Choose a table"), *((one.pk, str(one)) for one in free)]
        game: Any = self.fields["game"]
        game.choices = games
        game.widget.choices = [("", "Choose a game"), *offered]
        # Choosing a game shows its rules beside the form; without scripts there are links.
        game.widget.attrs |= {
            "hx-get": reverse("floor-open"),
            "hx-target": "#game-rules",
            "hx-select": "#game-rules",
            "hx-swap": "outerHTML",
            "hx-sync": "this:replace",
        }


class MustMoveForm(FloorForm):
    empty = {"main": "None: players may stay"}

    main = TableField(label="Main game", required=False)


class MoveUpForm(KeyForm):
    place = PlaceField(widget=forms.HiddenInput)
