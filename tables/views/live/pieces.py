"""The pieces of live pages: each made once for all who see the same of it, by what makes the page itself."""

import time
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone

from ledger.journal.particulars import of_the_house
from ledger.rights import SIGN_OFF_DROPS
from ledger.views.day import the_site
from tables.live.hub import BEHIND, HOUSE, Viewer, event
from tables.models import TableSession
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS, HANDLE_CHIPS, RUN_FLOOR
from tables.views.acts import READERS, find_session, seat_panel, table_panel
from tables.views.collection.dues import due_facts
from tables.views.floor.attention import needs
from tables.views.floor.board_cache import Shown, all_shown, shown_at
from tables.views.panels import TableFacts, table_facts
from tables.views.waiting.acts import list_facts

Pieces = dict[int, dict[str, str]]
# The open tables as screens were last told of them.
_sent: dict[int, TableFacts] = {}


class News:
    """What has changed, and what was read and made of it for readers so far. `house`: what is asked for is about the house."""

    def __init__(self, changed: Collection[int], now: datetime, *, house: bool) -> None:
        self.changed, self.now, self.house = changed, now, house
        self._made: dict[tuple[Any, ...], str] = {}

    def piece(self, name: str, kind: tuple[bool, ...], make: Callable[[], str]) -> str:
        """Return the event with this piece, made at the first time for this kind of reader."""
        if (name, *kind) not in self._made:
            self._made[name, *kind] = as_event(name, make())
        return self._made[name, *kind]

    def rendered(
        self, name: str, kind: tuple[bool, ...], template: str, facts: Callable[[], dict[str, Any]]
    ) -> str:
        """Return the event with a template that shows these facts; they are asked for when it is made."""
        return self.piece(name, kind, lambda: render_to_string(template, facts()))

    @cached_property
    def cards(self) -> dict[int, Shown]:
        """The changed tables that are open, and the main games to which their players go (R55)."""
        found = shown_at([pk for pk in self.changed if pk != HOUSE], self.now)
        site = the_site().pk
        return {pk: one for pk, one in found.items() if one.facts.session.table.site_id == site}

    @cached_property
    def closed(self) -> set[int]:
        """The changed tables that have been closed."""
        missing = set(self.changed) - set(self.cards) - {HOUSE}
        of_them = TableSession.objects.filter(
            of_the_house("table__site"), pk__in=missing, closed_at__isnull=False
        )
        return set(of_them.values_list("pk", flat=True)) if missing else set()

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
    """Return an event with the name of a piece and its HTML, without the space at the ends of its lines. Its number is the
    moment at which it had been made.
    """
    lines = filter(None, map(str.strip, html.splitlines()))
    return event("piece", [name, *lines], f"{time.time():.6f}")


def pieces(changed: Collection[int], readers: Collection[Viewer], *, house: bool) -> Mapping[Viewer, Pieces]:
    """Return for each reader what is to be sent about each changed table; with `house` about the house, after such changes."""
    change = News(changed, timezone.now(), house=house)
    if not house:
        _sent.update({pk: one.facts for pk, one in change.cards.items()})
    return {reader: PAGES[reader.page](change, reader) for reader in readers}


def overlooked() -> set[int]:
    """Return the tables that are other than screens were last told, or than they were when this was last asked: a message
    never came, or time has passed.
    """
    now = {one.facts.session.pk: one.facts for one in all_shown(the_site(), timezone.now())}
    other = {pk for pk, facts in _sent.items() if now.get(pk) is not facts}
    _sent.clear()
    _sent.update(now)
    return other


def _may(reader: Viewer, *rights: str) -> bool:
    return any(map(reader.has_perm, rights))


def _board(change: News, reader: Viewer) -> Pieces:
    """A card for each changed table, of which the page fetches itself where it has none; of the house what needs somebody."""
    if not _may(reader, *READERS):
        return {}
    if change.house:
        kind = reader.has_perm(RUN_FLOOR), reader.has_perm(SIGN_OFF_DROPS)
        needed = change.rendered("attention", kind, "floor/_attention.html", lambda: _needed(change, reader))
        return {HOUSE: {"attention": needed}}
    may_handle = reader.has_perm(HANDLE_CHIPS)
    found = {pk: {"behind": BEHIND} for pk in change.closed}
    for pk, one in change.cards.items():
        card = change.piece(f"card-{pk}", (may_handle,), partial(one.card, may_handle=may_handle))
        found[pk] = {f"card-{pk}": card}
    return found


def _needed(change: News, reader: Viewer) -> dict[str, Any]:
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
            name, shown = f"seats-{session}", partial(seat_panel, reader, facts, key="")
            messages[name] = change.rendered(name, kind, "seats/_seat_list.html", shown)
    return found


def _table(change: News, reader: Viewer) -> Pieces:
    """The seats and the panel of the table."""
    if not _may(reader, *READERS):
        return _signal(change, reader)
    found = _tablet(change, reader)
    for session, messages in found.items():
        facts, name = change.facts_of(session), f"panel-{session}"
        kind = tuple(map(reader.has_perm, (RUN_FLOOR, ASK_CORRECTIONS, APPROVE_CORRECTIONS)))
        shown = partial(table_panel, reader, facts)
        messages[name] = change.rendered(name, kind, "floor/_table_live.html", shown)
    return found


def _lists(change: News, reader: Viewer) -> Pieces:
    """All waiting lists."""
    if not change.house or not reader.has_perm(RUN_FLOOR):
        return {}
    piece = change.rendered("lists", (), "waiting/_lists.html", lambda: list_facts(the_site(), change.now))
    return {HOUSE: {"lists": piece}}


def _dues(change: News, reader: Viewer) -> Pieces:
    """All that is due."""
    if not change.house or not _may(reader, *READERS):
        return {}
    kind = (reader.has_perm(RUN_FLOOR),)
    piece = change.rendered("dues", kind, "collection/_dues.html", partial(due_facts, reader, change.now))
    return {HOUSE: {"dues": piece}}


PAGES: dict[str, Callable[[News, Viewer], Pieces]] = {
    "": lambda change, reader: {},
    "board": _board,
    "table": _table,
    "tablet": _tablet,
    "start": _signal,
    "lists": _lists,
    "dues": _dues,
}
