"""Statements: of a sitting, as a page that a player who asks is shown and gets on paper; of all kinds as CSV."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render

from ledger.journal.days import gaming_day
from ledger.journal.particulars import of_the_house
from ledger.rights import READ_BOOKS
from ledger.views.day import asked_day
from ledger.views.journal import csv_download
from ledger.views.pages import read_by
from tables.models import Player, Sitting
from tables.reports import statement_csv
from tables.reports.downs import name_rates
from tables.reports.statements import Statement, player_day, statement
from tables.reports.table_night import openings, table_night
from tables.rights import READ_TABLES
from tables.rounds.pushes import require_sight


@read_by(READ_TABLES)
def show(request: HttpRequest, sitting_id: int) -> HttpResponse:
    """Every line of the sitting's stack, its totals, fees and claims."""
    found = _statement(request, sitting_id)
    name_rates([found.sitting.session])
    site = found.sitting.session.table.site
    facts = {"statement": found, "site": site, "day": gaming_day(site, found.sitting.entered_at)}
    return render(request, "audit/statement.html", facts)


@read_by(READ_TABLES)
def sitting_csv(request: HttpRequest, sitting_id: int) -> StreamingHttpResponse:
    """The same lines, fees and claims."""
    lines = statement_csv.sitting_lines(_statement(request, sitting_id))
    return csv_download(request, lines, f"sitting-{sitting_id}.csv")


@read_by(READ_BOOKS)
def player_csv(request: HttpRequest, player_id: int) -> StreamingHttpResponse:
    """A player's day: the lines and fees of every sitting of it, and the claims."""
    player = get_object_or_404(Player, of_the_house(), pk=player_id)
    day = asked_day(request)
    lines = statement_csv.day_lines(player_day(player, *day.bounds))
    return csv_download(request, lines, f"player-{player.pk}-{day.day}.csv")


@read_by(READ_BOOKS)
def night_csv(request: HttpRequest, session_id: int) -> StreamingHttpResponse:
    """A table's night, a row a figure."""
    session = get_object_or_404(openings(), of_the_house("table__site"), pk=session_id)
    return csv_download(
        request, statement_csv.night_lines(table_night(session)), f"table-night-{session.pk}.csv"
    )


def _statement(request: HttpRequest, sitting_id: int) -> Statement:
    shown = Sitting.objects.select_related("player", "stack", "session__table__site", "session__sheet")
    sitting = get_object_or_404(
        shown.defer("session__sheet__raw"), of_the_house("session__table__site"), pk=sitting_id
    )
    require_sight(request.user, sitting.session)
    return statement(sitting)
