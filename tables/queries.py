"""The state of tables as rows say it, in a constant number of queries for one table or for all of them.

`TableState` is what verbs decide on (under the session's lock) and what screens show. Nothing is written here.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet

from ledger.compiled import Compiled, among
from ledger.money import dollars
from tables.models import Charge, ClockStop, Down, Round, Schedule, Sitting, TableSession
from tables.rules import dealing, downs
from tables.rules.sheet import Sheet, parse_sheet
from tables.standings import Standing, latest_standings
from tables.state_rows import ACCOUNT_TIMES, TableRows, read_rows

WAIT_SENTENCES = {
    "short": "{name} has {stack} and needs {nine} (nine points) to be dealt in.",
    "sitting_out": "{name} sits out.",
    "declined": "{name} declines this round.",
    "fee_due": "{name} owes {due}: add on or pay it in cash.",
    "fifth": "{name} waits as the fifth player.",
    "two_only": "{name} waits: two play at a time, with two hands each.",
    "match": "{name} waits for the next match.",
    "next_round": "{name} waits for the next round.",
    "ready": "{name} can be dealt in once another player can.",
}


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
        return 9 * self.limit_cents


@dataclass(frozen=True, slots=True)
class PlannedFee:
    """A fee a seat owes before the next round: an open `charge`, or one that the round's start will make (`owed`)."""

    cents: int
    rule: str
    down_number: int
    owed: downs.Owed | None = None
    charge: Charge | None = None
    method: str | None = None


@dataclass(frozen=True)
class SeatPlan:
    """One occupied seat before the next round: what it pays, and whether it is dealt in or why it waits."""

    sitting: Sitting
    fees: tuple[PlannedFee, ...] = ()
    stack_cents: int = 0
    reason: str | None = None
    nine_points_cents: int = 0

    @property
    def seat(self) -> int:
        return self.sitting.seat

    @property
    def due_cents(self) -> int:
        """What stays due because the stack cannot pay it (R63)."""
        return sum(fee.cents for fee in self.fees if fee.method is None)


@dataclass(frozen=True)
class RoundPlan:
    """What starting a round at `at` would do: who is dealt in (button first), who waits, which downs begin, at which rate.

    `two_hands` says that two players have two hands each: the game gives them (R35), or both agreed (R54), which they
    may where it is `two_hands_possible`. `pair_stakes` are those of the round before between players who are both dealt
    in again, in the form that rounds keep (R32). `reserved_possible`: the two undealt hands of the round before can
    have been kept for this one (R43).
    """

    at: datetime
    button: int | None
    dealt_in: tuple[SeatPlan, ...]
    waiting: tuple[SeatPlan, ...]
    new_downs: tuple[downs.DownStart, ...]
    down: downs.DownStart | None
    problem: str | None
    rate: Rate
    two_hands: bool = False
    two_hands_possible: bool = False
    pair_stakes: tuple[dict[str, Any], ...] = ()
    reserved_possible: bool = False

    @property
    def seats(self) -> tuple[SeatPlan, ...]:
        return self.dealt_in + self.waiting


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

    def foresee(self, plan: RoundPlan) -> None:
        """Have the session say the rate of a down that has begun and has no row yet, for screens; not to be saved."""
        if plan.new_downs and self.latest_down is not None:
            self.session.schedule, self.session.limit_cents = plan.rate.schedule, plan.rate.limit_cents
            self.session.max_buy_in_cents = plan.rate.max_buy_in_cents

    @property
    def enough_players(self) -> bool:
        """Whether two players are eligible but for the fee, so that a new down may start: at its limit (R61, R64)."""
        nine = self.next_rate.nine_points_cents
        return sum(not one.sitting_out and one.stack.balance_cents >= nine for one in self.sittings) >= 2

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


def planned_fees(
    state: TableState,
    sitting: Sitting,
    down: downs.DownStart | None,
    *,
    fresh_down: bool,
    paid_by: str | None = None,
) -> tuple[tuple[PlannedFee, ...], int]:
    """Return the fees `sitting` owes before the next round, each with how it is taken, and the stack after them.

    `fresh_down` says that `down` has no row yet, so nobody has been charged for it. `paid_by` is `cash` or `cage`
    for a player who pays in cash; else a fee comes from the stack, but only if nine points are left (R63):
    otherwise its `method` is None and it stays due. A covered fee is nothing, however others are paid (R62). Fee and
    nine points are those of the down, or, where none runs, of the one that comes (R64).
    """
    rate = state.rate_of(down)
    fees = [
        PlannedFee(charge.cents, charge.rule, charge.down.number, charge=charge)
        for charge in state.open_charges
        if charge.player_id == sitting.player_id
    ]
    if down is not None and (fresh_down or sitting.player_id not in state.charged_players):
        owed = downs.owed(rate.schedule.fee_cents, down.started_at, sitting.entered_at, state.rule_stops)
        if sitting.pk in state.covered:
            owed = downs.covered(owed)
        fee = PlannedFee(owed.cents, owed.rule, down.number, owed=owed)
        # Screens say of the last one how it is paid; what is covered needs no paying.
        fees = [fee, *fees] if owed.rule == "covered" else [*fees, fee]
    stack = sitting.stack.balance_cents
    planned = []
    for fee in fees:
        method = "covered" if fee.rule == "covered" else paid_by
        if method is None and stack - fee.cents >= rate.nine_points_cents:
            method = "stack"
            stack -= fee.cents
        planned.append(PlannedFee(fee.cents, fee.rule, fee.down_number, fee.owed, fee.charge, method))
    return tuple(planned), stack


def plan_round(
    state: TableState,
    now: datetime,
    *,
    declined: Collection[int] = (),
    in_cash: Collection[int] = (),
    two_hands: Collection[int] = (),
) -> RoundPlan:
    """Return what starting a round at `now` would do (R35, R50, R51, R53, R54, R61-R63).

    `declined` are seats that decline this round, `in_cash` seats whose fee is paid in cash at the table, `two_hands`
    the seats whose players agree to play two hands each.
    """
    sheet = sheet_of(state.session)
    new_downs = tuple(state.downs_begun(now))
    if state.latest_down is None:
        new_downs = (downs.DownStart(1, now),)
        down: downs.DownStart | None = new_downs[0]
    else:
        down = state.down_at(now)
    fresh, rate = bool(new_downs), state.rate_of(down)
    plans: list[SeatPlan] = []
    for sitting in state.sittings:
        fees, stack = planned_fees(
            state, sitting, down, fresh_down=fresh, paid_by="cash" if sitting.seat in in_cash else None
        )
        reason = _reason(state, rate, sitting, fees, declined)
        plans.append(SeatPlan(sitting, fees, stack, reason, rate.nine_points_cents))
    eligible = [plan.seat for plan in plans if plan.reason is None]
    problem = _problem(state, len(eligible))
    if problem in {"too_few_players", "match_too_few_players", "table_closed"} or not eligible:
        return RoundPlan(now, None, (), tuple(plans), new_downs, down, problem, rate)
    last = state.last_round
    button = dealing.button_seat(
        eligible, dealing.LastButton(last.button_seat, last.state == Round.State.VOID) if last else None
    )
    order = dealing.dealt_in(eligible, button, sheet.hands_per_player)
    by_seat = {plan.seat: plan for plan in plans}
    in_turn = "two_only" if sheet.hands_per_player == 2 else "fifth"
    waiting = tuple(replace(plan, reason=plan.reason or in_turn) for plan in plans if plan.seat not in order)
    agreed = len(order) == 2 and set(two_hands) == set(order) and not sheet.race_to
    if two_hands and not agreed:
        problem = problem or "two_hands_not_agreed"
    dealt_in = tuple(by_seat[seat] for seat in order)
    hands_each = 2 if agreed else sheet.hands_per_player
    return RoundPlan(
        now,
        button,
        dealt_in,
        waiting,
        new_downs,
        down,
        problem,
        rate,
        two_hands=hands_each == 2,
        two_hands_possible=len(order) == 2 and sheet.hands_per_player == 1 and not sheet.race_to,
        pair_stakes=_stakes_again(state, dealt_in),
        reserved_possible=sheet.dealing == "closed"
        and hands_each == 1
        and not state.last_by_hand
        and _undealt_by(state, dealt_in),
    )


def _stakes_again(state: TableState, dealt_in: tuple[SeatPlan, ...]) -> tuple[dict[str, Any], ...]:
    """The pair stakes of the last round between sittings that are both dealt in again."""
    last = state.last_round
    if last is None or not last.pair_stakes:
        return ()
    there = set(state.last_dealt)
    again = {plan.seat for plan in dealt_in if plan.sitting.pk in there}
    return tuple(stake for stake in last.pair_stakes if again.issuperset(stake["seats"]))


def _undealt_by(state: TableState, dealt_in: tuple[SeatPlan, ...]) -> bool:
    """Whether the last round was played by these two alone, one hand each, from a deck of its own (R43)."""
    last = state.last_round
    if last is None or last.state != Round.State.SETTLED or last.reserved_from_id is not None:
        return False
    return len(dealt_in) == 2 and sorted(state.last_dealt) == sorted(plan.sitting.pk for plan in dealt_in)


def _reason(
    state: TableState,
    rate: Rate,
    sitting: Sitting,
    fees: tuple[PlannedFee, ...],
    declined: Collection[int],
) -> str | None:
    """Why the seat is not dealt in, the player's own choice first, or None."""
    if sitting.sitting_out:
        return "sitting_out"
    if sitting.stack.balance_cents < rate.nine_points_cents:
        return "short"
    if any(fee.method is None for fee in fees):
        return "fee_due"
    if sitting.seat in declined:
        return "declined"
    return "match" if state.match is not None and not state.match.plays(sitting) else None


def _problem(state: TableState, eligible: int) -> str | None:
    """The code of what keeps a round from starting, or None."""
    if state.session.closed_at:
        return "table_closed"
    if state.running_round:
        return "round_running"
    if state.open_stop:
        return "clock_stopped"
    if eligible >= 2:
        return None
    return "too_few_players" if state.match is None else "match_too_few_players"


def wait_sentence(plan: SeatPlan) -> str:
    """Say why a seat waits."""
    return WAIT_SENTENCES[plan.reason or "ready"].format(
        name=plan.sitting.player,
        stack=dollars(plan.sitting.stack.balance_cents),
        nine=dollars(plan.nine_points_cents),
        due=dollars(plan.due_cents),
    )
