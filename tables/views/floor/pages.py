"""The live board of open tables and what somebody chose to see of it, the page of one table, the
games' sheets."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from ledger.cage.names import fold
from ledger.views.day import the_site
from ledger.views.fields import new_key
from ledger.views.pages import read_by
from tables.errors import UnknownGame
from tables.floor import games, opening
from tables.rights import HANDLE_CHIPS, READ_TABLES, RUN_FLOOR
from tables.rules.words.described import described
from tables.views.acts import READERS, find_session, seat_panel, table_panel
from tables.views.floor.attention import at_hand
from tables.views.floor.board_cache import all_shown
from tables.views.house.acts import checklist
from tables.views.panels import TableFacts, free_tables, table_facts

ONLY = (("", "All"), ("need", "To see to"), ("free", "Free seats"))
"""Which tables are shown. The page's style hides the others, so a table appears or goes as soon as it
changes."""


@dataclass(frozen=True)
class BoardLine:
    """A table on the board: its card, the end of its line, and whether it is what was searched for."""

    card: str
    mark: str
    found: bool


class BoardForm(forms.Form):
    """A part of the board: `?only=need&player=ann&seats=on`. What cannot be read chooses nothing."""

    only = forms.ChoiceField(choices=ONLY, required=False)
    player = forms.CharField(max_length=100, required=False)
    seats = forms.BooleanField(required=False)

    @cached_property
    def chosen(self) -> dict[str, str]:
        self.errors  # noqa: B018  (reads the form)
        said = {name: self.cleaned_data.get(name) or "" for name in self.fields}
        return {name: "on" if value is True else value for name, value in said.items() if value}

    def address(self, **changed: str) -> str:
        """Return the query of the board that differs from this one in what is `changed`."""
        return "?" + urlencode({name: value for name, value in (self.chosen | changed).items() if value})

    @property
    def query(self) -> str:
        return self.address() if self.chosen else ""

    @property
    def filters(self) -> list[tuple[str, str, bool]]:
        """The choices of `only`: label, address, and whether it is the one."""
        now = self.chosen.get("only", "")
        return [(label, self.address(only=value), value == now) for value, label in ONLY]

    @property
    def other_seats(self) -> str:
        return self.address(seats="" if "seats" in self.chosen else "on")

    @property
    def shows_seats(self) -> bool:
        return bool(self.chosen.keys() & {"seats", "player"})

    def finds(self, facts: TableFacts) -> bool:
        """Return whether somebody with this name, or a part of it, sits here or is kept a seat."""
        wanted = fold(self.chosen.get("player", ""))
        there = (seat.sitting or seat.held for seat in facts.seats)
        return not wanted or any(wanted in fold(str(one.player)) for one in there if one)


def obstacles(site: Any, now: datetime) -> dict[str, Any]:
    """Return what keeps the next table from being opened: missing things, or the authorised number."""
    full = "" if opening.open_places(site) else opening.too_many(site)
    return {"missing": opening.missing(site, now), "full": full}


@read_by(*READERS)
def board(request: HttpRequest) -> HttpResponse:
    now, site = timezone.now(), the_site()
    tables = all_shown(site, now)
    may_handle, may_run = request.user.has_perm(HANDLE_CHIPS), request.user.has_perm(RUN_FLOOR)
    waiting, form = at_hand(site, now, tables), BoardForm(request.GET)
    marks, chosen = waiting.marks(tables), form.chosen
    cards = [one.card(may_handle=may_handle) for one in tables]
    return render(
        request,
        "floor/board.html",
        {
            "cards": cards,
            "lines": [
                BoardLine(card, marks[one.facts.session.pk], form.finds(one.facts))
                for card, one in zip(cards, tables, strict=True)
            ],
            "form": form,
            "chosen": chosen,
            **waiting.panel(request.user),
            "free": free_tables(),
            "may_run": may_run,
            "key": new_key(),
            **(_obstacles(request.user, site, now) if may_run else {}),
        },
    )


def _obstacles(user: Any, site: Any, now: datetime) -> dict[str, Any]:
    found = obstacles(site, now)
    return found | {"lacks": checklist(user, site, now) if found["missing"] else []}


@read_by(*READERS)
def session_page(request: HttpRequest, session_id: int) -> HttpResponse:
    facts = table_facts(find_session(session_id), timezone.now())
    return render(
        request, "floor/table.html", seat_panel(request.user, facts) | table_panel(request.user, facts)
    )


@read_by(*READERS)
def panel(request: HttpRequest, session_id: int) -> HttpResponse:
    facts = table_facts(find_session(session_id), timezone.now())
    return render(request, "floor/_panel.html", table_panel(request.user, facts))


@read_by(READ_TABLES)
def games_page(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "floor/games.html",
        {"games": [(sheet, games.title_of(sheet), games.is_built_in(sheet)) for sheet in games.games()]},
    )


@read_by(READ_TABLES)
def game_page(request: HttpRequest, code: str) -> HttpResponse:
    """Show one game, to read and to print: the version asked for, else the newest."""
    try:
        sheet = games.sheet_to_read(code, _version(request.GET.get("version")))
    except UnknownGame as unknown:
        raise Http404 from unknown
    newest = next((one for one in games.games() if one.code == code), None)
    return render(request, "floor/game.html", {"game": described(sheet), "newest": newest})


def _version(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 7:
        raise Http404
    return int(text)
