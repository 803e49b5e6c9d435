"""Finding players, a player's entry, merging two entries, and suggestions under name fields."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from ledger.journal.days import day_bounds
from ledger.rights import READ_BOOKS
from ledger.views.day import the_site
from ledger.views.fields import CalendarField, ReasonField, StatusForm
from ledger.views.forms import day_of_a_house
from ledger.views.listing import BY_NUMBER, LongList, SortColumn
from ledger.views.pages import FormPage, find_here, read_by
from tables.errors import BadEntry
from tables.models import Player
from tables.reports.players import (
    SEARCH_LENGTH,
    every_player,
    find_players,
    here_now,
    history,
    sat_down,
    with_whereabouts,
)
from tables.rights import HANDLE_CHIPS
from tables.seats.player_entries import APPROVERS, KEEPERS, LENGTHS, change_player, merge_players
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
    """A search of the register. People who read the books can ask for a gaming `day`, and sort by time."""

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


ROWS, SUGGESTED = 50, 8
ASKED = ("q", "here", "day")


def may_keep(person: Any) -> bool:
    """Return whether a person may change entries: those who seat or serve players, and compliance."""
    return any(person.has_perm(right) for right in KEEPERS)


@read_by(*KEEPERS, READ_BOOKS)
def register(request: HttpRequest) -> HttpResponse:
    """Show the players that a search finds and where each is now; with last days if books may be read."""
    site, books = the_site(), request.user.has_perm(READ_BOOKS)
    form = RegisterForm(request.GET if _asked(request) else None, books=books)
    facts: dict[str, Any] = {"form": form}
    if form.is_bound and form.is_valid() and any(form.cleaned_data.get(name) for name in ASKED):
        shown = PLAYERS.shown(form, without=() if books else ("last",))
        players = _chosen(site, form.cleaned_data)
        if books:
            players = players.annotate(last=Max("sittings__entered_at"))
        page = Paginator(players.order_by(*shown.order), ROWS).get_page(request.GET.get("page"))
        facts |= {
            "page_obj": page,
            "found": with_whereabouts(page.object_list),
            "list": shown,
            "query": shown.query,
        }
    return render(request, "players/register.html", facts, status=form.status)


def _asked(request: HttpRequest) -> bool:
    return any(name in request.GET for name in (*ASKED, "sort"))


def _chosen(site: Any, asked: Mapping[str, Any]) -> QuerySet[Player]:
    """Return the players of a search, of those who are here or sat down on a day; merged entries as one."""
    found = find_players(site, asked["q"]) if asked["q"] else every_player(site)
    if asked["here"]:
        found = found.filter(pk__in=here_now(site))
    if asked.get("day"):
        found = found.filter(pk__in=sat_down(site, *day_bounds(site, asked["day"])))
    return found


@read_by(*KEEPERS, HANDLE_CHIPS)
def suggestions(request: HttpRequest) -> HttpResponse:
    """Return the options under a name field: players, and where they are now."""
    form = SearchForm(request.GET)
    facts: dict[str, Any] = {"found": ()}
    if form.is_valid():
        facts["found"] = with_whereabouts(find_players(the_site(), form.cleaned_data["q"])[:SUGGESTED])
    return render(request, "players/_suggestions.html", facts)


class Entry(FormPage):
    rights = KEEPERS
    readers = (READ_BOOKS,)
    room = "players"
    template = "players/entry.html"

    def find(self, player_id: int) -> None:
        self.player = found(player_id)

    def form(self, data: Any = None) -> EntryForm:
        known = {name: getattr(self.player, name) for name in ("name", "description", "alias")}
        return EntryForm(data, initial=known)

    def do(self, form: EntryForm) -> str:
        change_player(player_id=self.player.pk, **form.entered, act=self.act(form))
        return "The entry is changed. What it said before stays on record."

    def back(self) -> str:
        return reverse("player", kwargs=self.kwargs)

    def facts(self, form: EntryForm) -> dict[str, Any]:
        player = self.player
        return {
            "player": player,
            "where": with_whereabouts([player])[0].where,
            "history": history(player),
            "may_keep": may_keep(self.request.user) and player.merged_into is None,
        }


@read_by(*KEEPERS)
def find_other(request: HttpRequest, player_id: int) -> HttpResponse:
    """First step of merging two entries: find the other one."""
    player = found(player_id)
    form = SearchForm(request.GET if "q" in request.GET else {"q": player.name})
    others = []
    if form.is_valid():
        like = find_players(player.site, form.cleaned_data["q"]).exclude(pk=player.pk)
        others = with_whereabouts(like[: 2 * SUGGESTED])
    facts = {"player": player, "form": form, "found": others}
    return render(request, "players/find_other.html", facts, status=form.status)


class Merge(FormPage):
    rights = KEEPERS
    room = "players"
    template = "players/merge.html"

    def find(self, player_id: int, other_id: int) -> None:
        if player_id == other_id:
            raise Http404
        self.entries = [found(player_id), found(other_id)]

    def form(self, data: Any = None) -> MergeForm:
        initial = {"stays": str(self.entries[0].pk)}
        return MergeForm(data, request=self.request, entries=self.entries, initial=initial)

    def do(self, form: MergeForm) -> str:
        self.into = int(form.cleaned_data["stays"])
        (merged,) = {one.pk for one in self.entries} - {self.into}
        act = self.act(form, approver=form.second_person)
        done = merge_players(merged_id=merged, into_id=self.into, act=act)
        return f"{done}: the two entries are one player now."

    def back(self) -> str:
        return reverse("player", args=[self.into])

    def facts(self, form: MergeForm) -> dict[str, Any]:
        return {"player": self.entries[0], "found": with_whereabouts(self.entries)}


def found(player_id: int) -> Player:
    player: Player = find_here(Player.objects.select_related("merged_into", "site"), player_id)
    return player
