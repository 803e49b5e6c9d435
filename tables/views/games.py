"""The rules of a game on a screen: what its sheet says, in words and tables. Nothing is worked out here."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from ledger.rights import require
from tables.rules.sheet import library

RANKS = {"T": "tens", "J": "jacks", "Q": "queens", "K": "kings", "A": "aces"}
RANKS |= {"2": "twos", "3": "threes", "4": "fours", "5": "fives", "6": "sixes"}
RANKS |= {"7": "sevens", "8": "eights", "9": "nines"}
GROUPS = {"pair": "Pair", "trips": "Three of a kind"}


def show(request: HttpRequest, code: str) -> HttpResponse:
    """The newest version of one game of the library."""
    require(request.user, "tables.read_tables")
    sheet = library().newest.get(code)
    if sheet is None:
        raise Http404
    return render(request, "floor/game.html", {"sheet": sheet, "front": _front_words(sheet.bonus.front)})


def _front_words(points: Mapping[str, int]) -> dict[str, int]:
    """The bonuses in front by their names in words: `pair-Q` is a pair of queens, `trips-2` three twos."""
    return {_front_word(word): value for word, value in points.items()}


def _front_word(word: str) -> str:
    group, _, rank = word.partition("-")
    if not rank:
        return GROUPS.get(group, word)
    return f"Pair of {RANKS[rank]}" if group == "pair" else f"Three {RANKS[rank]}"
