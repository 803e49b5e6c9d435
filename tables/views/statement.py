"""The statement of a sitting: what a player who asks is shown, line by line, and gets on paper."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from ledger.rights import require
from tables.models import Sitting
from tables.reports import statement


def show(request: HttpRequest, sitting_id: int) -> HttpResponse:
    """Every line of the sitting's stack, its totals, fees and claims."""
    require(request.user, "tables.read_tables")
    sitting = get_object_or_404(
        Sitting.objects.select_related("player", "stack", "session__table__site", "session__sheet"),
        pk=sitting_id,
    )
    return render(request, "sittings/statement.html", {"statement": statement(sitting)})
