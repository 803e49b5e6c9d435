"""Finding a player, the page of a player's entry, and the suggestions under the fields that take a name."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Max
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.views import View
from django.views.decorators.http import require_safe

from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.rights import READ_BOOKS, require
from ledger.views.day import the_site
from ledger.views.terminal import terminal_of
from tables.models import Player
from tables.reports.players import find_players, history, with_whereabouts
from tables.rights import HANDLE_CHIPS
from tables.seats.player_entries import KEEPERS, change_player
from tables.views.players.forms import EntryForm, SearchForm

ROWS, SUGGESTED = 50, 8
ROOM = "players"


def may_keep(person: Any) -> bool:
    """Whether this person may change entries: whoever seats or serves players, and compliance."""
    return any(person.has_perm(right) for right in KEEPERS)


@require_safe
def register(request: HttpRequest) -> HttpResponse:
    """The players whom a search finds, with where each is right now; for whoever reads the books also their days."""
    require(request.user, *KEEPERS, READ_BOOKS)
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


@require_safe
def suggestions(request: HttpRequest) -> HttpResponse:
    """The options under a field that takes a name: who it may be, and where they are right now."""
    require(request.user, *KEEPERS, HANDLE_CHIPS)
    form = SearchForm(request.GET)
    facts: dict[str, Any] = {"found": ()}
    if form.is_valid():
        facts["found"] = with_whereabouts(find_players(the_site(), form.cleaned_data["q"])[:SUGGESTED])
    return render(request, "players/_suggestions.html", facts)


class Entry(View):
    """A player's entry: what it says, what it has said, and the form that changes it."""

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require(request.user, *KEEPERS, READ_BOOKS)
        return super().dispatch(request, *args, **found_by)

    def get(self, request: HttpRequest, player_id: int) -> HttpResponse:
        """The entry as it is."""
        player = self.found(player_id)
        return self.page(
            player,
            EntryForm(initial={name: getattr(player, name) for name in ("name", "description", "alias")}),
        )

    def post(self, request: HttpRequest, player_id: int) -> HttpResponse:
        """Change it."""
        require(request.user, *KEEPERS)
        player, form = self.found(player_id), EntryForm(request.POST)
        if not form.is_valid():
            return self.page(player, form)
        entry = dict(form.cleaned_data)
        act = Act(request.user, timezone.now(), entry.pop("key"), terminal_of(request, ROOM))
        try:
            change_player(player_id=player_id, **entry, act=act)
        except Refusal as refusal:
            form.refuse(refusal)
            return self.page(player, form)
        messages.success(request, "The entry is changed. What it said before stays on record.")
        return redirect("player", player_id=player_id)

    def found(self, player_id: int) -> Player:
        """The player of this address, or 404."""
        players = Player.objects.select_related("merged_into", "site")
        return get_object_or_404(players, pk=player_id, site=the_site())

    def page(self, player: Player, form: EntryForm) -> HttpResponse:
        """The page with this form."""
        facts = {
            "site": player.site,
            "player": player,
            "form": form,
            "where": with_whereabouts([player])[0].where,
            "history": history(player),
            "may_keep": may_keep(self.request.user) and player.merged_into is None,
        }
        return render(self.request, "players/entry.html", facts, status=form.status)
