"""Forms of seats and stacks: buying in, adding on, moving, tokes, counts, corrections of chips."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError

from ledger.views.fields import AmountField, KnownField, ReasonField, suggest_players
from tables.errors import BadTime
from tables.models import Sitting
from tables.rights import RUN_FLOOR
from tables.rules.table.dealing import SEATS
from tables.seats.chip_corrections import SECOND
from tables.seats.players import Person
from tables.views.fields import (
    FloorForm,
    LocalTimeField,
    PlaceField,
    SecondPersonForm,
    TwoPeopleForm,
    latest_moment,
)
from tables.views.pieces import TwoCountsForm


class CashOutForm(FloorForm):
    """Asks for a tick where the last count differed from the stack; `counted` says what for."""

    also_sent = frozenset({"again"})  # it was counted meanwhile

    again = forms.BooleanField()

    def __init__(self, *args: Any, counted: str, **options: Any) -> None:
        super().__init__(*args, **options)
        if counted:
            self.fields["again"].label = counted
            self.fields["again"].error_messages["required"] = "Count the chips of this seat again first."
        else:
            del self.fields["again"]


class TokeForm(FloorForm):
    amount = AmountField(label="Amount")


class ChipCountForm(FloorForm):
    """A field for every stack, `seat_3`, without the expected amounts.

    It may name a player who has gone; the verb refuses that.
    """

    also_sent = frozenset(f"seat_{seat}" for seat in SEATS)

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
        return {seat: self.cleaned_data[f"seat_{seat}"] for seat in self.seats}


SOURCES = (("cash", "Cash at the table"), ("chips", "Chips from the cage"))


class WhoForm(FloorForm):
    """A person; a known card number is enough."""

    beside = {"player": "name", "description": "description"}
    halves = frozenset({"name", "description"})

    number = forms.CharField(label="Card number", required=False, max_length=20)
    name = forms.CharField(label="Name", required=False, max_length=80)
    description = forms.CharField(label="Description", required=False, max_length=120)
    known = KnownField()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        suggest_players(self)
        self.fields["description"].widget.attrs["autocomplete"] = "off"

    @property
    def person(self) -> Person:
        said = self.answered("player").get("said", "")
        entry = self.cleaned_data
        return Person(entry["name"], entry["number"], entry["description"], entry["known"], said)


class BuyInForm(WhoForm, SecondPersonForm):
    """Seat a player. The claimed time and the second person are for late entries (R61); `ordered` for R55."""

    also_sent = frozenset({"ordered"})  # nobody may have to come first any more
    beside = {**SecondPersonForm.beside, **WhoForm.beside, "place": "ordered"}
    second_needed = False
    signers = (RUN_FLOOR,)
    seldom = frozenset({"entered_at", "second", "second_pin"})
    halves = frozenset({"number", "description"})

    name = forms.CharField(
        label="Name", required=False, max_length=80, help_text="Or a card number, or a description."
    )
    amount = AmountField(label="Amount")
    source = forms.ChoiceField(
        label="Paid", choices=SOURCES, initial="cash", widget=forms.RadioSelect, required=True
    )
    entered_at = LocalTimeField(
        label="Entered earlier, at", required=False, help_text="Only for an entry that is recorded late."
    )

    ordered = forms.BooleanField(label="Seat them here all the same: the house orders it", required=False)

    field_order = ("name", "number", "description", "amount", "source", "ordered", "entered_at", "second")

    def __init__(self, *args: Any, zone: ZoneInfo, now: datetime, may_order: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.zone, self.now = zone, now
        if not may_order:
            del self.fields["ordered"]
        self.fields["second"].help_text = "Needed where that time changes the fee."

    def clean_entered_at(self) -> datetime | None:
        at = self.cleaned_data["entered_at"]
        if at is None:
            return None
        try:
            return latest_moment(at, self.zone, self.now)
        except BadTime as error:
            raise ValidationError(error.message, code=error.code) from error


class AddOnForm(FloorForm):
    amount = AmountField(label="Amount")
    source = forms.ChoiceField(label="Paid", choices=SOURCES, initial="cash", widget=forms.RadioSelect)


class MoveForm(FloorForm):
    beside = {"seat": "place", "amount": "place"}
    empty = {"place": "Choose a free seat"}

    place = PlaceField(label="To")
    ordered = forms.BooleanField(
        label="The house orders it",
        required=False,
        help_text="Then buy-in bounds do not hold, and a fee paid for this down covers the first one there.",
    )


class ChangeSeatForm(FloorForm):
    empty = {"seat": "Choose a free seat"}

    seat = forms.IntegerField(label="To seat", widget=forms.Select)


class PickUpForm(TwoCountsForm):
    """Two people count an absent player's stack; a reason is needed if the books have another amount."""

    reason = ReasonField(label="Why it is another amount than by the books, if it is", required=False)


class CorrectChipsForm(TwoPeopleForm):
    """What a buy-in, an add-on, a toke or a cash-out should have been; a cash-out has no source."""

    signers = SECOND

    amount = AmountField(label="Right amount")
    source = forms.ChoiceField(label="Paid", choices=SOURCES, widget=forms.RadioSelect)
    reason = ReasonField(label="What was wrong")

    field_order = ("amount", "source", "reason", "second", "second_pin")

    def __init__(self, *args: Any, source: str, **options: Any) -> None:
        super().__init__(*args, **options)
        if source:
            self.fields["source"].initial = source
        else:
            del self.fields["source"]
