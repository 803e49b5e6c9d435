"""What the floor's screens show of a table at a moment: frozen facts from `TableState`; nothing is written.

Amounts are whole cents, times aware UTC.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ledger.db.compiled import Compiled, among
from ledger.journal.particulars import of_the_house
from tables.floor.must_move import Turn
from tables.models import CorrectionRequest, Round, Sitting, Table, TableSession, WaitingPlace
from tables.rules.table.dealing import SEATS
from tables.state.clock import ClockFacts, shown_clock
from tables.state.evidence import Standing
from tables.state.held_seats import held_seats
from tables.state.plan import (
    PlannedFee,
    RoundPlan,
    SeatPlan,
    following,
    plan_round,
    planned_fees,
    show_upcoming_rate,
)
from tables.state.table_state import TableRate, TableState, sheet_of, state_of


@dataclass(frozen=True)
class SeatFacts:
    """One seat: empty if `sitting` is None.

    `reason` is the code why it is not dealt in. Of `fees_cents`, owed before that round, `due_cents` cannot
    come from the stack (R63), and `due_here_cents` of that fell due here; `following` names what fell due at
    other tables (R51). `held` is the place an empty seat is kept for.
    """

    seat: int
    sitting: Sitting | None = None
    stack_cents: int = 0
    button: bool = False
    in_round: bool = False
    reason: str = ""
    sentence: str = ""
    fees_cents: int = 0
    due_cents: int = 0
    due_here_cents: int = 0
    following: str = ""
    match_points: int | None = None
    held: WaitingPlace | None = None

    @property
    def free(self) -> bool:
        return self.sitting is not None and not self.in_round

    @property
    def may_leave(self) -> bool:
        """Whether the player can leave now: in no round and in no running match (R42)."""
        return self.free and self.match_points is None


@dataclass(frozen=True)
class TableFacts:
    """A table as the board and its own page show it; `turn` (R55) and `dealer_since` are for the board."""

    state: TableState
    plan: RoundPlan
    seats: tuple[SeatFacts, ...]
    clock: ClockFacts
    corrections: int
    waiting: tuple[SeatPlan, ...]
    turn: Turn | None = None
    dealer: str = ""
    dealer_since: datetime | None = None

    @property
    def session(self) -> TableSession:
        return self.state.session

    @property
    def running_round(self) -> Round | None:
        return self.state.running_round

    @property
    def announced(self) -> tuple[int, TableRate] | None:
        """The down from which an announced rate will hold, and that rate (R64)."""
        return self.state.announced(self.plan.at)

    @property
    def match(self) -> Standing | None:
        """The newest match of a race, also when it is over (R42)."""
        return self.state.latest_match

    @property
    def race_to(self) -> int:
        return sheet_of(self.session).race_to

    @property
    def zone(self) -> str:
        return self.session.table.site.time_zone

    @property
    def seated(self) -> int:
        return len(self.state.sittings)

    @property
    def free(self) -> list[int]:
        """The seats that are neither taken nor kept for somebody."""
        return [seat.seat for seat in self.seats if seat.sitting is None and seat.held is None]

    @property
    def fees_cents(self) -> int:
        return sum(seat.fees_cents for seat in self.seats)


def table_facts(session: TableSession, now: datetime) -> TableFacts:
    state = state_of(session)
    return facts_of(state, asked_corrections([session.pk]), held_seats([session.pk], now), now)


def free_tables() -> list[Table]:
    return _FREE.rows()


_FREE = Compiled(
    lambda _: (
        Table.objects.filter(of_the_house(), retired_at__isnull=True)
        .exclude(pk__in=TableSession.objects.filter(closed_at__isnull=True).values("table"))
        .order_by("number")
    )
)

_ASKED: Compiled[Any] = Compiled(
    lambda _: CorrectionRequest.objects.filter(
        among("round__session_id"), state=CorrectionRequest.State.ASKED, hands__isnull=False
    ),
    plain=True,
    read="round__session_id",
)


def asked_corrections(session_ids: Iterable[int]) -> Counter[int]:
    """Count the corrections that wait at each of these tables, in one query."""
    return Counter(session for (session,) in _ASKED.values(list(session_ids)))


def facts_of(
    state: TableState, asked: Mapping[int, int], held: Mapping[tuple[int, int], WaitingPlace], now: datetime
) -> TableFacts:
    """Return what a table shows, without `turn`."""
    plan = plan_round(state, now)
    show_upcoming_rate(state, plan)
    return TableFacts(
        state=state,
        plan=plan,
        seats=_seats(state, plan, held),
        clock=shown_clock(state, now),
        corrections=asked.get(state.session.pk, 0),
        waiting=tuple(seat for seat in plan.waiting if seat.reason),
    )


def _seats(
    state: TableState, plan: RoundPlan, held: Mapping[tuple[int, int], WaitingPlace]
) -> tuple[SeatFacts, ...]:
    running, last = state.running_round, state.last_round
    button = running.button_seat if running else plan.button or (last.button_seat if last else None)
    plans = {seat.seat: seat for seat in plan.seats}
    return tuple(
        _seat(state, plans[number], number == button)
        if number in plans
        else SeatFacts(number, held=held.get((state.session.pk, number)))
        for number in SEATS
    )


def _seat(state: TableState, plan: SeatPlan, button: bool) -> SeatFacts:
    sitting = plan.sitting
    in_round = sitting.pk in state.in_round
    if state.running_round and plan.reason in (None, "fifth", "two_only"):
        # A wait for the next round is no news while this round runs.
        plan = replace(plan, reason=None if in_round else "next_round")
    return SeatFacts(
        seat=plan.seat,
        sitting=sitting,
        stack_cents=sitting.stack.balance_cents,
        button=button,
        in_round=in_round,
        reason=plan.reason or "",
        sentence=plan.sentence if plan.reason else "",
        fees_cents=plan.fees_cents,
        due_cents=plan.due_cents,
        due_here_cents=sum(fee.cents for fee in plan.fees if fee.method is None and fee.table is None),
        following=following(plan.fees),
        match_points=state.match.points[plan.seat] if state.match and state.match.plays(sitting) else None,
    )


@dataclass(frozen=True)
class Leaving:
    """What happens if a player cashes out now: fees taken, fees that stay due, and the chips left."""

    stack_cents: int
    taken_cents: int
    unpaid_cents: int

    @property
    def takes_away_cents(self) -> int:
        return self.stack_cents - self.taken_cents


def leaving(state: TableState, sitting: Sitting) -> Leaving:
    """Predict what `cash_out` will do: charges in their order, each whole or not at all (R63)."""
    stack = sitting.stack.balance_cents
    taken = unpaid = 0
    for charge in state.open_charges:
        if charge.person != sitting.player_id or not charge.is_owed():
            continue
        if charge.cents <= stack - taken:
            taken += charge.cents
        else:
            unpaid += charge.cents
    return Leaving(stack, taken, unpaid)


def fees_now(state: TableState, sitting: Sitting, now: datetime) -> tuple[PlannedFee, ...]:
    """Return what the player owes now, as `pay_fees` will find it."""
    fees, _ = planned_fees(state, sitting, state.down_at(now), fresh_down=bool(state.downs_begun(now)))
    return fees
