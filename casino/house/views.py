"""The manager's desk: the particulars of the house, and the way to everything else that a manager keeps."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ledger.jurisdiction import jurisdiction
from ledger.rights import require
from ledger.views.day import the_site
from tables.rights import MANAGE_HOUSE


@require_safe
def desk(request: HttpRequest) -> HttpResponse:
    """The desk: the house as it is."""
    require(request.user, MANAGE_HOUSE)
    site = the_site()
    return render(request, "house/desk.html", {"site": site, "law": jurisdiction(site.jurisdiction)})
