"""The places of the house: what is where, who holds it, and that all of it adds up."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from ledger.reports.places import Holders, places_now
from ledger.rights import READ_BOOKS, SIGN_OFF_DROPS
from ledger.rules.places import sees_figures
from ledger.views.day import the_site
from ledger.views.pages import read_by
from tables.models import Sitting, TableSession


@read_by(READ_BOOKS, SIGN_OFF_DROPS)
def places(request: HttpRequest) -> HttpResponse:
    """Show the tree of places now; figures only to somebody who counts none of them."""
    site = the_site()
    facts = {
        "site": site,
        "now": timezone.now(),
        "places": places_now(site, _at_tables(site)),
        "figures": request.user.has_perm(READ_BOOKS) and sees_figures(request.user),
    }
    return render(request, "audit/places.html", facts)


def _at_tables(site: Any) -> Holders:
    """Return who deals at each open table, and whose the stacks are. Two queries."""
    holders: dict[int, tuple[Any, ...]] = {}
    for session in TableSession.objects.filter(table__site=site, closed_at=None).select_related("dealer"):
        holders[session.bank_chips_id] = (session.dealer,) if session.dealer is not None else ()
    seated = Sitting.objects.filter(session__table__site=site, left_at__isnull=True)
    for sitting in seated.select_related("player"):
        holders[sitting.stack_id] = (sitting.player,)
    return holders
