"""The dispute page, open to all staff: cards in, the result and its rules out, for printing. Only its address
keeps an entry; `tables.rules` gives the answer."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ledger.rights import READ_BOOKS
from ledger.views.day import the_site
from ledger.views.pages import find_here, read_by
from tables.models import Round
from tables.rights import READ_TABLES
from tables.rounds.pushes import require_sight
from tables.state.evidence import standing_evidence
from tables.views.dispute.answer import Asked
from tables.views.dispute.entry import Typed, read, typed_round
from tables.views.dispute.page import Page


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the page with the answer to its address. Read-only, so a regulator may use it."""
    typed = read(request.GET)
    by_htmx = bool(request.htmx)  # type: ignore[attr-defined]
    if not by_htmx and typed.game and request.GET.urlencode() != typed.query():
        return redirect(_address(typed))
    asked = Asked(typed, typing=by_htmx, person=request.user)
    answer = render(request, "dispute/dispute.html", {"page": Page(asked), "site": the_site()})
    if by_htmx:
        answer["HX-Replace-Url"] = _address(asked.typed)
    return answer


@read_by(READ_TABLES, READ_BOOKS)
def check_round(request: HttpRequest, round_id: int) -> HttpResponse:
    """Fill the dispute page with a settled round as recorded."""
    settled = find_here(Round.objects.select_related("session__table"), round_id, "session__table__site")
    require_sight(request.user, settled.session)
    standing = settled.settlements.last()
    if standing is None or standing.by_hand:  # a round settled by hand has no cards
        raise Http404
    return redirect(f"{_address(typed_round(standing_evidence(settled)['input']))}#answer")


def _address(typed: Typed) -> str:
    return f"{reverse('dispute')}?{typed.query()}"
