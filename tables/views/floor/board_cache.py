"""Every open table as the board shows it, cached in this process with the rows it was made of.

Rows are read each time in a fixed number of queries; only a table whose rows changed is built again, so the
cache needs no invalidation. Its objects are shared between readers: never change them.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from django.template.loader import get_template, render_to_string
from django.utils.translation import get_language

from tables.floor.must_move import Turn, turns
from tables.rounds.pushes import latest_pushes
from tables.state.evidence import Standing, latest_standings
from tables.state.held_seats import held_seats
from tables.state.rows import read_rows
from tables.state.table_state import AT_HAND, OPEN, TableState, state_from
from tables.views.panels import TableFacts, asked_corrections, facts_of

ALWAYS = datetime.max.replace(tzinfo=UTC)


@dataclass
class Shown:
    """An open table, valid from `since` until `until` while the rows it was `made_of` stay the same.

    The clock in `facts` is that of `since`; `cards` caches the board's HTML.
    """

    made_of: tuple[Any, ...]
    facts: TableFacts
    since: datetime
    until: datetime
    turn: Turn | None = None
    cards: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def card(self, *, may_handle: bool) -> str:
        """Return the table's HTML on the board in the reader's language, with or without the right to handle
        chips."""
        turn = self.turn
        to = turn and (str(turn.sitting.player), str(turn.table), turn.in_round)
        key = (may_handle, get_language(), to)
        if key not in self.cards:
            shows = {"facts": replace(self.facts, turn=turn), "may_handle": may_handle}
            self.cards[key] = render_to_string("floor/_card.html", shows)
        return self.cards[key]


_shown: dict[int, Shown] = {}


def forget() -> None:
    """Clear the cache, as in a new process."""
    _shown.clear()


def all_shown(site: Any, now: datetime) -> list[Shown]:
    tables = _read(OPEN.values(), now)
    for pk in _shown.keys() - {shown.facts.session.pk for shown in tables}:
        _shown.pop(pk, None)  # it was closed
    return [one for one in tables if one.facts.session.table.site_id == site.pk]


def shown_at(session_ids: Collection[int], now: datetime) -> dict[int, Shown]:
    """Return the open ones of these tables, and their main games, whose turns may have changed (R55)."""
    ids = set(session_ids)
    values = AT_HAND.values(ids) if ids else []
    mains = {value[AT_HAND.column("must_move_to_id")] for value in values} - {None}
    if not mains <= ids:
        ids |= mains
        values = AT_HAND.values(ids)
    return {one.facts.session.pk: one for one in _read(values, now) if one.facts.session.pk in ids}


def warm(now: datetime) -> None:
    """Build the board once for each kind of reader at start: the first time is many times slower."""
    get_template("floor/board.html")
    for one in _read(OPEN.values(), now):
        for may_handle in (True, False):
            one.card(may_handle=may_handle)


def _read(sessions: list[Any], now: datetime) -> list[Shown]:
    number = OPEN.column("id")
    opened = {values[number]: values for values in sessions}
    rows, asked, pushes = read_rows(opened), asked_corrections(opened), latest_pushes(opened)
    held, standings = held_seats(opened, now), latest_standings(opened)
    keeping: dict[int, list[Any]] = {}
    for (pk, seat), place in sorted(held.items()):
        keeping.setdefault(pk, []).append((seat, str(place.player), place.until, place.coming_at))
    shown = {}
    for pk, values in opened.items():
        standing = standings.get(pk)
        made_of = (
            values,
            rows[pk],
            asked.get(pk),
            keeping.get(pk),
            standing and _says(standing),
            pushes.get(pk),
        )
        known = _shown.get(pk)
        if known is None or known.made_of != made_of or not known.since <= now < known.until:
            (session,) = OPEN.made([values])
            state = state_from(session, rows[pk])
            state.latest_match = standing
            dealer, since = pushes.get(pk, ("", None))
            facts = replace(facts_of(state, asked, held, now), dealer=dealer, dealer_since=since)
            known = _shown[pk] = Shown(made_of, facts, now, _until(state, now))
        shown[pk] = known
    going = turns([one.facts.state for one in shown.values()], held)
    for pk, (_, turn) in going.items():
        shown[pk] = replace(shown[pk], turn=turn)
    return list(shown.values())


def _says(standing: Standing) -> tuple[Any, ...]:
    match = standing.match
    points = [(sitting.pk, str(sitting.player), points) for sitting, points in standing.table]
    return (match.pk, match.called_off_at, standing.rounds, standing.won_by, points, standing.payments)


def _until(state: TableState, now: datetime) -> datetime:
    """Return the moment at which time alone changes the table."""
    moments: Iterable[datetime | None] = (
        state.down_ends_at(now),
        *(sitting.entered_at for sitting in state.sittings),
        *(moment for stop in state.stops for moment in (stop.stopped_at, stop.started_at)),
    )
    return min((moment for moment in moments if moment is not None and moment > now), default=ALWAYS)
