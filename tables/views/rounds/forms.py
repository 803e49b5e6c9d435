"""Forms of rounds and pushes."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError

from ledger.errors import Refusal
from ledger.rights import DEAL
from tables.errors import DealerInRound
from tables.rules.game.by_hand import MOST_POINTS
from tables.views.fields import FloorForm, PinField, ReasonForm, by_full_name, dealer_of, proved, with_pins

NOBODY, STRANGER = "(nobody)", "(stranger)"  # staff names have no brackets


class PushForm(FloorForm):
    """The dealer who comes in at a table, with their PIN; `dealer` is None if nobody comes."""

    beside: ClassVar = {"dealer": "comes"}
    use_required_attribute = False  # without a dealer there is no PIN to type
    halves = frozenset({"comes", "pin"})

    comes = forms.CharField(label="Who comes in", max_length=150, widget=forms.Select)
    pin = PinField(label="Their PIN")

    def __init__(self, *args: Any, session: Any, next_dealer: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.dealer = None
        people = by_full_name(one for one in with_pins(DEAL) if one.pk != session.dealer_id)
        self.offered = [username for username, _ in people]
        self.fields["comes"].widget.choices = [("", "Choose a dealer"), *people]
        if session.dealer_id is not None:
            self.fields["comes"].widget.choices.append((NOBODY, "Nobody yet"))
        if next_dealer is not None and next_dealer.get_username() in self.offered:
            self.initial["comes"] = next_dealer.get_username()
            self.fields["comes"].help_text = f"{next_dealer} is next in line."
        if "leave_round" in self.data:
            self._ask_to_leave()

    def refuse(self, error: Refusal) -> None:
        """Show the refusal; offer a tick to push a dealer who is in a round."""
        super().refuse(error)
        if error.code == DealerInRound.code:
            self._ask_to_leave()

    def _ask_to_leave(self) -> None:
        self.fields["leave_round"] = forms.BooleanField(
            required=False, label="Push anyway: the floor finds that round another dealer"
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        comes, pin = cleaned.get("comes"), cleaned.get("pin")
        if comes == NOBODY:
            self.errors.pop("pin", None)
        elif comes and pin:
            self.dealer = proved(self, self.request, comes, "pin", self.offered)
        return cleaned


class HandOverForm(PushForm):
    """The same at the tablet: a badge that is read or typed, with its PIN; names are folded away."""

    halves = frozenset({"badge", "pin"})
    seldom = frozenset({"comes"})
    field_order = ("badge", "pin", "comes")

    badge = forms.CharField(
        label="Badge or username of the dealer who comes in",
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["comes"].required = False
        self.fields["comes"].label = "Or choose who comes in"

    def clean(self) -> dict[str, Any]:
        badge, chosen = self.cleaned_data.get("badge"), self.cleaned_data.get("comes")
        if badge:
            self.cleaned_data["comes"] = dealer_of(badge) or STRANGER
        elif not chosen:
            self.add_error("badge", ValidationError("Whose badge?", code="required"))
        return super().clean()


class OwnPinForm(FloorForm):
    pin = PinField(label="Your PIN")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("pin"):
            name = self.request.user.get_username()
            proved(self, self.request, name, "pin", [name])
        return cleaned


class CallTimeForm(FloorForm):
    seat = forms.TypedChoiceField(coerce=int, widget=forms.RadioSelect, label="Whose hand")


class PointsForm(ReasonForm):
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
        """Require points where somebody wins, and none if even (`bad_entry`)."""
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
        pairs = []
        for one, other in self.pairs:
            winner = self.cleaned_data[f"winner_{one}_{other}"]
            points = self.cleaned_data[f"points_{one}_{other}"] or 0
            pairs.append((one, other, points if winner == one else -points if winner == other else 0))
        return pairs
