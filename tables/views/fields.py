"""Form fields and bases that the desks share: keys, reasons, local times, PINs, a second person."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth import authenticate, get_user_model
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from ledger import lengths
from ledger.cage import names
from ledger.errors import BadAmount, NotAllowed, Refusal, SecondPerson
from ledger.journal.particulars import of_the_house
from ledger.journal.staff import holders
from ledger.rights import DEAL, RUN_FLOOR
from ledger.views.fields import DJANGO_CODES, BooksForm, ReasonField, StatusForm
from tables.errors import BadEntry, BadTime, WrongPin
from tables.models import TableSession


def with_pins(*rights: str) -> QuerySet[Any]:
    """Return the holders of one of these rights who have a PIN and a password of their own, by username."""
    return holders(*rights).filter(must_renew=False).exclude(pin="").order_by("username")


def by_full_name(people: Iterable[Any]) -> list[tuple[str, str]]:
    """Return people as (username, label), by full name, with the username where names look alike."""
    given = {one.get_username(): one.get_full_name() for one in people}
    alike = Counter(map(names.as_seen, given.values()))
    labels = {
        username: names.isolated(name)
        + (
            ""
            if names.is_plain(name) and alike[names.as_seen(name)] == 1
            else f" ({names.isolated(username)})"
        )
        for username, name in given.items()
    }
    return sorted(labels.items(), key=lambda label: (names.fold(given[label[0]]), label[0]))


# Faults found by Django's own fields all get this house's one code.
UNREADABLE = dict.fromkeys((*DJANGO_CODES, "invalid_choice", "min_value", "max_value"), BadEntry.code)


class LocalTimeField(forms.TimeField):
    widget = forms.TimeInput(attrs={"type": "time"}, format="%H:%M")

    def __init__(self, **options: Any) -> None:
        super().__init__(input_formats=["%H:%M", "%H:%M:%S"], **options)


def moments_of(at: time, zone: ZoneInfo, now: datetime, days: Iterable[int]) -> list[datetime]:
    """Return the moments, in UTC, that `at` may mean on these days; two in an hour that occurs twice."""
    today = now.astimezone(zone).date()
    return [
        datetime.combine(today + timedelta(days=day), at.replace(fold=fold), zone).astimezone(UTC)
        for day in days
        for fold in (0, 1)
    ]


def latest_moment(at: time, zone: ZoneInfo, now: datetime) -> datetime:
    """Return the latest moment up to `now` at which a clock in `zone` showed `at`, in UTC.

    Refuses `bad_time` if no clock showed this time in the last two days.
    """
    shown = [
        moment
        for moment in moments_of(at, zone, now, (0, -1))
        if moment <= now and moment.astimezone(zone).time() == at.replace(fold=0)
    ]
    if not shown:
        raise BadTime(f"{at:%H:%M} did not occur in the last two days (daylight saving).", field="entered_at")
    return max(shown)


def dealer_of(badge: str) -> str:
    """Return the username of the one dealer with this badge or username, else an empty string."""
    here = get_user_model().objects.filter(is_active=True, is_superuser=False, must_renew=False)
    found = list(here.filter(badge__iexact=badge)[:2]) or list(here.filter(username=badge))
    return found[0].username if len(found) == 1 and found[0].has_perm(DEAL) else ""


class FloorForm(BooksForm):
    """A form for one verb of the floor. `choices` are what its selects offer, by field.

    `empty` labels an empty choice, `seldom` are fields that are folded away, `halves` stand side by side.
    """

    codes = UNREADABLE
    about_money = (BadAmount.code,)
    empty: ClassVar[Mapping[str, str]] = {}
    seldom: ClassVar[frozenset[str]] = frozenset()
    halves: frozenset[str] = frozenset()

    def __init__(
        self,
        *args: Any,
        request: Any = None,
        choices: Mapping[str, Iterable[Any]] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.request = request
        for name, offered in (choices or {}).items():
            field: Any = self.fields[name]
            select = field if isinstance(field, forms.ChoiceField) else field.widget
            select.choices = [("", self.empty[name]), *offered] if name in self.empty else list(offered)
        for name, field in self.fields.items():
            label = field.label or name.replace("_", " ").capitalize()
            field.error_messages["required"] = f"{label}: this is missing."
        first = next((field for field in self.fields.values() if not field.widget.is_hidden), None)
        if first is not None and not isinstance(first.widget, forms.RadioSelect):
            first.widget.attrs["autofocus"] = True

    @property
    def plain_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in self.seldom]

    @property
    def seldom_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name in self.seldom]

    @property
    def seldom_open(self) -> bool:
        """Whether a folded field has a value or an error, and so must be seen."""
        return any(field.errors or field.value() for field in self.seldom_fields)


class PinField(forms.CharField):
    """A hidden PIN, with a keypad of digits on a tablet."""

    def __init__(self, **options: Any) -> None:
        hidden = forms.PasswordInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
        given: dict[str, Any] = {"max_length": lengths.MOST_PIN_DIGITS, "widget": hidden} | options
        super().__init__(**given)


def proved(form: StatusForm, request: Any, name: str, field: str, offered: Collection[str]) -> Any:
    """Return the person proved by the name and the PIN in `field`; None with an error beside the PIN.

    A name that was not offered is `wrong_pin`; others: `too_many_attempts`, `locked_out`, `strange_terminal`.
    """
    try:
        return authenticate(request, username=name if name in offered else "", pin=form.cleaned_data[field])
    except Refusal as refused:
        form.show_refusal(refused, field)
        return None


class SecondPersonForm(FloorForm):
    """A form that somebody else with one of the rights `signers` signs by PIN; not one of `barred`."""

    beside = {"second": "second", "approver": "second"}
    second_needed = True
    barred: Collection[int | None] = ()
    signers: Collection[str] = (RUN_FLOOR, DEAL)

    second = forms.CharField(label="Second person", max_length=150, widget=forms.Select)
    second_pin = PinField(label="Their PIN")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.second_person = None
        others = (one for one in with_pins(*self.signers) if one.pk != self.request.user.pk)
        people = by_full_name(one for one in others if self.may_sign(one))
        self.offered = [username for username, _ in people]
        self.fields["second"].widget.choices = [("", "Choose who"), *people]
        for name in ("second", "second_pin"):
            self.fields[name].required = self.second_needed

    def may_sign(self, one: Any) -> bool:
        return one.pk not in self.barred

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        name, pin = cleaned.get("second"), cleaned.get("second_pin")
        if name and pin:
            self.second_person = proved(self, self.request, name, "second_pin", self.offered)
        elif (name or pin) and not (self.has_error("second") or self.has_error("second_pin")):
            self.add_error(
                "second_pin", ValidationError("A second person is a name and a PIN.", code=WrongPin.code)
            )
        return cleaned

    def refuse(self, error: Refusal) -> None:
        """Show the refusal, beside the second person's name if it is about them."""
        if error.code == SecondPerson.code:
            error.field = "second"
        elif error.code == NotAllowed.code and self.second_person is not None:
            # The right of the acting person was checked before the form was read.
            error.field, error.message = "second", f"{self.second_person} may not be the second person here."
        super().refuse(error)


def is_session_here(session_id: int) -> bool:
    return TableSession.objects.filter(of_the_house("table__site"), pk=session_id).exists()


class PlaceField(forms.Field):
    """A seat at a table, sent as "session-seat"; the value is both numbers.

    Taken seats are understood too, for a page that is sent twice.
    """

    widget = forms.Select

    def to_python(self, value: Any) -> tuple[int, int] | None:
        if not value:
            return None
        found = re.fullmatch(r"(\d{1,9})-(\d{1,3})", str(value), re.ASCII)
        if found is None or not is_session_here(int(found[1])):
            raise ValidationError("No table here has this seat.", code=BadEntry.code)
        return int(found[1]), int(found[2])


def places_at(
    session: TableSession, seats: Iterable[int], label: str = ""
) -> tuple[str, list[tuple[str, str]]]:
    """Return the seats of a table as choices of such a field, under their label."""
    places = [(f"{session.pk}-{seat}", f"{session.table}, seat {seat}") for seat in seats]
    return label or str(session.table), places


class KeyForm(FloorForm): ...


class ReasonForm(FloorForm):
    reason = ReasonField()


class TwoPeopleForm(SecondPersonForm):
    halves = frozenset({"second", "second_pin"})


class TakeBackForm(TwoPeopleForm):
    reason = ReasonField(label="What was wrong")

    field_order = ("reason", "second", "second_pin")

    def __init__(self, *args: Any, signers: Collection[str], **options: Any) -> None:
        self.signers = signers
        super().__init__(*args, **options)
