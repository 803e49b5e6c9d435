"""The pieces of live pages, each rendered once for all readers who see the same in one language."""

import time
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone, translation

from ledger.journal.particulars import of_the_house
from ledger.rights import SIGN_OFF_DROPS
from ledger.views.day import the_site
from tables.live.hub import BEHIND, HOUSE, Viewer, event
from tables.models import CorrectionRequest, TableSession
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS, HANDLE_CHIPS, MANAGE_HOUSE, RUN_FLOOR
from tables.views.acts import READERS, find_session, seat_panel, table_panel
from tables.views.collection.dues import due_facts
from tables.views.floor.attention import AtHand, at_hand
from tables.views.floor.board_cache import Shown, all_shown, shown_at
from tables.views.panels import TableFacts, table_facts
from tables.views.waiting.acts import list_facts

Pieces = dict[int, dict[str, str]]
# The open tables as last sent to screens.
_sent: dict[int, TableFacts] = {}


class News:
    """A change, with what was read and rendered of it so far; `house` for news about the house."""

    def __init__(self, changed: Collection[int], now: datetime, *, house: bool) -> None:
        self.changed, self.now, self.house = changed, now, house
        self._made: dict[tuple[Any, ...], str] = {}
        self._marks: dict[str | None, dict[str, str]] = {}

    def piece(self, name: str, kind: tuple[object, ...], make: Callable[[], str]) -> str:
        """Return the event with this piece, rendered once for this kind of reader and language."""
        which = name, translation.get_language(), *kind
        if which not in self._made:
            self._made[which] = as_event(name, make())
        return self._made[which]

    def rendered(
        self, name: str, kind: tuple[object, ...], template: str, facts: Callable[[], dict[str, Any]]
    ) -> str:
        """Return the event with a rendered template; `facts` is called only when needed."""
        return self.piece(name, kind, lambda: render_to_string(template, facts()))

    @cached_property
    def cards(self) -> dict[int, Shown]:
        """The changed open tables, and the main games that they feed (R55)."""
        tables = shown_at([pk for pk in self.changed if pk != HOUSE], self.now)
        site = the_site().pk
        return {pk: one for pk, one in tables.items() if one.facts.session.table.site_id == site}

    @cached_property
    def board(self) -> list[Shown]:
        return all_shown(the_site(), self.now)

    @cached_property
    def at_hand(self) -> AtHand:
        return at_hand(the_site(), self.now, self.board)

    @property
    def marks(self) -> dict[str, str]:
        """The events with the ends of all lines of the board, made once for each language."""
        language = translation.get_language()
        if language not in self._marks:
            made = {f"mark-{pk}": html for pk, html in self.at_hand.marks(self.board).items()}
            self._marks[language] = {name: as_event(name, html) for name, html in made.items()}
        return self._marks[language]

    @cached_property
    def closed(self) -> set[int]:
        missing = set(self.changed) - set(self.cards) - {HOUSE}
        of_them = TableSession.objects.filter(
            of_the_house("table__site"), pk__in=missing, closed_at__isnull=False
        )
        return set(of_them.values_list("pk", flat=True)) if missing else set()

    @cached_property
    def askers(self) -> set[int]:
        """Those whose corrections wait for somebody else."""
        asked = CorrectionRequest.objects.filter(
            of_the_house("site"), round__session__in=self.changed, state=CorrectionRequest.State.ASKED
        )
        return set(asked.values_list("asked_by", flat=True))

    @cached_property
    def facts(self) -> dict[int, TableFacts]:
        return {}

    def facts_of(self, session_id: int) -> TableFacts:
        if session_id not in self.facts:
            self.facts[session_id] = table_facts(find_session(session_id), self.now)
        return self.facts[session_id]


def as_event(name: str, html: str) -> str:
    """Return an event with a piece's name and HTML lines; its id is the time of rendering."""
    lines = filter(None, map(str.strip, html.splitlines()))
    return event("piece", [name, *lines], f"{time.time():.6f}")


def pieces(changed: Collection[int], readers: Collection[Viewer], *, house: bool) -> Mapping[Viewer, Pieces]:
    """Return what to send to each reader about each changed table, or with `house` about the house."""
    change = News(changed, timezone.now(), house=house)
    if not house:
        _sent.update({pk: one.facts for pk, one in change.cards.items()})
    return {reader: _of_page(change, reader) for reader in readers}


def _of_page(change: News, reader: Viewer) -> Pieces:
    with translation.override(reader.language):
        return PAGES[reader.page](change, reader)


def overlooked() -> set[int]:
    """Return the tables that differ from what screens were last sent, or from the last call of this."""
    now = {one.facts.session.pk: one.facts for one in all_shown(the_site(), timezone.now())}
    other = {pk for pk, facts in _sent.items() if now.get(pk) is not facts}
    _sent.clear()
    _sent.update(now)
    return other


def _may(reader: Viewer, *rights: str) -> bool:
    return any(map(reader.has_perm, rights))


def _board(change: News, reader: Viewer) -> Pieces:
    """Return a card for each changed table; of the house, what needs somebody, also in the tables' lines."""
    if not _may(reader, *READERS):
        return {}
    if change.house:
        kind = tuple(map(reader.has_perm, (RUN_FLOOR, SIGN_OFF_DROPS, MANAGE_HOUSE)))
        shown = change.rendered(
            "attention", kind, "floor/_attention.html", lambda: change.at_hand.panel(reader)
        )
        return {HOUSE: {"attention": shown} | change.marks}
    may_handle = reader.has_perm(HANDLE_CHIPS)
    found = {pk: {"behind": BEHIND} for pk in change.closed}
    for pk, one in change.cards.items():
        card = change.piece(f"card-{pk}", (may_handle,), partial(one.card, may_handle=may_handle))
        found[pk] = {f"card-{pk}": card}
    return found


def _signal(change: News, reader: Viewer) -> Pieces:
    session = reader.session
    if change.house or session is None or session not in change.changed:
        return {}
    return {session: {f"table-{session}": event(f"table-{session}", ["changed"])}}


def _tablet(change: News, reader: Viewer) -> Pieces:
    """Return the seats, and the signal on which the tablet asks for its plan."""
    pieces = _signal(change, reader)
    for session, messages in pieces.items():
        facts = change.facts_of(session)
        theirs = reader.dealer in (None, facts.session.dealer_id)
        if theirs and _may(reader, HANDLE_CHIPS, *READERS):
            kind = reader.has_perm(HANDLE_CHIPS), reader.has_perm(RUN_FLOOR)
            name, shown = f"seats-{session}", partial(seat_panel, reader, facts, key="")
            messages[name] = change.rendered(name, kind, "seats/_seat_list.html", shown)
    return pieces


def _table(change: News, reader: Viewer) -> Pieces:
    if not _may(reader, *READERS):
        return _signal(change, reader)
    pieces = _tablet(change, reader)
    for session, messages in pieces.items():
        facts, name = change.facts_of(session), f"panel-{session}"
        rights = tuple(map(reader.has_perm, (RUN_FLOOR, ASK_CORRECTIONS, APPROVE_CORRECTIONS)))
        kind = (*rights, reader.pk if reader.pk in change.askers else None)
        shown = partial(table_panel, reader, facts)
        messages[name] = change.rendered(name, kind, "floor/_table_live.html", shown)
    return pieces


def _lists(change: News, reader: Viewer) -> Pieces:
    if not change.house or not reader.has_perm(RUN_FLOOR):
        return {}
    piece = change.rendered("lists", (), "waiting/_lists.html", lambda: list_facts(the_site(), change.now))
    return {HOUSE: {"lists": piece}}


def _dues(change: News, reader: Viewer) -> Pieces:
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
