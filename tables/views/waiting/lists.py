"""The page of the waiting lists: every list with its places, free seats, and must-move turns.

Frozen facts, in a fixed number of queries; nothing is written.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ledger.money import dollars
from tables.floor import games
from tables.floor.must_move import Turn, turns
from tables.models import Sitting, TableSession, WaitingPlace
from tables.rules.table.dealing import SEATS
from tables.state.held_seats import State, expired, held_seats, listed
from tables.state.table_state import TableState, load_states, sessions

Listed = tuple[str, int]
"""A game's code and a limit in cents."""


@dataclass(frozen=True)
class TableSeats:
    """An open table of a list with its free seats; `fed` if its must-move players come first."""

    session: TableSession
    free: tuple[int, ...]
    held: tuple[tuple[int, WaitingPlace], ...]
    players: int
    fed: bool
    feeds: TableSession | None

    @property
    def callable_seats(self) -> tuple[int, ...]:
        """The seats that people may be called to: none while must-move players come first (R55)."""
        return () if self.fed else self.free


@dataclass(frozen=True)
class PlaceFacts:
    """One place: its wait, an expired call, the player's seat now, and where a call would go."""

    place: WaitingPlace
    minutes: int
    expired: bool
    sits: Sitting | None
    seat: tuple[TableSession, int] | None
    next: bool

    @property
    def state(self) -> str:
        return "expired" if self.expired else str(self.place.state)


@dataclass(frozen=True)
class ListFacts:
    """One list with its tables; `turns` are must-move turns."""

    game: str
    title: str
    limit_cents: int
    places: tuple[PlaceFacts, ...]
    tables: tuple[TableSeats, ...]
    turns: tuple[Turn, ...]

    @property
    def code(self) -> str:
        return f"{self.game}-{self.limit_cents}"

    @property
    def label(self) -> str:
        return f"{self.title}, limit {dollars(self.limit_cents)}"

    @property
    def free(self) -> int:
        return sum(len(table.free) for table in self.tables)


def open_states(site: Any) -> list[TableState]:
    return load_states(sessions().filter(closed_at__isnull=True, table__site=site))


def waiting_lists(site: Any, now: datetime) -> list[ListFacts]:
    """Return every list with an open table or a place; those without an open table last."""
    states = open_states(site)
    held = held_seats([state.session.pk for state in states], now)
    going = turns(states, held)
    tables: dict[Listed, list[TableSeats]] = {}
    for state in states:
        session = state.session
        tables.setdefault((session.sheet.code, session.limit_cents), []).append(
            _table(state, states, held, bool(going.get(session.pk, ([], None))[0]))
        )
    places: dict[Listed, list[WaitingPlace]] = {key: [] for key in tables}
    for place in standing_places(site, now):
        places.setdefault((place.game, place.limit_cents), []).append(place)
    titles = {state.session.sheet.code: state.session.sheet.title for state in states}
    titles = {sheet.code: games.title_of(sheet) for sheet in games.games()} | titles
    sits = {sitting.player_id: sitting for state in states for sitting in state.sittings}
    for state in states:
        for sitting in state.sittings:
            sitting.session = state.session
    lists = []
    for (game, limit), some in places.items():
        here = tuple(tables.get((game, limit), ()))
        found = [going[table.session.pk][1] for table in here if table.session.pk in going]
        lists.append(
            ListFacts(
                game,
                titles.get(game, game),
                limit,
                tuple(_places(some, here, sits, now)),
                here,
                tuple(turn for turn in found if turn is not None),
            )
        )
    return sorted(lists, key=lambda one: (not one.tables, one.title, one.limit_cents))


def standing_places(site: Any, now: datetime) -> Iterable[WaitingPlace]:
    """Return the places in order; expired ones for their gaming day."""
    return (
        listed(site, now)
        .select_related("player", "session__table", "sitting__session__table")
        .order_by("gaming_day", "number")
    )


def _table(state: TableState, states: list[TableState], held: Any, fed: bool) -> TableSeats:
    session = state.session
    kept = tuple((seat, held[session.pk, seat]) for seat in SEATS if (session.pk, seat) in held)
    free = state.free_seats(held)
    feeds = next((one.session for one in states if one.session.pk == session.must_move_to_id), None)
    feeders = [one for one in states if one.session.must_move_to_id == session.pk]
    return TableSeats(
        session, free, kept, len(state.sittings), fed and any(one.sittings for one in feeders), feeds
    )


def _places(
    places: list[WaitingPlace], tables: tuple[TableSeats, ...], sits: dict[int, Sitting], now: datetime
) -> Iterable[PlaceFacts]:
    first = next((place.pk for place in places if place.state == State.WAITING), None)
    for place in places:
        sitting = sits.get(place.player_id)
        yield PlaceFacts(
            place,
            max(int((now - place.joined_at).total_seconds()), 0) // 60,
            expired(place, now),
            sitting,
            _seat_for(place, tables, sitting),
            place.pk == first,
        )


def _seat_for(
    place: WaitingPlace, tables: tuple[TableSeats, ...], sitting: Sitting | None
) -> tuple[TableSession, int] | None:
    """Return the seat for a call: at the table asked for, else the first free one."""
    wished = place.session_id if place.state == State.WAITING else None
    for table in tables:
        elsewhere = wished is not None and table.session.pk != wished
        own = sitting is not None and sitting.session_id == table.session.pk
        if table.callable_seats and not elsewhere and not own:
            return table.session, table.callable_seats[0]
    return None
