"""The manager's desk: what the house still lacks, its parts and particulars, and what was changed last."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from casino.house.changes import last_changes
from ledger.audit.denominations import value_text
from ledger.cage.stocking import denominations
from ledger.jurisdiction import jurisdiction
from ledger.rights import require
from ledger.views.day import the_site
from tables.rights import MANAGE_HOUSE
from tables.views.house.lacking import checklist


@require_safe
def desk(request: HttpRequest) -> HttpResponse:
    """The desk: the house as it is."""
    require(request.user, MANAGE_HOUSE)
    site = the_site()
    facts = {
        "site": site,
        "law": jurisdiction(site.jurisdiction),
        "chips": " ".join(value_text(value) for value in denominations(site)["chips"]),
        "lacks": checklist(request.user, site, timezone.now()),
        "changes": last_changes(site),
    }
    return render(request, "house/desk.html", facts)
