"""Forms for what happens between rounds and around them: tokes, chip counts, time called, settlements by hand."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from django import forms

from ledger.forms import AmountField
from tables.forms import FloorForm, ReasonForm
from tables.models import Sitting
from tables.rules.by_hand import MOST_POINTS


class TokeForm(FloorForm):
    """What a player gives the dealer."""

    amount = AmountField()


class ChipCountForm(FloorForm):
    """A field for every stack on the felt, `seat_3`; what the books expect is not on it."""

    def __init__(self, *args: Any, sittings: Iterable[Sitting], **options: Any) -> None:
        super().__init__(*args, **options)
        self.seats = []
        for sitting in sittings:
            name = f"seat_{sitting.seat}"
            self.fields[name] = AmountField(label=f"Seat {sitting.seat}, {sitting.player}")
            self.halves = self.halves | {name}
            self.seats.append(sitting.seat)

    @property
    def counted(self) -> dict[int, int]:
        """What was counted, in cents by seat."""
        return {seat: self.cleaned_data[f"seat_{seat}"] for seat in self.seats}


class CallTimeForm(FloorForm):
    """Whose hand it is."""

    seat = forms.TypedChoiceField(coerce=int, widget=forms.RadioSelect, label="Whose hand")

    def __init__(self, *args: Any, names: Mapping[int, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["seat"].choices = [(str(seat), f"{seat}: {name}") for seat, name in names.items()]


class HandSettlementForm(ReasonForm):
    """Points for every two players of a round: who wins them, and how many."""

    beside = {"points": "points"}
    field_order = ("reason",)

    def __init__(self, *args: Any, names: Mapping[int, str], anew: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.pairs = list(combinations(names, 2))
        for one, other in self.pairs:
            winner = forms.TypedChoiceField(
                label=f"{names[one]} and {names[other]}: who wins",
                choices=[("0", "Even"), (str(one), names[one]), (str(other), names[other])],
                coerce=int,
                widget=forms.RadioSelect,
            )
            points = forms.IntegerField(
                label="Points between them",
                min_value=1,
                max_value=MOST_POINTS,
                required=False,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
            )
            self.fields[f"winner_{one}_{other}"], self.fields[f"points_{one}_{other}"] = winner, points
        lost, wrong = "Why nobody knows the cards any more.", "What was wrong with the points until now."
        self.fields["reason"].help_text = wrong if anew else lost

    def clean(self) -> dict[str, Any]:
        """Ask for points where somebody wins, and for none where it is even (`bad_entry`)."""
        cleaned = super().clean() or self.cleaned_data
        for one, other in self.pairs:
            name = f"points_{one}_{other}"
            winner, points = cleaned.get(f"winner_{one}_{other}"), cleaned.get(name)
            if winner and points is None and name not in self.errors:
                self.add_error(name, forms.ValidationError("How many points?", code="required"))
            elif winner == 0 and points:
                self.add_error(
                    name, forms.ValidationError("Even has no points: say who wins.", code="invalid")
                )
        return cleaned

    @property
    def points(self) -> list[tuple[int, int, int]]:
        """(seat, seat, what the first wins from the second), once for every pair."""
        said = []
        for one, other in self.pairs:
            winner, points = (
                self.cleaned_data[f"winner_{one}_{other}"],
                self.cleaned_data[f"points_{one}_{other}"] or 0,
            )
            said.append((one, other, points if winner == one else -points if winner == other else 0))
        return said
