"""The page of one table, and its panel."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from ledger.rights import require
from tables.floor import opening
from tables.views.acts import READERS, find_session, seat_panel, table_panel
from tables.views.panels import table_facts


def openings(site: Any, now: datetime) -> dict[str, Any]:
    """What keeps the next table from being opened: what is missing, or that no more are authorised."""
    full = "" if opening.open_places(site) else opening.too_many(site)
    return {"missing": opening.missing(site, now), "full": full}


@require_safe
def session_page(request: HttpRequest, session_id: int) -> HttpResponse:
    """One table: its seats, its clock, its money, its rounds, and what waits for somebody."""
    require(request.user, *READERS)
    facts = table_facts(find_session(session_id), timezone.now())
    return render(
        request, "floor/table.html", seat_panel(request.user, facts) | table_panel(request.user, facts)
    )


@require_safe
def panel(request: HttpRequest, session_id: int) -> HttpResponse:
    """The part of that page that is about the whole table."""
    require(request.user, *READERS)
    facts = table_facts(find_session(session_id), timezone.now())
    return render(request, "floor/_panel.html", table_panel(request.user, facts))
