"""The floor's forms: what a screen sends as text becomes what a verb takes. No rule of the game is known here.

What a verb refuses is put beside the field it is about, with its code, and what was typed stays.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError
from django.urls import reverse

from ledger.errors import BadAmount
from ledger.forms import AmountField, new_key
from ledger.money import dollars
from tables.dealers import with_pins
from tables.errors import BadEntry, BadTime, TooManyAttempts, WrongPin
from tables.models import Schedule, Table, TableSession

SOURCES = (("cash", "Cash at the table"), ("chips", "Chips from the cage"))
METHODS = (("stack", "From the stack"), ("cash", "In cash, into the box"))
# What Django's own fields find wrong has this house's one code for an entry that cannot be read.
DJANGO_CODES = frozenset({"required", "invalid", "invalid_choice", "min_length", "max_length"})
DJANGO_CODES |= {"null_characters_not_allowed", "min_value", "max_value"}


class LocalTimeField(forms.TimeField):
    """A time of day on the house's clock, as 21:40."""

    widget = forms.TimeInput(attrs={"type": "time"}, format="%H:%M")

    def __init__(self, **options: Any) -> None:
        super().__init__(input_formats=["%H:%M", "%H:%M:%S"], **options)


def latest_moment(at: time, zone: ZoneInfo, now: datetime) -> datetime:
    """Return the latest moment up to `now` at which a clock in `zone` showed `at`, in UTC.

    In the hour that a clock shows twice it is the later one that has passed. Refuses `bad_time` where no clock
    showed this time in the last two days.
    """
    today: date = now.astimezone(zone).date()
    moments = [
        datetime.combine(day, at.replace(fold=fold), zone).astimezone(UTC)
        for day in (today, today - timedelta(days=1))
        for fold in (0, 1)
    ]
    shown = [
        moment for moment in moments if moment <= now and moment.astimezone(zone).time() == at.replace(fold=0)
    ]
    if not shown:
        raise BadTime(f"No clock here showed {at:%H:%M}.", field="entered_at")
    return max(shown)


class FloorForm(forms.Form):
    """A form for one verb. `beside` says which of its fields shows a refusal about a field of the verb.

    `seldom` names the fields that most acts leave empty, `halves` short ones that stand side by side.
    """

    beside: ClassVar[Mapping[str, str]] = {}
    seldom: ClassVar[frozenset[str]] = frozenset()
    halves: ClassVar[frozenset[str]] = frozenset()

    key = forms.CharField(min_length=8, max_length=64, initial=new_key, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, field in self.fields.items():
            label = field.label or name.replace("_", " ").capitalize()
            field.error_messages["required"] = f"{label}: this is missing."
        first = next((field for field in self.fields.values() if not field.widget.is_hidden), None)
        if first is not None and not isinstance(first.widget, forms.RadioSelect):
            first.widget.attrs["autofocus"] = True

    def clean_key(self) -> str:
        """Refuse a key that no journal could hold."""
        key = self.cleaned_data["key"]
        if not key.isascii() or not key.isprintable():
            raise ValidationError("The key must be a text of 8 to 64 characters.", code=BadEntry.code)
        return key

    def refuse(self, error: Any) -> None:
        """Show what a verb refused beside the field it names, else on top of the form."""
        name = self.beside.get(error.field or "", error.field)
        if error.code == BadAmount.code and name not in self.fields:
            name = self.beside.get("amount", "amount")
        if error.code == "key_reused":
            # The act before it stands; sending this page again is then meant, and gets a key of its own.
            self._renew_key()
        shown = name in self.fields and not self.fields[name].widget.is_hidden
        self.add_error(name if shown else None, ValidationError(error.message, code=error.code))

    def full_clean(self) -> None:
        """Check all fields; what Django finds wrong carries this house's code, and hidden fields speak on top."""
        super().full_clean()
        for field in self.hidden_fields():
            if field.name in self._errors:
                self.add_error(None, self._errors.pop(field.name).as_data())
                self._renew_key()
        for errors in self._errors.values():
            for error in errors.as_data():
                error.code = BadEntry.code if error.code in DJANGO_CODES else error.code

    def _renew_key(self) -> None:
        self.data = {**dict(self.data.items()), "key": new_key()}

    @property
    def plain_fields(self) -> list[forms.BoundField]:
        """The fields that are always shown."""
        return [field for field in self.visible_fields() if field.name not in self.seldom]

    @property
    def seldom_fields(self) -> list[forms.BoundField]:
        """The fields that are folded away until they are needed."""
        return [field for field in self.visible_fields() if field.name in self.seldom]

    @property
    def seldom_open(self) -> bool:
        """Whether a folded field holds something or has an error, so that it has to be seen."""
        return any(field.errors or field.value() for field in self.seldom_fields)


class PinField(forms.CharField):
    """A PIN, hidden, with the keypad of digits on a tablet."""

    def __init__(self, **options: Any) -> None:
        hidden = forms.PasswordInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
        super().__init__(**({"max_length": 8, "widget": hidden} | options))


def proved(form: forms.Form, request: Any, name: str, field: str) -> Any:
    """Who the name and the PIN in `field` prove; None with an error beside the PIN (`wrong_pin`, `too_many_attempts`)."""
    try:
        return authenticate(request, username=name, pin=form.cleaned_data[field])
    except (WrongPin, TooManyAttempts) as refused:
        form.add_error(field, ValidationError(refused.message, code=refused.code))
        return None


class SecondPersonForm(FloorForm):
    """A form that a second person signs: chosen by name, proved by PIN. `second_person` is who that is, or None.

    Offered is whoever has one of the rights `signers`, and a PIN; the verb says whether that is enough.
    """

    beside = {"second": "second", "approver": "second"}
    second_needed = True
    signers: ClassVar[tuple[str, ...]] = ("run_floor", "deal")

    second = forms.CharField(label="Second person", max_length=150, widget=forms.Select)
    second_pin = PinField(label="Their PIN")

    def __init__(self, *args: Any, request: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.request = request
        self.second_person = None
        people = [(str(one), str(one)) for one in with_pins(*self.signers, but=request.user)]
        self.fields["second"].widget.choices = [("", "Choose who"), *people]
        for name in ("second", "second_pin"):
            self.fields[name].required = self.second_needed

    def clean(self) -> dict[str, Any]:
        """Prove the second person for this act alone (`wrong_pin`, `too_many_attempts`)."""
        cleaned = super().clean() or self.cleaned_data
        name, pin = cleaned.get("second"), cleaned.get("second_pin")
        if name and pin:
            self.second_person = proved(self, self.request, name, "second_pin")
        elif (name or pin) and not (self.has_error("second") or self.has_error("second_pin")):
            self.add_error(
                "second_pin", ValidationError("A second person is a name and a PIN.", code=WrongPin.code)
            )
        return cleaned

    def refuse(self, error: Any) -> None:
        """As for every form; what is about the second person stands beside their name."""
        if error.code == "second_person":
            error.field = "second"
        elif error.code == "not_allowed" and self.second_person is not None:
            # Whoever acts was asked for their right before the form was read.
            error.field, error.message = "second", f"{self.second_person} may not be the second person here."
        super().refuse(error)


class ScheduleChoice(forms.ModelChoiceField):
    """The published rates in force."""

    def label_from_instance(self, schedule: Schedule) -> str:
        return (
            f"Limit {dollars(schedule.limit_cents)}, fee {dollars(schedule.fee_cents)} per player and down "
            f"(option {schedule.option}, version {schedule.version})"
        )


class OpenTableForm(FloorForm):
    """Opening a table."""

    beside = {"max_buy_in": "max_buy_in", "amount": "opener"}

    table = forms.ModelChoiceField(Table.objects.none(), empty_label="Choose a table")
    game = forms.ChoiceField()
    schedule = ScheduleChoice(Schedule.objects.none(), empty_label="Choose a limit", label="Limit and fee")
    max_buy_in = AmountField(
        label="Maximum buy-in", required=False, help_text="Empty: a hundred times the limit."
    )
    opener = AmountField(label="Table bank", help_text="Chips that come from the cage.")

    def __init__(
        self,
        *args: Any,
        tables: Any,
        free: Any,
        schedules: Any,
        games: Sequence[tuple[str, str]],
        offered: Sequence[tuple[str, str]],
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        # Free ones are offered, all are understood: a page that is sent twice names a table that is open by then.
        self.fields["table"].queryset = tables
        self.fields["table"].widget.choices = [
            ("", "Choose a table"),
            *((table.pk, str(table)) for table in free),
        ]
        self.fields["schedule"].queryset = schedules
        self.fields["game"].choices = games
        self.fields["game"].widget.choices = [("", "Choose a game"), *offered]
        # Choosing a game shows its rules beside the form; without a script the links there do.
        self.fields["game"].widget.attrs |= {
            "hx-get": reverse("floor-open"),
            "hx-target": "#game-rules",
            "hx-select": "#game-rules",
            "hx-swap": "outerHTML",
            "hx-sync": "this:replace",
        }

    def clean(self) -> dict[str, Any]:
        """Fill in the usual maximum, and refuse another house's schedule (`bad_entry`)."""
        cleaned = super().clean() or self.cleaned_data
        table, schedule = cleaned.get("table"), cleaned.get("schedule")
        if table and schedule and table.site_id != schedule.site_id:
            self.add_error("schedule", ValidationError("This rate is another house's.", code=BadEntry.code))
        if schedule and cleaned.get("max_buy_in") is None:
            cleaned["max_buy_in"] = 100 * schedule.limit_cents
        return cleaned


class BuyInForm(SecondPersonForm):
    """Seating a player. The claimed time, and the second person for it, are for entries recorded late (R61).

    `ordered` is asked where the floor may seat somebody before the players of a must-move table (R55).
    """

    beside = {**SecondPersonForm.beside, "player": "name", "description": "description", "place": "ordered"}
    second_needed = False
    seldom = frozenset({"entered_at", "second", "second_pin"})
    halves = frozenset({"number", "description"})

    name = forms.CharField(required=False, max_length=80, help_text="Or a card number, or a description.")
    number = forms.CharField(label="Card number", required=False, max_length=20)
    description = forms.CharField(required=False, max_length=120)
    amount = AmountField()
    source = forms.ChoiceField(
        label="Paid", choices=SOURCES, initial="cash", widget=forms.RadioSelect, required=True
    )
    entered_at = LocalTimeField(
        label="Entered earlier, at", required=False, help_text="Only for an entry that is recorded late."
    )

    ordered = forms.BooleanField(label="Seat them here all the same: the house orders it", required=False)

    field_order = ("name", "number", "description", "amount", "source", "ordered", "entered_at", "second")

    def __init__(
        self, *args: Any, zone: ZoneInfo, now: datetime, may_order: bool = False, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.zone, self.now = zone, now
        if not may_order:
            del self.fields["ordered"]
        self.fields["second"].help_text = "Needed where that time changes the fee."
        for name in ("name", "number", "description"):
            self.fields[name].widget.attrs["autocomplete"] = "off"

    def clean_entered_at(self) -> datetime | None:
        """Return the moment that was claimed."""
        at = self.cleaned_data["entered_at"]
        if at is None:
            return None
        try:
            return latest_moment(at, self.zone, self.now)
        except BadTime as error:
            raise ValidationError(error.message, code=error.code) from error


class AddOnForm(FloorForm):
    """Adding chips to a stack."""

    amount = AmountField()
    source = forms.ChoiceField(label="Paid", choices=SOURCES, initial="cash", widget=forms.RadioSelect)


class PayForm(FloorForm):
    """Paying what is due."""

    method = forms.ChoiceField(label="Paid", choices=METHODS, initial="stack", widget=forms.RadioSelect)


class PlaceField(forms.Field):
    """A seat at a table, sent as "session-seat"; its value is both as numbers. Free ones are offered, all are understood:
    a page that is sent twice names a seat that is taken by then."""

    widget = forms.Select

    def to_python(self, value: Any) -> tuple[int, int] | None:
        if not value:
            return None
        found = re.fullmatch(r"(\d{1,9})-(\d{1,3})", str(value), re.ASCII)
        if found is None or not TableSession.objects.filter(pk=int(found[1])).exists():
            raise ValidationError("No table here has this seat.", code=BadEntry.code)
        return int(found[1]), int(found[2])


class MoveForm(FloorForm):
    """Moving a player to another table (R55)."""

    beside = {"seat": "place", "amount": "place"}

    place = PlaceField(label="To")
    ordered = forms.BooleanField(
        label="The house orders it",
        required=False,
        help_text="Then buy-in bounds do not hold, and a fee paid for this down covers the first one there.",
    )

    def __init__(
        self, *args: Any, places: Iterable[tuple[str, Sequence[tuple[str, str]]]], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.fields["place"].widget.choices = [("", "Choose a free seat"), *places]


class KeyForm(FloorForm):
    """An act that needs no words: sitting out, returning, cashing out, starting the clock, approving."""


class ReasonForm(FloorForm):
    """An act that needs a reason: stopping the clock, voiding a round, calling a match off, refusing a correction."""

    reason = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"}))


class FillForm(FloorForm):
    """Bringing chips from the cage to the table bank."""

    amount = AmountField(help_text="Chips from the cage.")


class TwoPeopleForm(SecondPersonForm):
    """Pulling the box takes two people."""

    halves = frozenset({"second", "second_pin"})
