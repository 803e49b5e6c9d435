"""Forms of the register of players."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from ledger.views.fields import CalendarField, ReasonField, StatusForm
from ledger.views.forms import day_of_a_house
from ledger.views.listing import BY_NUMBER, LongList, SortColumn
from tables.errors import BadEntry
from tables.models import Player
from tables.reports.players import SEARCH_LENGTH
from tables.seats.player_entries import APPROVERS, LENGTHS
from tables.seats.players import described
from tables.views.fields import UNREADABLE, FloorForm, SecondPersonForm, TwoPeopleForm

TYPED = {"autocomplete": "off", "dir": "auto"}


class SearchForm(StatusForm):
    """A search by name, card number or description (`bad_entry` if too long)."""

    codes = UNREADABLE
    also_sent = frozenset({"page"})

    q = forms.CharField(
        label="Name, card number or description",
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "maxlength": SEARCH_LENGTH, **TYPED}),
    )

    def clean_q(self) -> str:
        """Return the text to search for; refuse one that is too long."""
        text: str = self.cleaned_data["q"]
        if len(text) > SEARCH_LENGTH:
            raise ValidationError(
                f"Search with at most {SEARCH_LENGTH} characters: a name, a card number or a description.",
                code=BadEntry.code,
            )
        return text


PLAYERS = LongList(
    "name",
    name=SortColumn("Name", "from A", "from Z", ("name", "number", "pk")),
    number=SortColumn("Card number", *BY_NUMBER, ("number", "name", "pk")),
    last=SortColumn("Last sat down", "longest ago first", "latest first", ("last", "name", "pk")),
)


class RegisterForm(SearchForm):
    """A search of the register; with `here`, only players who sit or wait right now. People who read the
    books can also ask for those who sat down on a gaming `day`, by name or by time."""

    here = forms.BooleanField(label="Only who is here now", required=False)
    day = CalendarField(label="Sat down on gaming day", required=False)
    sort = PLAYERS.field()

    def __init__(self, *args: Any, books: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        if not books:
            del self.fields["day"]
            sort: Any = self.fields["sort"]
            sort.choices = [one for one in sort.choices if not one[0].endswith("last")]

    def clean_day(self) -> date | None:
        return day_of_a_house(self.cleaned_data["day"])


class MergeForm(TwoPeopleForm):
    beside = {**SecondPersonForm.beside, "into": "stays"}
    signers = APPROVERS

    stays = forms.ChoiceField(label="The entry that stays", widget=forms.RadioSelect)
    reason = ReasonField(label="How you know that they are one person")

    field_order = ("stays", "reason", "second", "second_pin")

    def __init__(self, *args: Any, entries: Sequence[Player], **options: Any) -> None:
        super().__init__(*args, **options)
        stays: Any = self.fields["stays"]
        stays.choices = [(str(one.pk), described(one)) for one in entries]


class EntryForm(FloorForm):
    """What the house knows of a player, except the card number."""

    name = forms.CharField(required=False, max_length=LENGTHS["name"], widget=forms.TextInput(attrs=TYPED))
    description = forms.CharField(
        required=False, max_length=LENGTHS["description"], widget=forms.TextInput(attrs=TYPED)
    )
    alias = forms.CharField(
        label="Alias for public screens",
        required=False,
        max_length=LENGTHS["alias"],
        widget=forms.TextInput(attrs=TYPED),
        help_text="For screens that the public reads. The house has none yet.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["name"].widget.attrs.pop("autofocus", None)
