"""Forms of the window: an amount with its chips, change, and the patron's identity where that is asked."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from ledger.cage.window import NOBODY, Patron
from ledger.errors import BadAmount, ConfirmAmount, PatronMissing, PiecesMissing, Refusal
from ledger.journal.acts import Act
from ledger.rules.denominations import Pieces, fewest_pieces, field_of, value_of, value_text
from ledger.rules.refusals import NotIdentified, NotSeen
from ledger.views.fields import AmountField, BooksForm, KnownField, suggest_players
from tables.reports.patrons_cash import merged_players, patron_of_receipt
from tables.seats.players import Person, know_player, names_of
from tables.state.persons import person_of
from tables.views.pieces import Denominations, OneCount

_MOST_OFFERS, _MOST_OF_ONE = 4, 100
_ONLY = re.compile(r"([0-9]{1,9})x([0-9]{1,9})", re.ASCII)


def _merged(site: Any) -> Callable[[], Mapping[int, int]]:
    return partial(merged_players, site)


class OnlyField(forms.CharField):
    """Chips of one denomination, as the button that offers them says: `3x10000`; the value is pieces."""

    def to_python(self, value: Any) -> Pieces | None:  # type: ignore[override]
        text = super().to_python(value)
        if not text:
            return None
        if (found := _ONLY.fullmatch(text)) is None or not int(found[1]):
            raise ValidationError("Count whole pieces, from 0 up.", code=BadAmount.code)
        return Pieces({int(found[2]): int(found[1])})


class PatronForm(BooksForm):
    """Who is at the window; a known person is looked up first. `asked_again` is the amount that a refused
    form asks for once more, `confirmed` the amount that came back."""

    asked_again: int | None = None
    who_open = False
    to_identify = False

    number = forms.CharField(required=False, max_length=20, label="Card number")
    name = forms.CharField(required=False, max_length=80, label="Name")
    description = forms.CharField(
        required=False, max_length=80, label="Description", help_text="Of somebody who gives no name."
    )
    known = KnownField()
    seen = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        label="Seen before today",
        help_text="The receipt of what the same person did before.",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "list": "seen-today"}),
    )
    identified = forms.BooleanField(required=False, label="Identification seen")
    confirmed = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        suggest_players(self)
        self.fields["description"].widget.attrs |= {"autocomplete": "off", "dir": "auto"}

    @property
    def who(self) -> list[forms.BoundField]:
        return [self[name] for name in ("number", "name", "description", "seen")]

    @property
    def asks_identification(self) -> bool:
        """Whether a currency report is due, so that the cashier must confirm that identification was seen."""
        return self.to_identify or bool(self["identified"].value())

    @property
    def who_shown(self) -> bool:
        """Whether the fields for the patron's identity must be open: one has a value or an error."""
        return self.who_open or any(field.errors or field.value() for field in self.who)

    def patron(self, site: Any, act: Act) -> Patron:
        """Return who it is as far as known; if nothing is entered, the person of the receipt `seen`."""
        entry = self.cleaned_data
        said = {"seen": entry["seen"], "identified": entry["identified"]}
        person = Person(entry["name"], entry["number"], entry["description"], entry["known"])
        if not person.given():
            own = patron_of_receipt(site, entry["seen"], act.now) if entry["seen"] else None
            if own is None:
                return replace(NOBODY, **said)
            return Patron(tuple(names_of(site, own)), lambda: person_of(own).pk, **said, merged=_merged(site))
        enter = partial(know_player, person, site=site, act=act)
        return Patron(tuple(names_of(site, person)), lambda: enter().pk, **said, merged=_merged(site))

    def refuse(self, error: Refusal) -> None:
        super().refuse(error)
        if error.code in (PatronMissing.code, ConfirmAmount.code, NotSeen.code, NotIdentified.code):
            self.who_open = True
        self.to_identify = error.code == NotIdentified.code


class WindowForm(PatronForm):
    """Chips against cash. The amount is typed, and then which chips: those that go out are proposed as the
    fewest (`proposes`), those that come in are offered where they may be of one denomination."""

    field_order = ("key", "amount", "number", "name", "description", "seen")

    amount = AmountField(label="Amount")
    only = OnlyField(required=False, widget=forms.HiddenInput)
    question: Refusal | None = None
    cents = 0

    def __init__(
        self, *args: Any, denominations: Denominations, proposes: bool = False, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.proposes, self.chips = proposes, denominations["chips"]
        self.count = OneCount(self, {"chips": self.chips, "cash": ()})

    def clean_amount(self) -> int:
        """Keep the amount for what a refused form asks; a field with an error has none any more."""
        self.cents = self.cleaned_data["amount"]
        return self.cents

    @property
    def pieces(self) -> Pieces | None:
        pieces = self.cleaned_data["only"] or self.count.pieces
        return pieces if any(pieces.chips.values()) else None

    @property
    def meant(self) -> int | None:
        """Return the amount on the button that was pressed, if it bore one."""
        only: Pieces | None = self.cleaned_data["only"]
        return only.chips_cents if only else self.cleaned_data["confirmed"]

    @property
    def asks_pieces(self) -> bool:
        """Whether there is an amount, so that the form asks for its chips."""
        return self.is_bound and bool(self.cents)

    @property
    def offers(self) -> list[tuple[str, str]]:
        """Return the value and words of buttons for chips of one denomination, the largest first."""
        cents = self.cents
        alone = [
            (f"{cents // value}x{value}", f"{cents // value} × {value_text(value)}")
            for value in reversed(self.chips)
            if cents % value == 0 and 0 < cents // value <= _MOST_OF_ONE
        ]
        return [] if self.proposes else alone[:_MOST_OFFERS]

    @property
    def proposed(self) -> str:
        """Return the chips that go out, as entered or proposed, in words; "" for chips that come in."""
        numbers = [(field.value(), field.label) for field in self.count.fields] if self.proposes else []
        return ", ".join(f"{number}\u00a0×\u00a0{label}" for number, label in numbers if number)

    def refuse(self, error: Refusal) -> None:
        """Ask for all that is missing at once. Chips that are not entered yet are a question, no mistake."""
        cents, entered = self.cents, self.pieces
        if error.code == PiecesMissing.code:
            self.question, self.refused_with = error, error.status
        else:
            super().refuse(error)
        if error.code == ConfirmAmount.code or self.cleaned_data["confirmed"] == cents:
            self.asked_again = cents
        fewest = fewest_pieces(cents, self.chips)
        if self.proposes and entered is None and value_of(fewest) == cents:
            said = {field_of("chips", value): str(number) for value, number in fewest.items()}
            self.data = {name: self.data.get(name) for name in self.data} | said
        if self.question and not self.proposed:
            self.fields["amount"].widget.attrs["autofocus"] = True


class ChangeForm(PatronForm):
    """Chips for other chips, or cash for other cash: what comes in, and what is given for it."""

    def __init__(self, *args: Any, denominations: Denominations, **options: Any) -> None:
        super().__init__(*args, **options)
        self.came = OneCount(self, denominations)
        self.given = OneCount(self, denominations, "given_")
        self.came.begin()

    def refuse(self, error: Refusal) -> None:
        super().refuse(error)
        pieces = self.came.pieces
        if error.code == ConfirmAmount.code or self.cleaned_data["confirmed"]:
            self.asked_again = pieces.chips_cents + pieces.cash_cents
