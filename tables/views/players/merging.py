"""Merging two entries of one person: finding the other one, then both side by side with who approves."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views import View
from django.views.decorators.http import require_safe

from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.rights import require
from ledger.views.day import the_site
from ledger.views.terminal import terminal_of
from tables.models import Player
from tables.reports.players import find_players, with_whereabouts
from tables.seats.player_entries import KEEPERS, merge_players
from tables.views.players.forms import MergeForm, SearchForm
from tables.views.players.page import ROOM, SUGGESTED


@require_safe
def find_other(request: HttpRequest, player_id: int) -> HttpResponse:
    """The first step: which other entry is the same person?"""
    require(request.user, *KEEPERS)
    player = _entry(player_id)
    form = SearchForm(request.GET if "q" in request.GET else {"q": player.name})
    found = []
    if form.is_valid():
        others = find_players(player.site, form.cleaned_data["q"]).exclude(pk=player.pk)
        found = with_whereabouts(others[: 2 * SUGGESTED])
    facts = {"player": player, "form": form, "found": found}
    return render(request, "players/find_other.html", facts, status=form.status)


class Merge(View):
    """The second step: both entries side by side, which of them stays, why, and who approves."""

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require(request.user, *KEEPERS)
        return super().dispatch(request, *args, **found_by)

    def get(self, request: HttpRequest, player_id: int, other_id: int) -> HttpResponse:
        """Both entries, with nothing chosen but that the first one stays."""
        entries = self.entries(player_id, other_id)
        return self.page(
            entries, MergeForm(request=request, entries=entries, initial={"stays": str(player_id)})
        )

    def post(self, request: HttpRequest, player_id: int, other_id: int) -> HttpResponse:
        """Merge them."""
        entries = self.entries(player_id, other_id)
        form = MergeForm(request.POST, request=request, entries=entries)
        if not form.is_valid():
            return self.page(entries, form)
        entry = form.cleaned_data
        into = int(entry["stays"])
        merged = other_id if into == player_id else player_id
        act = Act(
            request.user,
            timezone.now(),
            entry["key"],
            terminal_of(request, ROOM),
            approver=form.second_person,
            reason=entry["reason"],
        )
        try:
            done = merge_players(merged_id=merged, into_id=into, act=act)
        except Refusal as refusal:
            form.refuse(refusal)
            return self.page(entries, form)
        messages.success(request, f"{done}: the two entries are one player now.")
        return redirect("player", player_id=into)

    def entries(self, player_id: int, other_id: int) -> list[Player]:
        """Both players, or 404."""
        if player_id == other_id:
            raise Http404
        return [_entry(player_id), _entry(other_id)]

    def page(self, entries: list[Player], form: MergeForm) -> HttpResponse:
        """The page with this form."""
        facts = {"player": entries[0], "found": with_whereabouts(entries), "form": form}
        return render(self.request, "players/merge.html", facts, status=form.status)


def _entry(player_id: int) -> Player:
    return get_object_or_404(Player.objects.select_related("site"), pk=player_id, site=the_site())
