"""Forms of the waiting lists."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError

from ledger.views.fields import AmountField
from tables.errors import BadEntry
from tables.views.fields import FloorForm, LocalTimeField, PlaceField, is_session_here, moments_of
from tables.views.seats.forms import SOURCES, WhoForm


class ListField(forms.ChoiceField):
    """A list, sent as "game-limit" in cents; the value is both."""

    def to_python(self, value: Any) -> Any:
        game, _, limit = str(value or "").rpartition("-")
        if not value:
            return None
        if not game or not limit.isascii() or not limit.isdigit() or len(limit) > 12:
            raise ValidationError("Choose a list.", code=BadEntry.code)
        return game, int(limit)

    def validate(self, value: Any) -> None:
        """Accept lists that were not offered: the verb knows every game."""
        forms.Field.validate(self, value)


class JoinForm(WhoForm):
    """Put somebody on a list, or on a new one of any game and limit."""

    beside = {**WhoForm.beside, "limit": "limit"}
    seldom = frozenset({"game", "limit"})
    empty = {"game": "Choose a game"}

    listed = ListField(label="List")
    game = forms.CharField(required=False, max_length=40, widget=forms.Select)
    limit = AmountField(required=False)
    field_order = ("number", "listed", "name", "description", "game", "limit")

    def clean(self) -> dict[str, Any]:
        """Take another game and limit, if given, else the chosen list."""
        cleaned = super().clean() or self.cleaned_data
        game, limit = cleaned.get("game"), cleaned.get("limit")
        if game or limit:
            for name in ("game", "limit"):
                if not cleaned.get(name) and not self.has_error(name):
                    self.add_error(name, ValidationError("A list is of a game and a limit.", BadEntry.code))
            self.errors.pop("listed", None)
            cleaned["listed"] = (game, limit)
        return cleaned


class CallForm(FloorForm):
    beside = {"seat": "place", "session": "place"}
    empty = {"place": "Just to the floor"}

    place = PlaceField(label="To", required=False)


class SeatForm(CallForm):
    beside = {**CallForm.beside, "player": "place"}
    empty = {"place": "Choose a free seat"}

    place = PlaceField(label="Seat")
    amount = AmountField(label="Buy-in")
    source = forms.ChoiceField(label="Paid", choices=SOURCES, initial="cash", widget=forms.RadioSelect)


class BringForm(CallForm):
    also_sent = frozenset({"amount", "source"})  # a player just seated with a buy-in sits there now
    beside = {**CallForm.beside, "amount": "place"}
    empty = {"place": "Choose a free seat"}

    place = PlaceField(label="Seat")


class HoldForm(WhoForm):
    until = LocalTimeField(label="Until", help_text="On the house's clock. The fee counts from the buy-in.")
    field_order = ("number", "name", "description", "until")

    def __init__(self, *args: Any, zone: ZoneInfo, now: datetime, **options: Any) -> None:
        super().__init__(*args, **options)
        self.zone, self.now = zone, now
        half_an_hour = (now + timedelta(minutes=30)).astimezone(zone)
        self.fields["until"].initial = half_an_hour.time().replace(second=0, microsecond=0)

    def clean_until(self) -> datetime:
        """Return the next moment at which the house's clock shows this time."""
        moments = moments_of(self.cleaned_data["until"], self.zone, self.now, (0, 1))
        return min(moment for moment in moments if moment > self.now)


class TableField(forms.ChoiceField):
    """An open table, sent as the id of its session; the value is that number."""

    def to_python(self, value: Any) -> Any:
        text = str(value or "")
        if not text:
            return None
        known = text.isascii() and text.isdigit() and len(text) < 10
        if not known or not is_session_here(int(text)):
            raise ValidationError("No such table is open here.", code=BadEntry.code)
        return int(text)

    def validate(self, value: Any) -> None:
        """Accept a table that was closed meanwhile: the verb refuses it."""
        forms.Field.validate(self, value)


class TableChangeForm(FloorForm):
    empty = {"table": "Choose a table"}

    table = TableField()
