"""The dealer's pages: choosing a table, and the one where rounds are entered (the page itself speaks to the API)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from ledger.journal.particulars import of_the_house
from ledger.rights import require
from tables.rights import DEAL
from tables.rounds.pushes import only_deals, own_tables, require_sight
from tables.state.table_state import sessions


@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    """The own table; whoever has none chooses among those without a dealer. Nobody's money is shown here."""
    require(request.user, DEAL)
    opened = sessions().filter(of_the_house("table__site"), closed_at__isnull=True)
    if not only_deals(request.user):
        return render(request, "dealer/choose.html", {"sessions": opened})
    own = own_tables(request.user)
    if own:
        return redirect("dealer-session", session_id=own[0].pk)
    return render(request, "dealer/choose.html", {"sessions": opened.filter(dealer=None), "take": True})


@require_safe
def deal(request: HttpRequest, session_id: int) -> HttpResponse:
    """The page on which a dealer runs one table."""
    require(request.user, DEAL)
    session = get_object_or_404(
        sessions().select_related("dealer"), of_the_house("table__site"), pk=session_id
    )
    require_sight(request.user, session)
    return render(request, "dealer/deal.html", {"session": session})
