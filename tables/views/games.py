"""The rules of the games on screen and on paper, as their sheets say them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from ledger.views.pages import read_by
from tables.errors import UnknownGame
from tables.floor import games
from tables.rights import READ_TABLES
from tables.rules.words.described import described


@read_by(READ_TABLES)
def listed(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "floor/games.html",
        {"games": [(sheet, games.title_of(sheet), games.is_built_in(sheet)) for sheet in games.games()]},
    )


@read_by(READ_TABLES)
def show(request: HttpRequest, code: str) -> HttpResponse:
    """Show one game, to read and to print: the version asked for, else the newest."""
    try:
        sheet = games.sheet_to_read(code, _version(request.GET.get("version")))
    except UnknownGame as unknown:
        raise Http404 from unknown
    newest = next((one for one in games.games() if one.code == code), None)
    return render(request, "floor/game.html", {"game": described(sheet), "newest": newest})


def _version(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 7:
        raise Http404
    return int(text)
