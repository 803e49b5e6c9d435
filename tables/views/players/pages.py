"""Finding a player, the page of a player's entry, merging two entries of one person, and the suggestions under the fields that take
a name.
"""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import urlencode

from ledger.rights import READ_BOOKS
from ledger.views.day import the_site
from ledger.views.pages import FormPage, read_by
from tables.models import Player
from tables.reports.players import find_players, history, with_whereabouts
from tables.rights import HANDLE_CHIPS
from tables.seats.player_entries import KEEPERS, change_player, merge_players
from tables.views.players.forms import EntryForm, MergeForm, SearchForm

ROWS, SUGGESTED = 50, 8


def may_keep(person: Any) -> bool:
    """Whether this person may change entries: whoever seats or serves players, and compliance."""
    return any(person.has_perm(right) for right in KEEPERS)


@read_by(*KEEPERS, READ_BOOKS)
def register(request: HttpRequest) -> HttpResponse:
    """The players whom a search finds, with where each is right now; for whoever reads the books also their days."""
    site = the_site()
    form = SearchForm(request.GET if "q" in request.GET else None)
    facts: dict[str, Any] = {"site": site, "form": form}
    if form.is_bound and form.is_valid() and form.cleaned_data["q"]:
        q = form.cleaned_data["q"]
        players = find_players(site, q)
        if request.user.has_perm(READ_BOOKS):
            players = players.annotate(last=Max("sittings__entered_at"))
        page = Paginator(players, ROWS).get_page(request.GET.get("page"))
        facts |= {
            "page_obj": page,
            "found": with_whereabouts(page.object_list),
            "query": urlencode({"q": q}) + "&",
        }
    return render(request, "players/register.html", facts, status=form.status)


@read_by(*KEEPERS, HANDLE_CHIPS)
def suggestions(request: HttpRequest) -> HttpResponse:
    """The options under a field that takes a name: who it may be, and where they are right now."""
    form = SearchForm(request.GET)
    facts: dict[str, Any] = {"found": ()}
    if form.is_valid():
        facts["found"] = with_whereabouts(find_players(the_site(), form.cleaned_data["q"])[:SUGGESTED])
    return render(request, "players/_suggestions.html", facts)


class Entry(FormPage):
    """A player's entry: what it says, what it has said, and the form that changes it."""

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
        entry = {name: value for name, value in form.cleaned_data.items() if name != "key"}
        change_player(player_id=self.player.pk, **entry, act=self.act(form))
        return "The entry is changed. What it said before stays on record."

    def back(self) -> str:
        return reverse("player", kwargs=self.kwargs)

    def facts(self, form: EntryForm) -> dict[str, Any]:
        player = self.player
        return {
            "site": self.site,
            "player": player,
            "where": with_whereabouts([player])[0].where,
            "history": history(player),
            "may_keep": may_keep(self.request.user) and player.merged_into is None,
        }


@read_by(*KEEPERS)
def find_other(request: HttpRequest, player_id: int) -> HttpResponse:
    """The first step of merging two entries of one person: which other one is it?"""
    player = found(player_id)
    form = SearchForm(request.GET if "q" in request.GET else {"q": player.name})
    others = []
    if form.is_valid():
        like = find_players(player.site, form.cleaned_data["q"]).exclude(pk=player.pk)
        others = with_whereabouts(like[: 2 * SUGGESTED])
    facts = {"player": player, "form": form, "found": others}
    return render(request, "players/find_other.html", facts, status=form.status)


class Merge(FormPage):
    """The second step: both entries side by side, which of them stays, why, and who approves."""

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
    """The player of an address, or 404."""
    players = Player.objects.select_related("merged_into", "site")
    return get_object_or_404(players, pk=player_id, site=the_site())
