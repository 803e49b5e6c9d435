"""The pieces of live pages: each made once for all who see the same of it, by what makes the page itself."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone

from ledger.rights import SIGN_OFF_DROPS
from ledger.views.day import the_site
from tables.live.hub import HOUSE, Viewer, event
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS, HANDLE_CHIPS, RUN_FLOOR
from tables.state.table_state import OPEN_IDS
from tables.views.acts import READERS, find_session, seat_panel, table_panel
from tables.views.collection.dues import due_facts
from tables.views.floor.attention import needs
from tables.views.floor.board_cache import Shown, all_shown, shown_at
from tables.views.panels import TableFacts, table_facts
from tables.views.waiting.page import list_facts

Pieces = dict[int, dict[str, str]]
# The tables that boards have; what is open besides, or no more, makes them load themselves again.
_on_boards: set[int] = set()


class News:
    """What has changed, and what was read and made of it for readers so far. `house`: what is asked for is about the house."""

    def __init__(self, changed: Collection[int], now: datetime, *, house: bool) -> None:
        self.changed, self.now, self.house = changed, now, house
        self._made: dict[tuple[Any, ...], str] = {}

    def piece(
        self, name: str, kind: tuple[bool, ...], template: str, facts: Callable[[], dict[str, Any]]
    ) -> str:
        """Return the event with this piece, made at the first time for this kind of reader."""
        if (name, *kind) not in self._made:
            self._made[name, *kind] = as_event(name, render_to_string(template, facts()))
        return self._made[name, *kind]

    @cached_property
    def cards(self) -> dict[int, Shown]:
        """The changed tables that are open, and the main games to which their players go (R55)."""
        found = shown_at([pk for pk in self.changed if pk != HOUSE], self.now)
        site = the_site().pk
        return {pk: one for pk, one in found.items() if one.facts.session.table.site_id == site}

    @cached_property
    def other_tables(self) -> bool:
        """Whether a table was opened or closed since boards were last told."""
        opened = {session.pk for session in OPEN_IDS.rows()}
        before = set(_on_boards) or opened - set(self.changed)
        _on_boards.clear()
        _on_boards.update(opened)
        return opened != before

    @cached_property
    def facts(self) -> dict[int, TableFacts]:
        """What was read of tables for their own pages."""
        return {}

    def facts_of(self, session_id: int) -> TableFacts:
        """One table, as its page shows it."""
        if session_id not in self.facts:
            self.facts[session_id] = table_facts(find_session(session_id), self.now)
        return self.facts[session_id]


def as_event(name: str, html: str) -> str:
    """Return an event with HTML, without the space at the ends of its lines."""
    return event(name, filter(None, map(str.strip, html.splitlines())))


def pieces(changed: Collection[int], readers: Collection[Viewer], *, house: bool) -> Mapping[Viewer, Pieces]:
    """Return for each reader what is to be sent about each changed table; with `house` about the house, after such changes."""
    change = News(changed, timezone.now(), house=house)
    return {reader: PAGES[reader.page](change, reader) for reader in readers}


def _may(reader: Viewer, *rights: str) -> bool:
    return any(map(reader.has_perm, rights))


def _board(change: News, reader: Viewer) -> Pieces:
    """A card for each changed table; of the house what needs somebody."""
    if not _may(reader, *READERS):
        return {}
    if change.house:
        return {HOUSE: _of_house(change, reader)}
    may_handle = reader.has_perm(HANDLE_CHIPS)
    return {
        pk: {f"card-{pk}": as_event(f"card-{pk}", one.card(may_handle=may_handle))}
        for pk, one in change.cards.items()
    }


def _of_house(change: News, reader: Viewer) -> dict[str, str]:
    kind = reader.has_perm(RUN_FLOOR), reader.has_perm(SIGN_OFF_DROPS)
    facts = partial(_needs, change, reader)
    found = {"attention": change.piece("attention", kind, "floor/_attention.html", facts)}
    if change.other_tables:
        found["board"] = event("board", ["changed"])
    return found


def _needs(change: News, reader: Viewer) -> dict[str, Any]:
    site = the_site()
    return {"needs": needs(reader, site, change.now, all_shown(site, change.now))}


def _signal(change: News, reader: Viewer) -> Pieces:
    """That the page's own table has changed."""
    session = reader.session
    if change.house or session is None or session not in change.changed:
        return {}
    return {session: {f"table-{session}": event(f"table-{session}", ["changed"])}}


def _tablet(change: News, reader: Viewer) -> Pieces:
    """The seats, beside the signal upon which the tablet asks for its plan."""
    found = _signal(change, reader)
    for session, messages in found.items():
        facts = change.facts_of(session)
        theirs = reader.dealer in (None, facts.session.dealer_id)
        if theirs and _may(reader, HANDLE_CHIPS, *READERS):
            kind = reader.has_perm(HANDLE_CHIPS), reader.has_perm(RUN_FLOOR)
            name = f"seats-{session}"
            messages[name] = change.piece(name, kind, "seats/_seat_list.html", partial(_seats, reader, facts))
    return found


def _seats(reader: Viewer, facts: TableFacts) -> dict[str, Any]:
    return seat_panel(reader, facts) | {"key": ""}


def _table(change: News, reader: Viewer) -> Pieces:
    """The seats and the panel of the table."""
    if not _may(reader, *READERS):
        return _signal(change, reader)
    found = _tablet(change, reader)
    for session, messages in found.items():
        facts, name = change.facts_of(session), f"panel-{session}"
        kind = tuple(map(reader.has_perm, (RUN_FLOOR, ASK_CORRECTIONS, APPROVE_CORRECTIONS)))
        panel = partial(table_panel, reader, facts)
        messages[name] = change.piece(name, kind, "floor/_table_live.html", panel)
    return found


def _lists(change: News, reader: Viewer) -> Pieces:
    """All waiting lists."""
    if not change.house or not reader.has_perm(RUN_FLOOR):
        return {}
    return {
        HOUSE: {
            "lists": change.piece(
                "lists", (), "waiting/_lists.html", lambda: list_facts(the_site(), change.now)
            )
        }
    }


def _dues(change: News, reader: Viewer) -> Pieces:
    """All that is due."""
    if not change.house or not _may(reader, *READERS):
        return {}
    kind = (reader.has_perm(RUN_FLOOR),)
    return {
        HOUSE: {
            "dues": change.piece("dues", kind, "collection/_dues.html", lambda: due_facts(reader, change.now))
        }
    }


PAGES: dict[str, Callable[[News, Viewer], Pieces]] = {
    "": lambda change, reader: {},
    "board": _board,
    "table": _table,
    "tablet": _tablet,
    "start": _signal,
    "lists": _lists,
    "dues": _dues,
}
