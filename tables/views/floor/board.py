"""The board: every open table, live, and those that could be opened."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from ledger.rights import require
from ledger.views.day import the_site
from tables.rights import HANDLE_CHIPS, RUN_FLOOR
from tables.views.acts import READERS
from tables.views.floor.attention import needs
from tables.views.floor.board_cache import all_shown
from tables.views.floor.table import openings
from tables.views.house.lacking import checklist
from tables.views.panels import free_tables


@require_safe
def board(request: HttpRequest) -> HttpResponse:
    """Every open table, live, and those that could be opened."""
    require(request.user, *READERS)
    now, site = timezone.now(), the_site()
    tables = all_shown(site, now)
    may_handle, may_run = request.user.has_perm(HANDLE_CHIPS), request.user.has_perm(RUN_FLOOR)
    return render(
        request,
        "floor/board.html",
        {
            "cards": [one.card(may_handle=may_handle) for one in tables],
            "needs": needs(request.user, site, now, tables),
            "free": free_tables(),
            "may_run": may_run,
            **(_openings(request.user, site, now) if may_run else {}),
        },
    )


def _openings(user: Any, site: Any, now: datetime) -> dict[str, Any]:
    """What keeps tables from being opened; while something is missing, all that the house lacks."""
    found = openings(site, now)
    return found | {"lacks": checklist(user, site, now) if found["missing"] else []}
