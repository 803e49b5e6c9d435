"""The forms of closing and of breaking a table: the count of its bank by two people, and where everybody goes."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from ledger.forms import AmountField
from tables.errors import NoPlace
from tables.forms import PlaceField, TwoPeopleForm

CASH_OUT = "cash-out"


class CloseForm(TwoPeopleForm):
    """Counting the bank and pulling the box. What should be there is not shown before the count has been typed.

    Where the two differ, the answer says by how much, and asks for the cause.
    """

    halves = frozenset({"chips", "cash", *TwoPeopleForm.halves})

    chips = AmountField(label="Chips counted")
    cash = AmountField(label="Cash counted")
    cause = forms.CharField(
        label="Cause of the difference", required=False, max_length=200, widget=forms.HiddenInput
    )

    field_order = ("chips", "cash", "cause", "second", "second_pin")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.data.get("cause"):
            self.ask_cause()

    def ask_cause(self) -> None:
        """Show the field of the cause: there is a difference."""
        self.fields["cause"].widget = forms.TextInput(attrs={"autocomplete": "off"})
        self.fields["cause"].required = True

    def refuse(self, error: Any) -> None:
        """As for every form; a difference brings up the field for its cause."""
        if error.field == "cause":
            self.ask_cause()
        super().refuse(error)


class BreakForm(CloseForm):
    """Breaking a table: a place for everybody who sits there, then the count."""

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
        self.fields["chips"].widget.attrs.pop("autofocus", None)  # the places come first
        for sitting in seated:
            field = WhereTo(label=f"{sitting.player}, seat {sitting.seat}")
            field.widget.choices = [("", "Choose"), (CASH_OUT, "Cash out"), *places]
            place = proposed.get(sitting.pk)
            field.initial = CASH_OUT if place is None else f"{place[0]}-{place[1]}"
            self.fields[f"place_{sitting.pk}"] = field
        self.order_fields([*(f"place_{sitting.pk}" for sitting in seated), *self.field_order])

    @property
    def places(self) -> dict[int, tuple[int, int] | None]:
        """Where everybody goes, as `break_table` takes it."""
        return {sitting.pk: self.cleaned_data[f"place_{sitting.pk}"] for sitting in self.seated}

    def clean(self) -> dict[str, Any]:
        """Refuse a seat that two are given (`no_place`)."""
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
        """None is a cash-out; `clean` has seen that something was chosen."""

    def clean(self, value: Any) -> tuple[int, int] | None:
        if not value:
            raise ValidationError(self.error_messages["required"], code="required")
        return super().clean(value)
