"""Forms of opening, filling, closing, breaking and must-move."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse

from ledger.errors import BadAmount, CountsDiffer, Refusal
from tables.errors import NoPlace
from tables.models import Table
from tables.views.collection.forms import LimitForm, RateChoice
from tables.views.fields import FloorForm, KeyForm, PlaceField, TwoPeopleForm
from tables.views.pieces import Denominations, OneCount
from tables.views.waiting.forms import TableField

CASH_OUT = "cash-out"


class CloseForm(TwoPeopleForm):
    """Two people count the bank, each for themselves, and pull the box. Counts that differ are emptied."""

    counts: tuple[OneCount, ...] = ()
    """That of whoever closes the table, and the second person's."""

    def __init__(self, *args: Any, denominations: Denominations, **options: Any) -> None:
        super().__init__(*args, **options)
        self.counts = OneCount(self, denominations), OneCount(self, denominations, "second_")
        self.counts[0].begin()

    @property
    def counted(self) -> set[str]:
        return {field.name for count in self.counts for field in count.fields}

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
        """Refuse a count of which nothing was written (`bad_amount`): an empty bank is counted too."""
        cleaned = super().clean()
        for count in self.counts:
            if not any(field.data for field in count.fields):
                said = "Nothing was counted. If the bank is empty, write 0."
                self.add_error(count.fields[0].name, ValidationError(said, code=BadAmount.code))
        return cleaned

    def refuse(self, error: Refusal) -> None:
        """Show the refusal; nobody adjusts a count to the other one's."""
        if error.code == CountsDiffer.code:
            self.data = {name: self.data.get(name) for name in self.data if name not in self.counted}
        super().refuse(error)
        for count in self.counts[:1] if self.non_field_errors() else ():
            count.begin()


class BreakForm(CloseForm):
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
