"""The floor's forms: what a screen sends as text becomes what a verb takes. No rule of the game is known here.

What a verb refuses is put beside the field it is about, with its code, and what was typed stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, ClassVar
from uuid import uuid4
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth import authenticate
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError

from ledger.errors import BadAmount
from ledger.money import amount_text, dollars, parse_amount
from tables.errors import BadEntry, BadSecondPerson, BadTime
from tables.models import Schedule, Table
from tables.rules.sheet import library

SOURCES = (("cash", "Cash at the table"), ("chips", "Chips from the cage"))
METHODS = (("stack", "From the stack"), ("cash", "In cash, into the box"))
# What Django's own fields find wrong has this house's one code for an entry that cannot be read.
DJANGO_CODES = frozenset({"required", "invalid", "invalid_choice", "min_length", "max_length"})
DJANGO_CODES |= {"null_characters_not_allowed"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One refusal as a screen shows it: the sentence and its stable code."""

    sentence: str
    code: str


@dataclass(frozen=True, slots=True)
class Row:
    """One visible field with what is wrong about it."""

    field: forms.BoundField
    problems: tuple[Problem, ...]

    @property
    def choices(self) -> bool:
        """Whether the field is a group of radio buttons, which needs a legend and no label."""
        return isinstance(self.field.field.widget, forms.RadioSelect)


class AmountField(forms.CharField):
    """An amount in dollars as text; its value is whole cents. Refuses what `parse_amount` refuses (`bad_amount`)."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})

    def to_python(self, value: Any) -> int | None:
        text = super().to_python(value)
        if not text:
            return None
        try:
            return parse_amount(text)
        except BadAmount as error:
            raise ValidationError(error.message, code=error.code) from error

    def prepare_value(self, value: Any) -> Any:
        return amount_text(value) if isinstance(value, int) else value


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


def new_key() -> str:
    """Return a key for one act; a page that is sent twice has one key, and so acts once."""
    return uuid4().hex


class FloorForm(forms.Form):
    """A form for one verb. `beside` says which of its fields shows a refusal about a field of the verb."""

    beside: ClassVar[Mapping[str, str]] = {}
    required_css_class = "required"

    key = forms.CharField(min_length=8, max_length=64, initial=new_key, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, field in self.fields.items():
            label = field.label or name.replace("_", " ").capitalize()
            field.error_messages.setdefault("required", "")
            field.error_messages["required"] = f"{label}: this is missing."

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
            self.data = {**self.data.dict(), "key": new_key()}
        shown = name in self.fields and not self.fields[name].widget.is_hidden
        self.add_error(name if shown else None, ValidationError(error.message, code=error.code))

    @property
    def rows(self) -> list[Row]:
        """The visible fields in order, each with its problems."""
        return [Row(field, self._problems(field.name)) for field in self.visible_fields()]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What belongs on top: problems of no field, and of hidden ones."""
        hidden = [problem for field in self.hidden_fields() for problem in self._problems(field.name)]
        return (*self._problems(NON_FIELD_ERRORS), *hidden)

    def _problems(self, name: str) -> tuple[Problem, ...]:
        found = self.errors.as_data().get(name, ())
        return tuple(
            Problem(
                "; ".join(error.messages), BadEntry.code if error.code in DJANGO_CODES else str(error.code)
            )
            for error in found
        )


class SecondPersonForm(FloorForm):
    """A form that a second person signs with name and password; `second_person` is who that is, or None."""

    beside = {"second": "second", "approver": "second"}
    second_needed = True

    second = forms.CharField(
        label="Second person", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    second_password = forms.CharField(
        label="Their password",
        max_length=200,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "one-time-code"}),
    )

    def __init__(self, *args: Any, request: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.request = request
        self.second_person = None
        for name in ("second", "second_password"):
            self.fields[name].required = self.second_needed

    def clean(self) -> dict[str, Any]:
        """Sign the second person in for this act alone (`bad_second_person`)."""
        cleaned = super().clean() or self.cleaned_data
        name, password = cleaned.get("second"), cleaned.get("second_password")
        if name and password:
            self.second_person = authenticate(self.request, username=name, password=password)
        if (name or password) and self.second_person is None and not self.has_error("second"):
            self.add_error(
                "second",
                ValidationError(
                    "The second person's name and password do not belong together.", code=BadSecondPerson.code
                ),
            )
        return cleaned

    def refuse(self, error: Any) -> None:
        """As for every form; what is about the second person stands beside their name."""
        if error.code in {"second_person", "second_person_required", "same_person"}:
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


def games() -> list[tuple[str, str]]:
    """The games of the library that a table can run, as choices: the newest version of each, by title.

    Two hands a player (R35) and races (R42) are scored by `manage.py score`; no table deals them.
    """
    run = (sheet for sheet in library().newest.values() if sheet.hands_per_player == 1 and not sheet.race_to)
    return sorted(((sheet.code, sheet.title) for sheet in run), key=lambda game: game[1])


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

    def __init__(self, *args: Any, tables: Any, schedules: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["table"].queryset = tables
        self.fields["schedule"].queryset = schedules
        self.fields["game"].choices = [("", "Choose a game"), *games()]

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
    """Seating a player. The claimed time, and the second person for it, are for entries recorded late (R61)."""

    beside = {**SecondPersonForm.beside, "player": "name", "description": "description"}
    second_needed = False

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

    field_order = ("name", "number", "description", "amount", "source", "entered_at", "second")

    def __init__(self, *args: Any, zone: ZoneInfo, now: datetime, **options: Any) -> None:
        super().__init__(*args, **options)
        self.zone, self.now = zone, now
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

    @property
    def late_rows(self) -> list[Row]:
        """The fields for an entry that is recorded late."""
        return [row for row in self.rows if row.field.name in {"entered_at", "second", "second_password"}]

    @property
    def plain_rows(self) -> list[Row]:
        """The fields for every entry."""
        late = {row.field.name for row in self.late_rows}
        return [row for row in self.rows if row.field.name not in late]

    @property
    def late(self) -> bool:
        """Whether the fields for a late entry hold something, so that they are shown open."""
        return any(row.problems or row.field.value() for row in self.late_rows)


class AddOnForm(FloorForm):
    """Adding chips to a stack."""

    amount = AmountField()
    source = forms.ChoiceField(label="Paid", choices=SOURCES, initial="cash", widget=forms.RadioSelect)


class PayForm(FloorForm):
    """Paying what is due."""

    method = forms.ChoiceField(label="Paid", choices=METHODS, initial="stack", widget=forms.RadioSelect)


class KeyForm(FloorForm):
    """An act that needs no words: sitting out, returning, cashing out, starting the clock, approving."""


class ReasonForm(FloorForm):
    """An act that needs a reason: stopping the clock, voiding a round, refusing a correction."""

    reason = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"}))


class FillForm(FloorForm):
    """Bringing chips from the cage to the table bank."""

    amount = AmountField(help_text="Chips from the cage.")


class TwoPeopleForm(SecondPersonForm):
    """Pulling the box takes two people: changing it, and closing the table."""
