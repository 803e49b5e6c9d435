"""What a table is right now, read in few queries: who sits where, which down runs, what is owed."""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any

from django.db.models import Q, QuerySet

from ledger.db.compiled import Compiled, among
from ledger.journal.particulars import of_the_house
from tables.models import ClockStop, Down, Rate, Round, Sitting, TableSession
from tables.rules.game.sheet import Sheet, parse_sheet
from tables.rules.table import buy_ins, dealing, downs, eligibility
from tables.state import rows
from tables.state.evidence import Standing, latest_standings


@dataclass(frozen=True, slots=True)
class TableRate:
    rate: Rate
    max_buy_in_cents: int

    @property
    def limit_cents(self) -> int:
        return self.rate.limit_cents

    @property
    def fee_cents(self) -> int:
        return self.rate.fee_cents

    @property
    def nine_points_cents(self) -> int:
        """The stack in cents that a player needs to be dealt in (R53)."""
        return buy_ins.nine_points(self.limit_cents)


@dataclass
class TableState:
    """A session with everything that its verbs and screens need. `covered` are the sittings whose next fee is
    covered (R62); `last_dealt` has one sitting per hand; `charged_players` have been charged for the newest
    down. `open_charges`, oldest first, are this table's and those that followed its players (R51); each has a
    `person` who owes it (state/persons.py)."""

    session: TableSession
    sittings: list[Sitting] = field(default_factory=list)
    latest_down: Down | None = None
    stops: list[ClockStop] = field(default_factory=list)
    open_charges: list[Any] = field(default_factory=list)
    charged_players: set[int] = field(default_factory=set)
    covered: set[int] = field(default_factory=set)
    last_round: Round | None = None
    last_dealt: list[int] = field(default_factory=list)
    last_by_hand: bool = False
    latest_match: Standing | None = None

    @property
    def match(self) -> Standing | None:
        return self.latest_match if self.latest_match is not None and self.latest_match.running else None

    @cached_property
    def running_round(self) -> Round | None:
        last = self.last_round
        return last if last is not None and last.state == Round.State.DEALT else None

    @cached_property
    def in_round(self) -> frozenset[int]:
        return frozenset(self.last_dealt if self.running_round else ())

    def free_seats(self, held: Container[tuple[int, int]]) -> tuple[int, ...]:
        """Return the seats that are neither taken nor `held`, (session id, seat)."""
        taken = {sitting.seat for sitting in self.sittings}
        return tuple(s for s in dealing.SEATS if s not in taken and (self.session.pk, s) not in held)

    @property
    def rule_stops(self) -> list[downs.Stop]:
        return [downs.Stop(stop.stopped_at, stop.started_at) for stop in self.stops]

    @property
    def open_stop(self) -> ClockStop | None:
        return next((stop for stop in self.stops if stop.started_at is None), None)

    @property
    def rate(self) -> TableRate:
        return TableRate(self.session.rate, self.session.max_buy_in_cents)

    @property
    def next_rate(self) -> TableRate:
        """The rate of the next unrecorded down: the announced one, else the current one (R64)."""
        announced = self.session.next_rate
        maximum = self.session.next_max_buy_in_cents if announced is not None else None
        return self.rate if announced is None or maximum is None else TableRate(announced, maximum)

    def rate_of(self, down: downs.DownStart | None) -> TableRate:
        """Return the rate of a down that `down_at` returned; for None, the rate of the next down."""
        written = down is not None and self.latest_down is not None and down.number == self.latest_down.number
        return self.rate if written else self.next_rate

    def announced(self, now: datetime) -> tuple[int, TableRate] | None:
        """Return the first down that an announced rate applies to, and that rate, or None."""
        if self.session.next_rate_id is None or self.session.closed_at or self.downs_begun(now):
            return None
        return (self.latest_down.number if self.latest_down else 0) + 1, self.next_rate

    @property
    def enough_players(self) -> bool:
        """Whether two players meet every condition but the fee, at the next down's limit (R61, R64)."""
        limit = self.next_rate.limit_cents
        able = (
            one
            for one in self.sittings
            if not (one.sitting_out or buy_ins.is_short(one.stack.balance_cents, limit))
        )
        return sum(1 for _ in islice(able, eligibility.FEWEST_PLAYERS)) == eligibility.FEWEST_PLAYERS

    def downs_begun(self, now: datetime) -> list[downs.DownStart]:
        """Return the downs that have begun by `now` and are not recorded yet (R61)."""
        return self.downs_until(now)[0]

    def down_at(self, now: datetime) -> downs.DownStart | None:
        """Return the down running at `now`; None before the first round and while the clock waits."""
        return self.downs_until(now)[1]

    def downs_until(self, now: datetime) -> tuple[list[downs.DownStart], downs.DownStart | None]:
        """Return `downs_begun` and `down_at` in one go."""
        if self.latest_down is None:
            return [], None
        latest, stops = downs.DownStart(self.latest_down.number, self.latest_down.started_at), self.rule_stops
        begun: list[downs.DownStart] = []
        end = downs.down_ends(latest.started_at, stops)
        if end is not None and end <= now and not self.session.closed_at:
            begun = downs.begun_by(latest, now, stops, enough=self.enough_players)
            if begun:
                latest = begun[-1]
                end = downs.down_ends(latest.started_at, stops)
        return begun, latest if end is None or now < end else None

    def down_ends_at(self, now: datetime) -> datetime | None:
        """Return when the current down ends; None if none runs, or the clock waits or is stopped."""
        current = self.down_at(now)
        return downs.down_ends(current.started_at, self.rule_stops) if current else None

    def waits(self, now: datetime) -> bool:
        """Whether the clock waits at a boundary for a second eligible player (R61)."""
        return self.latest_down is not None and self.down_at(now) is None


def load_states(sessions: Iterable[TableSession]) -> list[TableState]:
    """Return the state of each session, in order, in five queries; more for followed fees (R51) and races.
    The sessions must have `table`, `sheet`, `rate` and `next_rate` selected."""
    found = {session.pk: session for session in sessions}
    read = rows.read_rows(found)
    states = {pk: state_from(session, read[pk]) for pk, session in found.items()}
    races = [pk for pk, session in found.items() if sheet_of(session).race_to]
    for pk, standing in latest_standings(races).items() if races else ():
        states[pk].latest_match = standing
    return list(states.values())


def state_from(session: TableSession, table: rows.TableRows) -> TableState:
    """Return the table's state from its rows, without its match."""
    sittings = rows.SITTINGS.made(table.sittings)
    down = next(iter(rows.DOWNS.made(table.downs)), None)
    last_round = next(iter(rows.ROUNDS.made(table.rounds)), None)
    if down is not None and session.rate_id == down.rate_id:
        session.rate = down.rate  # a locked session is read without it
    return TableState(
        session,
        sittings=sittings,
        latest_down=down,
        stops=rows.STOPS.made(table.stops),
        open_charges=rows.oldest_first(rows.UNPAID.made(table.unpaid), rows.FOLLOWING.made(table.following)),
        charged_players=set(rows.ids_in(down.charged)) if down is not None else set(),
        covered={sitting.pk for sitting in sittings if sitting.covered},
        last_round=last_round,
        last_dealt=rows.ids_in(last_round.dealt) if last_round is not None else [],
        last_by_hand=last_round is not None and bool(last_round.by_hand),
    )


def sessions() -> QuerySet[TableSession]:
    """Return the sessions with everything `load_states` needs selected, by table number."""
    return TableSession.objects.select_related(
        "table__site", "sheet", "rate", "next_rate", "bank_chips", "bank_cash", "box__chips", "box__cash"
    ).order_by("table__number", "opened_at")


def session_of_the_house(pk: int) -> TableSession | None:
    """Return one session of the house, open or closed, selected like the open ones, or None."""
    return sessions().filter(of_the_house("table__site"), pk=pk).first()


def _shown(*conditions: Callable[[], Q]) -> Compiled[TableSession]:
    unseen = ["opened_at", "told_until", "sheet__raw", "sheet__first_used_at"]
    unseen += [f"bank_chips__{at}" for at in rows.ACCOUNT_TIMES]
    unseen += ["rate__effective_from", "next_rate__effective_from"]
    return Compiled(
        lambda _: TableSession.objects.filter(
            *(condition() for condition in conditions), closed_at__isnull=True
        ).order_by("table__number", "opened_at"),
        joined="table table__site sheet rate next_rate bank_chips",
        unread=" ".join(unseen),
    )


OPEN = _shown()
"""Every open session with what the board shows, by table number."""
AT_HAND = _shown(lambda: among("pk") | among("must_move_to_id"), lambda: of_the_house("table__site"))
"""The requested sessions of the house that are open, and the open must-move tables that feed them (R55)."""


def state_of(session: TableSession) -> TableState:
    return load_states([session])[0]


# Parsed sheets by the hash of their bytes.
_sheets: dict[str, Sheet] = {}


def sheet_of(session: TableSession) -> Sheet:
    """Return the session's sheet, from the bytes stored at its first use."""
    row = session.sheet
    if row.sha256 not in _sheets:
        _sheets[row.sha256] = parse_sheet(bytes(row.raw), f"{row.code}.toml")
    return _sheets[row.sha256]
