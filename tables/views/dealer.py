"""The dealer's pages: choosing a table, and the one where rounds are entered (the page itself speaks to the API)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from ledger.rights import require
from tables.queries import sessions


def choose(request: HttpRequest) -> HttpResponse:
    """The open tables, to choose one; nobody's money is shown here."""
    require(request.user, "tables.deal")
    return render(request, "dealer/choose.html", {"sessions": sessions().filter(closed_at__isnull=True)})


def deal(request: HttpRequest, session_id: int) -> HttpResponse:
    """The page on which a dealer runs one table."""
    require(request.user, "tables.deal")
    session = get_object_or_404(sessions(), pk=session_id)
    return render(request, "dealer/deal.html", {"session": session})
