"""The live board of open tables, the page of one table, and obstacles to opening another."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from ledger.views.day import the_site
from ledger.views.fields import new_key
from ledger.views.pages import read_by
from tables.floor import opening
from tables.rights import HANDLE_CHIPS, RUN_FLOOR
from tables.views.acts import READERS, find_session, seat_panel, table_panel
from tables.views.floor.attention import at_hand
from tables.views.floor.board_cache import all_shown
from tables.views.floor.choosing import BoardForm, BoardLine
from tables.views.house.lacking import checklist
from tables.views.panels import free_tables, table_facts


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
