"""The fees due now at every open table: who owes what, since when, and how it will be taken.

From `planned_fees`, as the verbs. Only the needed columns are read: the page is open all night."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import OuterRef, Subquery

from ledger.db.compiled import Compiled
from ledger.journal.particulars import of_the_house
from tables.models import Charge, ClockStop, Down, Sitting, TableSession
from tables.rules.table import downs
from tables.state.persons import PERSON
from tables.state.plan import PlannedFee, SeatFees, following, open_fee
from tables.state.rows import FOLLOWING, oldest_first
from tables.state.table_state import TableState


class Seat(NamedTuple):
    """A seated player with only the fields that fees depend on; also stands for its own stack."""

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
    covered_by_id: int | None

    @property
    def person_id(self) -> int:
        """Return the player: a merged entry sits nowhere."""
        return self.player_id

    @property
    def stack(self) -> "Seat":
        return self

    @property
    def player(self) -> str:
        return self.name or (f"No. {self.number}" if self.number else self.description)


class Due(NamedTuple):
    """What one player owes at a table; `minute` is when it became due, on the down's clock. `taken`: the next
    round takes all of it from the stack (R63). `seat` is None for a player who has left, with the numbers in
    `uncollected`. `minute` is None if the oldest fee followed from another table (R51)."""

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
        """The fees that followed the player from other tables, in words."""
        return following(self.fees)


@dataclass(frozen=True, slots=True)
class TableDues:
    session: TableSession
    down: int | None
    rows: tuple[Due, ...]

    @property
    def cents(self) -> int:
        return sum(row.cents for row in self.rows)

    @property
    def asked(self) -> list[Due]:
        """The fees that somebody must see to: no round takes them by itself."""
        return [row for row in self.rows if not row.taken]

    @property
    def taken(self) -> list[Due]:
        """What the next round takes from the stack."""
        return [row for row in self.rows if row.taken]


@dataclass(frozen=True, slots=True)
class Dues:
    """What is due now; `sessions` are the ids of all open tables."""

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
        """The cents that the next round will not take by itself."""
        return sum(row.cents for table in self.tables for row in table.rows if not row.taken)


_MINUTE = timedelta(minutes=1)
_AT_OPEN = TableSession.objects.filter(of_the_house("table__site"), closed_at__isnull=True)
_NEWEST = Down.objects.filter(session=OuterRef("pk")).order_by("-number").values("pk")[:1]
_SESSIONS = Compiled(
    lambda _: _AT_OPEN.order_by("table__number", "opened_at"),
    joined="table rate next_rate",
    read="table_id rate_id next_rate_id limit_cents max_buy_in_cents next_max_buy_in_cents closed_at"
    " table__number rate__limit_cents rate__fee_cents next_rate__limit_cents next_rate__fee_cents",
)
_LATEST = Compiled(
    lambda _: Down.objects.filter(pk__in=_AT_OPEN.values(newest=Subquery(_NEWEST))), unread="waited_from"
)
_STOPS = Compiled(lambda _: ClockStop.objects.filter(session__in=_AT_OPEN).order_by("stopped_at"))
_SEATS: Compiled[Any] = Compiled(
    lambda _: Sitting.objects.filter(of_the_house("session__table__site"), left_at__isnull=True).order_by(
        "session_id", "seat"
    ),
    plain=True,
    read="id session_id seat player_id player__name player__number player__description entered_at sitting_out"
    " stack__balance_cents covered_by_id",
)
_UNPAID: Compiled[Any] = Compiled(
    lambda _: (
        Charge.objects.open()
        .filter(of_the_house("session__table__site"), session__closed_at__isnull=True)
        .annotate(person=PERSON)
    ),
    joined="down player uncollected",
    added="person",
)


def dues_now(now: datetime) -> Dues:
    """Return what is due at every open table, by number. At most eight queries."""
    # The states of open tables have only what fees depend on, without rounds and charges.
    states = {one.pk: TableState(one) for one in _SESSIONS.rows()}
    for down in _LATEST.rows():
        states[down.session_id].latest_down = down
    for stop in _STOPS.rows():
        states[stop.session_id].stops.append(stop)
    covered: dict[int, int] = {}
    for row in _SEATS.rows():
        seat: Any = Seat._make(row)
        states[seat.session_id].sittings.append(seat)
        if seat.covered_by_id is not None:
            covered[seat.pk] = seat.session_id
    if covered:
        used = Charge.objects.filter(sitting__in=covered).values_list("sitting_id", flat=True)
        for pk in covered.keys() - set(used):
            states[covered[pk]].covered.add(pk)
    running = {pk: state.downs_until(now) for pk, state in states.items()}
    # Nobody has been charged for a down that has just begun.
    _read_charges(states, [state.latest_down for pk, state in states.items() if not running[pk][0]])
    seated = {sitting.player_id for state in states.values() for sitting in state.sittings}
    owed = [_table_dues(state, seated, *running[pk]) for pk, state in states.items()]
    return Dues(tuple(table for table in owed if table.rows), tuple(states))


def _read_charges(states: dict[int, TableState], latest: Iterable[Down | None]) -> None:
    charged = [down.pk for down in latest if down is not None]
    if charged:
        for session_id, person in Charge.objects.filter(down__in=charged).values_list("session_id", PERSON):
            states[session_id].charged_players.add(person)
    for charge in _UNPAID.rows():
        states[charge.session_id].open_charges.append(charge)
    sits_at = {sitting.player_id: pk for pk, state in states.items() for sitting in state.sittings}
    for charge in FOLLOWING.rows(list(sits_at)):
        if charge.session_id != sits_at[charge.person]:
            states[sits_at[charge.person]].open_charges.append(charge)
    for state in states.values():
        state.open_charges = oldest_first(state.open_charges)


def _table_dues(
    state: TableState, seated: Collection[int], begun: Sequence[downs.DownStart], down: downs.DownStart | None
) -> TableDues:
    fresh, stops, rows = bool(begun), state.rule_stops, []
    owing, owed = SeatFees(state, down, fresh_down=fresh), {charge.person for charge in state.open_charges}
    for sitting in state.sittings:
        if not fresh and sitting.player_id in state.charged_players and sitting.player_id not in owed:
            continue  # usually nearly everybody has paid
        fees, _ = owing.of(sitting)
        cents = sum([fee.cents for fee in fees])
        if cents:
            since, started = _since(fees, sitting, down)
            ran = downs.clock_between(started, since, stops) if started else None
            minute = None if ran is None else ran // _MINUTE
            taken = None not in [fee.method for fee in fees]
            rows.append(Due(sitting.pk, sitting.seat, str(sitting.player), cents, since, minute, taken, fees))
    return TableDues(state.session, down.number if down else None, (*rows, *_gone(state, seated)))


def _since(
    fees: Iterable[PlannedFee], sitting: Sitting, down: downs.DownStart | None
) -> tuple[datetime, datetime | None]:
    """Return since when the oldest fee is due, and its down's start; None for another table's down."""
    moments: list[tuple[datetime, datetime | None]] = []
    for fee in fees:
        if fee.cents and fee.charge is not None:
            moments.append((fee.charge.charged_at, None if fee.table else fee.charge.down.started_at))
        elif fee.cents and down is not None:
            moments.append((max(down.started_at, sitting.entered_at), down.started_at))
    return moments[0] if len(moments) == 1 else min(moments, key=lambda moment: moment[0])


def _gone(state: TableState, seated: Collection[int]) -> Iterable[Due]:
    """Yield a row for each player who owes here, has left, and sits nowhere else."""
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
            minute=ran // _MINUTE,
            taken=False,
            fees=fees,
            uncollected=tuple(one.uncollected.number for one in charges if hasattr(one, "uncollected")),
        )
