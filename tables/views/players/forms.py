"""Forms of the register of players."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from ledger.views.fields import ReasonField, StatusForm
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
