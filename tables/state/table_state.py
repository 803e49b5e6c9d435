"""What a table is right now, read in few queries: who sits where, which down runs, what is owed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from django.db.models import Q, QuerySet

from ledger.db.compiled import Compiled, among
from tables.models import Charge, ClockStop, Down, Round, Schedule, Sitting, TableSession
from tables.rules.game.sheet import Sheet, parse_sheet
from tables.rules.table import buy_ins, downs, eligibility
from tables.state.matches import Standing, latest_standings
from tables.state.rows import ACCOUNT_TIMES, TableRows, read_rows


@dataclass(frozen=True, slots=True)
class Rate:
    """What a down is played at, from its beginning to its end (R64)."""

    schedule: Schedule
    max_buy_in_cents: int

    @property
    def limit_cents(self) -> int:
        return self.schedule.limit_cents

    @property
    def nine_points_cents(self) -> int:
        """What a stack must hold for the player to be dealt in (R53)."""
        return buy_ins.nine_points(self.limit_cents)


@dataclass
class TableState:
    """A session with everything that its verbs and screens need to know.

    `covered` are the sittings for whose next fee one at the table before stands (R62); `last_dealt` are those that the
    last round was dealt to, one for each hand; `latest_match` is how the newest match of a race stands.
    """

    session: TableSession
    sittings: list[Sitting] = field(default_factory=list)
    latest_down: Down | None = None
    stops: list[ClockStop] = field(default_factory=list)
    open_charges: list[Charge] = field(default_factory=list)
    charged_players: set[int] = field(default_factory=set)
    covered: set[int] = field(default_factory=set)
    last_round: Round | None = None
    last_dealt: list[int] = field(default_factory=list)
    last_by_hand: bool = False
    latest_match: Standing | None = None

    @property
    def match(self) -> Standing | None:
        """The match that runs (R42): it was neither won nor called off."""
        return self.latest_match if self.latest_match is not None and self.latest_match.running else None

    @cached_property
    def running_round(self) -> Round | None:
        last = self.last_round
        return last if last is not None and last.state == Round.State.DEALT else None

    @cached_property
    def in_round(self) -> frozenset[int]:
        """The sittings that play the running round; none between rounds."""
        return frozenset(self.last_dealt if self.running_round else ())

    @property
    def rule_stops(self) -> list[downs.Stop]:
        return [downs.Stop(stop.stopped_at, stop.started_at) for stop in self.stops]

    @property
    def open_stop(self) -> ClockStop | None:
        return next((stop for stop in self.stops if stop.started_at is None), None)

    def not_before(self, now: datetime) -> datetime:
        """`now`, or the newest moment on record where that is later: a verb may have waited for the table's lock.

        So what is recorded in an order also bears times in that order.
        """
        recorded = [now]
        if self.latest_down is not None:
            recorded.append(self.latest_down.started_at)
        if self.last_round is not None:
            recorded += [self.last_round.started_at, self.last_round.ended_at or now]
        recorded += [stop.started_at or stop.stopped_at for stop in self.stops]
        return max(recorded)

    @property
    def rate(self) -> Rate:
        """That of the newest down with a row; before the first, that of the opening."""
        return Rate(self.session.schedule, self.session.max_buy_in_cents)

    @property
    def next_rate(self) -> Rate:
        """That of the first down without a row: what was announced for it, else what holds until then (R64)."""
        announced = self.session.next_schedule
        return self.rate if announced is None else Rate(announced, self.session.next_max_buy_in_cents)

    def rate_of(self, down: downs.DownStart | None) -> Rate:
        """The rate of a down that runs, as `down_at` gives it; where none does, that of the one that comes."""
        written = down is not None and self.latest_down is not None and down.number == self.latest_down.number
        return self.rate if written else self.next_rate

    def announced(self, now: datetime) -> tuple[int, Rate] | None:
        """The number of the down from which an announced rate will hold, and that rate; None where none is to come."""
        if self.session.next_schedule_id is None or self.session.closed_at or self.downs_begun(now):
            return None
        return (self.latest_down.number if self.latest_down else 0) + 1, self.next_rate

    @property
    def enough_players(self) -> bool:
        """Whether two players are eligible but for the fee, so that a new down may start: at its limit (R61, R64)."""
        limit = self.next_rate.limit_cents
        playing = (one for one in self.sittings if not one.sitting_out)
        return (
            sum(not buy_ins.is_short(one.stack.balance_cents, limit) for one in playing)
            >= eligibility.FEWEST_PLAYERS
        )

    def downs_begun(self, now: datetime) -> list[downs.DownStart]:
        """The downs that have begun by `now` and have no row yet (R61)."""
        if self.latest_down is None or self.session.closed_at:
            return []
        latest = downs.DownStart(self.latest_down.number, self.latest_down.started_at)
        return downs.begun_by(latest, now, self.rule_stops, enough=self.enough_players)

    def down_at(self, now: datetime) -> downs.DownStart | None:
        """The down that `now` lies in; None before the first round, and while the clock waits at a boundary."""
        if self.latest_down is None:
            return None
        begun = self.downs_begun(now)
        latest = begun[-1] if begun else downs.DownStart(self.latest_down.number, self.latest_down.started_at)
        end = downs.down_ends(latest.started_at, self.rule_stops)
        return latest if end is None or now < end else None

    def down_ends_at(self, now: datetime) -> datetime | None:
        """When the current down ends; None before the first, while the clock waits or stands still."""
        current = self.down_at(now)
        return downs.down_ends(current.started_at, self.rule_stops) if current else None

    def waits(self, now: datetime) -> bool:
        """Whether the clock waits at a boundary for a second eligible player (R61)."""
        return self.latest_down is not None and self.down_at(now) is None


def load_states(sessions: Iterable[TableSession]) -> list[TableState]:
    """Return the state of each session, in order, in five queries however many there are, three more where one is a race.

    The sessions come with `table`, `sheet`, `schedule` and `next_schedule` selected.
    """
    found = {session.pk: session for session in sessions}
    rows = read_rows(found)
    states = {pk: state_from(session, rows[pk]) for pk, session in found.items()}
    races = [pk for pk, session in found.items() if sheet_of(session).race_to]
    for pk, standing in latest_standings(races).items() if races else ():
        states[pk].latest_match = standing
    return list(states.values())


def state_from(session: TableSession, rows: TableRows) -> TableState:
    """Return the state that these rows say; without how a match stands."""
    sittings, (down, charged) = rows.seated(), rows.latest_down()
    last_round, last_dealt = rows.last_round()
    if down is not None and session.schedule_id == down.schedule_id:
        session.schedule = down.schedule  # a session that was locked comes without it
    return TableState(
        session,
        sittings=sittings,
        latest_down=down,
        stops=rows.clock_stops(),
        open_charges=rows.open_charges(),
        charged_players=charged,
        covered={sitting.pk for sitting in sittings if sitting.covered},
        last_round=last_round,
        last_dealt=last_dealt,
        last_by_hand=last_round is not None and last_round.by_hand,
    )


def sessions() -> QuerySet[TableSession]:
    """The sessions with what `load_states` needs, by table number."""
    return TableSession.objects.select_related(
        "table__site",
        "sheet",
        "schedule",
        "next_schedule",
        "bank_chips",
        "bank_cash",
        "box__chips",
        "box__cash",
    ).order_by("table__number", "opened_at")


def _shown() -> QuerySet[TableSession]:
    joined = ("table__site", "sheet", "schedule", "next_schedule", "bank_chips")
    unseen = ["opened_at", "told_until", "sheet__raw", "sheet__first_used_at"]
    unseen += [f"bank_chips__{at}" for at in ACCOUNT_TIMES]
    unseen += ["schedule__effective_from", "next_schedule__effective_from"]
    return TableSession.objects.select_related(*joined).defer(*unseen).order_by("table__number", "opened_at")


OPEN = Compiled(lambda _: _shown().filter(closed_at__isnull=True))
"""Every open session with what a screen of many shows, by table number."""


AT_HAND = Compiled(
    lambda _: _shown().filter(Q(among("pk")) | Q(among("must_move_to_id")), closed_at__isnull=True)
)
"""Of the sessions that are asked for the open ones, and those whose players must move there (R55)."""


def state_of(session: TableSession) -> TableState:
    """Return the state of one session."""
    return load_states([session])[0]


# Sheets that have been read, by the hash of their bytes: as many as there are versions of games.
_sheets: dict[str, Sheet] = {}


def sheet_of(session: TableSession) -> Sheet:
    """Return the sheet the session was opened with, from the bytes kept at its first use."""
    kept = session.sheet
    if kept.sha256 not in _sheets:
        _sheets[kept.sha256] = parse_sheet(bytes(kept.raw), f"{kept.code}.toml")
    return _sheets[kept.sha256]
