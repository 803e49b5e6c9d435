"""Forms of opening, filling, closing, breaking and must-move."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse

from ledger.cage.seals import SEAL_LENGTH, Pulling
from ledger.views.fields import ReasonField
from tables.errors import NoPlace
from tables.models import Table
from tables.views.collection.published import LimitForm, RateChoice
from tables.views.fields import FloorForm, KeyForm, PlaceField, TwoPeopleForm
from tables.views.pieces import TwoCountsForm
from tables.views.waiting.acts import TableField

CASH_OUT = "cash-out"
SEALED = ("seal", "seal_reason", "emergency", "new_seal")


class SealedForm(TwoPeopleForm):
    """Two people pull a box, and read its seal if it has one. The form asks for a reason once the seal
    differs, for `emergency` outside the filed times, and for `new_seal` if the next box gets one."""

    seal = forms.CharField(label="Seal of the old box", max_length=SEAL_LENGTH, required=False)
    seal_reason = ReasonField(label="Why the seal differs", required=False)
    emergency = ReasonField(label="Why the box is pulled outside the filed times", required=False)
    new_seal = forms.CharField(label="Seal of the new box", max_length=SEAL_LENGTH, required=False)

    field_order = ("seal", "seal_reason", "new_seal", "emergency", "second", "second_pin")

    def __init__(self, *args: Any, asks: Collection[str], **options: Any) -> None:
        super().__init__(*args, **options)
        for name in SEALED:
            if name not in asks:
                del self.fields[name]
            else:
                self.fields[name].required = name != "seal_reason"
        self.also_sent = frozenset(SEALED)

    @property
    def plain_fields(self) -> list[forms.BoundField]:
        return [one for one in super().plain_fields if one.name != "seal_reason" or one.errors or one.value()]

    @property
    def noted(self) -> Pulling:
        said = self.cleaned_data
        return Pulling(*(said.get(name, "") for name in SEALED[:3]))


class CloseForm(TwoCountsForm, SealedForm):
    """Two people count the bank, each alone, and pull the box."""


class BreakForm(CloseForm):
    """Break a table: a place for every player, then the count."""

    folds_cash = True

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
        self.also_sent |= frozenset(name for name in self.data if name.startswith("place_"))
        self.without_cursor()  # the places come first
        for sitting in seated:
            field = WhereTo(label=f"{sitting.player}, seat {sitting.seat}")
            field.widget.choices = [("", "Choose"), (CASH_OUT, "Cash out"), *places]
            place = proposed.get(sitting.pk)
            field.initial = CASH_OUT if place is None else f"{place[0]}-{place[1]}"
            self.fields[f"place_{sitting.pk}"] = field
            self.halves = self.halves | {f"place_{sitting.pk}"}
        self.order_fields([f"place_{sitting.pk}" for sitting in seated])

    @property
    def places(self) -> dict[int, tuple[int, int] | None]:
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
    table = forms.ModelChoiceField(Table.objects.none(), label="Table")
    game = forms.ChoiceField(label="Game")
    rate = RateChoice(label="Limit and fee")
    new_seal = forms.CharField(label="Seal of the box", max_length=SEAL_LENGTH)

    field_order = ("key", "table", "game", "rate", "max_buy_in", "new_seal")

    def __init__(
        self,
        *args: Any,
        tables: Any,
        free: Any,
        games: Sequence[tuple[str, str]],
        offered: Sequence[tuple[str, str]],
        sealed: bool,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        if not sealed:
            del self.fields["new_seal"]
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
