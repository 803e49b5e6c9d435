"""The fees due now at every open table: who owes what, since when, and how it will be taken. Reads only.

The figures come from `planned_fees`, which the verbs use too. Only what it needs is read, as plain rows, because the
board is open all night and shows up to a thousand seats.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import OuterRef, Subquery

from tables.models import Charge, ClockStop, Down, Rate, Sitting, TableSession
from tables.rules.table import downs
from tables.state.persons import PERSON
from tables.state.plan import PlannedFee, following, open_fee, planned_fees
from tables.state.rows import FOLLOWING, oldest_first
from tables.state.table_state import TableState


class Seat(NamedTuple):
    """A seated player with only the fields that fees depend on; also stands in for its own stack."""

    pk: int
    session_id: int
    seat: int
    player_id: int
    name: str
    number: str
    description: str
    entered_at: datetime
    sitting_out: bool
    balance_cents: int

    @property
    def person_id(self) -> int:
        """A seated player stands for themselves: an entry that was merged sits nowhere."""
        return self.player_id

    @property
    def stack(self) -> "Seat":
        return self

    @property
    def player(self) -> str:
        """The player's name, as `Player` shows it."""
        return self.name or (f"No. {self.number}" if self.number else self.description)


@dataclass(frozen=True, slots=True)
class Due:
    """What one player owes at a table. `minute` is the minute of the down in which it became due, on the table's clock.

    `taken`: the next round takes all of it from the stack; otherwise the player must add on or pay (R63). `seat` is
    None for a player who left without paying and sits nowhere; `uncollected` are then the numbers of the uncollected
    fees. `minute` is None if the oldest fee followed from another table; `following` says which did (R51).
    """

    sitting_id: int
    seat: int | None
    player: str
    cents: int
    since: datetime
    minute: int | None
    taken: bool
    fees: tuple[PlannedFee, ...]
    uncollected: tuple[int, ...] = ()

    @property
    def following(self) -> str:
        """The fees that followed the player from other tables in words, empty if there are none."""
        return following(self.fees)


@dataclass(frozen=True, slots=True)
class TableDues:
    """An open table with fees due; `down` is the current one, None while the clock waits."""

    session: TableSession
    down: int | None
    rows: tuple[Due, ...]

    @property
    def cents(self) -> int:
        return sum(row.cents for row in self.rows)


@dataclass(frozen=True, slots=True)
class Dues:
    """What is due now at all open tables. `sessions` are the ids of all of them, including those where nobody owes."""

    tables: tuple[TableDues, ...]
    sessions: tuple[int, ...]

    @property
    def rows(self) -> int:
        return sum(len(table.rows) for table in self.tables)

    @property
    def cents(self) -> int:
        return sum(table.cents for table in self.tables)

    @property
    def blocked_cents(self) -> int:
        """The part in cents that the next round will not take by itself."""
        return sum(row.cents for table in self.tables for row in table.rows if not row.taken)


_OF_SESSIONS: tuple[str, ...] = (
    "table__number",
    "limit_cents",
    "rate_id",
    "max_buy_in_cents",
    "next_rate_id",
)
_OF_SESSIONS += ("next_max_buy_in_cents", "closed_at")


def dues_now(now: datetime) -> Dues:
    """Return what is due at every open table, by table number. Nine queries, however many tables and seats."""
    states = _states()
    seated = {sitting.player_id for state in states.values() for sitting in state.sittings}
    owed = [_table_dues(state, seated, now) for state in states.values()]
    return Dues(tuple(table for table in owed if table.rows), tuple(states))


def _states() -> dict[int, TableState]:
    """Return the states of all open tables with only what fees depend on; rounds are not read."""
    at_open = TableSession.objects.filter(closed_at__isnull=True)
    opened = at_open.select_related("table").only(*_OF_SESSIONS).order_by("table__number", "opened_at")
    states = {one.pk: TableState(one) for one in opened}
    rates = Rate.objects.in_bulk()
    for state in states.values():
        session = state.session
        session.rate = rates[session.rate_id]
        session.next_rate = rates[session.next_rate_id] if session.next_rate_id else None
    newest = Down.objects.filter(session=OuterRef("pk")).order_by("-number").values("pk")[:1]
    latest = Down.objects.filter(pk__in=list(at_open.values_list(Subquery(newest), flat=True)))
    for down in latest:
        states[down.session_id].latest_down = down
    for stop in ClockStop.objects.filter(session__in=at_open).order_by("stopped_at"):
        states[stop.session_id].stops.append(stop)
    _read_seats(states)
    _read_charges(states)
    return states


def _read_seats(states: dict[int, TableState]) -> None:
    columns: tuple[str, ...] = ("pk", "session_id", "seat", "player_id", "player__name", "player__number")
    columns += ("player__description", "entered_at", "sitting_out", "stack__balance_cents")
    seated = Sitting.objects.filter(left_at__isnull=True)
    for row in seated.order_by("session_id", "seat").values_list(*columns):
        seat: Any = Seat(*row)
        states[seat.session_id].sittings.append(seat)
    used = Charge.objects.filter(sitting=OuterRef("pk")).values("pk")[:1]
    covered = seated.filter(covered_by__isnull=False).annotate(used=Subquery(used)).filter(used__isnull=True)
    for pk, session_id in covered.values_list("pk", "session_id"):
        states[session_id].covered.add(pk)


def _read_charges(states: dict[int, TableState]) -> None:
    latest = [state.latest_down.pk for state in states.values() if state.latest_down is not None]
    for session_id, person in Charge.objects.filter(down__in=latest).values_list("session_id", PERSON):
        states[session_id].charged_players.add(person)
    unpaid = Charge.objects.open().filter(session__closed_at__isnull=True)
    unpaid = unpaid.annotate(person=PERSON)
    for charge in unpaid.select_related("down", "player", "uncollected"):
        states[charge.session_id].open_charges.append(charge)
    sits_at = {sitting.player_id: pk for pk, state in states.items() for sitting in state.sittings}
    for charge in FOLLOWING.rows(list(sits_at)):
        if charge.session_id != sits_at[charge.person]:
            states[sits_at[charge.person]].open_charges.append(charge)
    for state in states.values():
        state.open_charges = oldest_first(state.open_charges)


def _table_dues(state: TableState, seated: Collection[int], now: datetime) -> TableDues:
    down, fresh, stops = state.down_at(now), bool(state.downs_begun(now)), state.rule_stops
    rows = []
    owed = {charge.person for charge in state.open_charges}
    for sitting in state.sittings:
        if not fresh and sitting.player_id in state.charged_players and sitting.player_id not in owed:
            continue  # usually nearly everybody has paid
        fees, _ = planned_fees(state, sitting, down, fresh_down=fresh)
        cents = sum(fee.cents for fee in fees)
        if cents:
            since, started = _since(fees, sitting, down)
            ran = downs.clock_between(started, since, stops) if started else None
            minute = None if ran is None else int(ran.total_seconds() // 60)
            taken = all(fee.method is not None for fee in fees)
            rows.append(Due(sitting.pk, sitting.seat, str(sitting.player), cents, since, minute, taken, fees))
    return TableDues(state.session, down.number if down else None, (*rows, *_gone(state, seated)))


def _since(
    fees: Iterable[PlannedFee], sitting: Sitting, down: downs.DownStart | None
) -> tuple[datetime, datetime | None]:
    """Since when the oldest of these fees has been due, and when its down began; None for a down of another table."""
    moments: list[tuple[datetime, datetime | None]] = []
    for fee in fees:
        if fee.cents and fee.charge is not None:
            moments.append((fee.charge.charged_at, None if fee.table else fee.charge.down.started_at))
        elif fee.cents and down is not None:
            moments.append((max(down.started_at, sitting.entered_at), down.started_at))
    return min(moments, key=lambda moment: moment[0])


def _gone(state: TableState, seated: Collection[int]) -> Iterable[Due]:
    """Yield one row for each player who owes here, has left, and sits at no other table."""
    owed: defaultdict[int, list[Charge]] = defaultdict(list)
    for charge in state.open_charges:
        if charge.person not in seated and charge.is_owed():
            owed[charge.person].append(charge)
    for charges in owed.values():
        first = charges[0]
        fees = tuple(open_fee(state, one) for one in charges)
        ran = downs.clock_between(first.down.started_at, first.charged_at, state.rule_stops)
        yield Due(
            sitting_id=charges[-1].sitting_id,
            seat=None,
            player=str(first.player),
            cents=sum(one.cents for one in charges),
            since=first.charged_at,
            minute=int(ran.total_seconds() // 60),
            taken=False,
            fees=fees,
            uncollected=tuple(one.uncollected.number for one in charges if hasattr(one, "uncollected")),
        )
