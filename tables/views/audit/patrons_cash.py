"""Patrons' cash: who is to be reported, and the log of a gaming day."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from ledger.journal.particulars import limits_of
from ledger.rights import READ_BOOKS
from ledger.views.day import asked_day
from ledger.views.pages import read_by
from tables.reports.patrons_cash import logged, patrons_of_day, reports_due


@read_by(READ_BOOKS)
def patrons_cash(request: HttpRequest) -> HttpResponse:
    """Show the currency reports to file, and the cash log of the day in `?day=`."""
    day = asked_day(request)
    facts = {
        "site": day.site,
        "day": day,
        "limits": limits_of(day.site),
        "due": reports_due(day.site, timezone.now()),
        "patrons": logged(day.site, patrons_of_day(day.site, day.day)),
    }
    return render(request, "audit/patrons_cash.html", facts, status=day.status)
