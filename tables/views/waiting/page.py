"""The page of the waiting lists, where a player joins one."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views import View

from ledger.errors import Refusal
from ledger.rights import require
from ledger.views.day import the_site
from ledger.views.fields import new_key
from ledger.views.terminal import act_of
from tables.floor import games, waiting
from tables.rights import RUN_FLOOR
from tables.seats.players import Person
from tables.views.acts import ROOM
from tables.views.waiting.forms import JoinForm
from tables.views.waiting.lists import ListFacts, waiting_lists


def shown_of(site: Any, lists: Sequence[ListFacts]) -> dict[str, Any]:
    """What the page shows of the lists."""
    return {"site": site, "lists": lists, "turns": [turn for one in lists for turn in one.turns]}


def list_facts(site: Any, now: datetime) -> dict[str, Any]:
    """The same of all lists as they are."""
    return shown_of(site, waiting_lists(site, now))


class Lists(View):
    """All waiting lists, live, with the field that checks somebody in."""

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require(request.user, RUN_FLOOR)
        self.site, self.now = the_site(), timezone.now()
        return super().dispatch(request, *args, **found_by)

    def get(self, request: HttpRequest) -> HttpResponse:
        """The lists as they are."""
        return self.page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Put somebody on a list."""
        lists = waiting_lists(self.site, self.now)
        form = self.form(lists, request.POST)
        if not form.is_valid():
            return self.page(lists, form)
        entry = form.cleaned_data
        game, limit_cents = entry["listed"]
        try:
            place = waiting.join(
                site=self.site,
                game=game,
                limit_cents=limit_cents,
                who=Person(entry["name"], entry["number"], entry["description"], entry["known"]),
                act=act_of(request, ROOM, key=entry["key"], now=self.now),
            )
        except Refusal as refusal:
            form.refuse(refusal)
            return self.page(lists, form)
        messages.success(request, f"{place.player} has place {place.number}.")
        return redirect("waiting")

    def form(self, lists: Sequence[ListFacts], data: Any = None) -> JoinForm:
        known = [(one.code, one.label) for one in lists]
        played = [(sheet.code, games.title_of(sheet)) for sheet in games.games()]
        return JoinForm(data, lists=known, games=played, auto_id="join-%s")

    def page(self, lists: Sequence[ListFacts] | None = None, form: JoinForm | None = None) -> HttpResponse:
        lists = waiting_lists(self.site, self.now) if lists is None else lists
        form = form or self.form(lists)
        facts = shown_of(self.site, lists) | {"form": form, "key": new_key()}
        return render(self.request, "waiting/lists.html", facts, status=form.status)
