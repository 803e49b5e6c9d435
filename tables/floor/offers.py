"""Which games the house offers when a table is opened: all that have a sheet, but for those that a manager has taken off."""

from collections.abc import Collection
from typing import Any

from django.db import transaction

from ledger.db.compiled import Compiled
from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import BadEntry, GameNotOffered
from tables.floor import games
from tables.models import GameOffer
from tables.rights import MANAGE_HOUSE
from tables.rules.game.rounds import Sheet

CHOSEN = "games_offered"

_TAKEN_OFF = Compiled(lambda site: GameOffer.objects.filter(site=site, offered=False).only("code"))


def taken_off(site: Any) -> set[str]:
    """Return the codes of the games that the house does not offer; one query."""
    return {one.code for one in _TAKEN_OFF.rows(site.pk)}


def offered_games(site: Any) -> list[Sheet]:
    """Return the newest version of every game that the house offers, by title."""
    without = taken_off(site)
    return [sheet for sheet in games.games() if sheet.code not in without]


def require_on_offer(site: Any, sheet: Sheet) -> None:
    """Refuse a game that the house does not offer (`game_not_offered`)."""
    if sheet.code in taken_off(site):
        raise GameNotOffered(
            f"The house does not offer {games.title_of(sheet)}: a manager must put it on offer.", field="game"
        )


def choose_games(*, site: Any, codes: Collection[str], act: Act) -> bool:
    """Offer exactly these games from now on; open tables play on. Return whether anything changed.

    Refuses `bad_entry` where none is left, and `unknown_game`.
    """
    require(act.actor, MANAGE_HOUSE)
    known = {sheet.code for sheet in games.games()}
    for code in codes:
        games.game(code)
    if not codes:
        raise BadEntry("Offer at least one game, or no table can be opened.", field="games")
    offered = sorted(codes)
    with transaction.atomic():
        posting.lock_house(site)
        if house_events.noted_before(site, (CHOSEN,), CHOSEN, act, {"offered": offered}):
            return False
        before = sorted(known - taken_off(site))
        if before == offered:
            return False
        for code in known:
            GameOffer.objects.update_or_create(site=site, code=code, defaults={"offered": code in codes})
        data: dict[str, Any] = {
            "offered": offered,
            "taken_off": sorted(known - set(codes)),
            "before": {"offered": before},
        }
        house_events.note(site, CHOSEN, act=act, key=act.key, **data)
    return True
