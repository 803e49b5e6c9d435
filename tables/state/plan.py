"""What starting a round now would do: who is dealt in, who waits and why, and the fees. Writes nothing."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from ledger.money import dollars
from tables.models import Charge, Round, Sitting, Table
from tables.rules.table import buy_ins, dealing, downs, eligibility, moves
from tables.rules.table.paying import Method
from tables.state.table_state import TableRate, TableState, sheet_of


class PlannedFee(NamedTuple):
    """A fee a seat owes before the next round: an open `charge`, or one that the start will write. `table` is
    where it fell due, if elsewhere (R51)."""

    cents: int
    rule: str
    down_number: int
    owed: downs.Owed | None = None
    charge: Charge | None = None
    table: Table | None = None
    method: str | None = None

    @property
    def fell_due(self) -> str:
        """The down it belongs to, with its table if that is another one."""
        return f"{self.table}, down {self.down_number}" if self.table else f"down {self.down_number}"


@dataclass(frozen=True)
class SeatPlan:
    sitting: Sitting
    fees: tuple[PlannedFee, ...] = ()
    stack_cents: int = 0
    reason: str | None = None
    nine_points_cents: int = 0

    @property
    def seat(self) -> int:
        return self.sitting.seat

    @property
    def fees_cents(self) -> int:
        return sum(fee.cents for fee in self.fees)

    @property
    def owes(self) -> bool:
        """Whether a fee is left that the stack cannot pay (R63)."""
        return any(fee.method is None for fee in self.fees)

    @property
    def due_cents(self) -> int:
        return sum(fee.cents for fee in self.fees if fee.method is None)

    @property
    def due_words(self) -> str:
        """The same in words: "$20.00 ($10.00 from Table 3, down 2)"."""
        elsewhere = following(fee for fee in self.fees if fee.method is None)
        return f"{dollars(self.due_cents)} ({elsewhere})" if elsewhere else dollars(self.due_cents)

    @property
    def badge(self) -> str:
        return eligibility.WAITS[self.reason].badge if self.reason else ""

    @property
    def sentence(self) -> str:
        """Why the seat waits, with the table a fee comes from (R51)."""
        return eligibility.WAITS[self.reason or "ready"].sentence.format(
            name=self.sitting.player,
            stack=dollars(self.sitting.stack.balance_cents),
            nine=dollars(self.nine_points_cents),
            due=self.due_words,
        )


@dataclass(frozen=True)
class RoundPlan:
    """What starting a round at `at` would do. `two_hands`: by the game (R35) or by agreement (R54).
    `pair_stakes` are the last round's between players dealt in again (R32). `reserved_possible`: its two
    undealt hands may be used (R43)."""

    at: datetime
    button: int | None
    dealt_in: tuple[SeatPlan, ...]
    waiting: tuple[SeatPlan, ...]
    new_downs: tuple[downs.DownStart, ...]
    down: downs.DownStart | None
    problem: str | None
    rate: TableRate
    two_hands: bool = False
    two_hands_possible: bool = False
    pair_stakes: tuple[dict[str, Any], ...] = ()
    reserved_possible: bool = False

    @property
    def seats(self) -> tuple[SeatPlan, ...]:
        return self.dealt_in + self.waiting

    @property
    def why_not(self) -> str | None:
        """Why the round cannot start, in words."""
        return eligibility.NO_ROUND[self.problem] if self.problem else None


def following(fees: Iterable[PlannedFee]) -> str:
    """Return fees that followed a player in words: "$10.00 from Table 3, down 2" (R51)."""
    return ", ".join(f"{dollars(fee.cents)} from {fee.fell_due}" for fee in fees if fee.table)


def planned_fees(
    state: TableState,
    sitting: Sitting,
    down: downs.DownStart | None,
    *,
    fresh_down: bool,
    paid_by: str | None = None,
) -> tuple[tuple[PlannedFee, ...], int]:
    """Return the fees `sitting` owes before the next round with their methods, and the stack after them."""
    return SeatFees(state, down, fresh_down=fresh_down).of(sitting, paid_by)


class SeatFees:
    """What each seat of a table owes before the next round, sharing what is the same for all. `fresh_down`:
    `down` has no row yet, so nobody has been charged for it (R64)."""

    def __init__(self, state: TableState, down: downs.DownStart | None, *, fresh_down: bool) -> None:
        rate = state.rate_of(down)
        self._state, self._down = state, down
        self._charged: Collection[int] = () if fresh_down else state.charged_players
        self._fee_cents, self._limit_cents, self._stops = rate.fee_cents, rate.limit_cents, state.rule_stops

    def of(self, sitting: Sitting, paid_by: str | None = None) -> tuple[tuple[PlannedFee, ...], int]:
        """Return the fees of a seat with their methods, and the stack after them. `paid_by` is `cash` or
        `cage`; otherwise from the stack if nine points are left (R63), else `method` is None. A covered fee
        costs nothing (R62)."""
        stack, planned = sitting.stack.balance_cents, []
        for fee in self._unplanned(sitting):
            method = Method.COVERED if fee.rule == "covered" else paid_by
            if method is None and not buy_ins.is_short(stack - fee.cents, self._limit_cents):
                method = Method.STACK
                stack -= fee.cents
            planned.append(PlannedFee._make((*fee[:-1], method)))  # many times as fast as `_replace`
        return tuple(planned), stack

    def _unplanned(self, sitting: Sitting) -> list[PlannedFee]:
        state, down, person = self._state, self._down, sitting.person_id
        fees = [
            open_fee(state, charge)
            for charge in state.open_charges
            if charge.person == person and (_of_down(state, charge, down) or charge.is_owed())
        ]
        if down is not None and person not in self._charged:
            owed = downs.owed(self._fee_cents, down.started_at, sitting.entered_at, self._stops)
            if sitting.pk in state.covered:
                owed = downs.covered(owed)
            fee = PlannedFee(owed.cents, owed.rule, down.number, owed)
            # Screens show how the last fee is paid; a covered one needs no payment.
            fees = [fee, *fees] if owed.rule == "covered" else [*fees, fee]
        return fees


def _of_down(state: TableState, charge: Charge, down: downs.DownStart | None) -> bool:
    """Return whether a charge is of the running down, so that the next round makes it due."""
    return down is not None and (charge.session_id, charge.down.number) == (state.session.pk, down.number)


def open_fee(state: TableState, charge: Charge) -> PlannedFee:
    """Return the fee of a charge open at this table, or followed to it."""
    elsewhere = charge.session_id != state.session.pk
    table = charge.session.table if elsewhere else None
    return PlannedFee(charge.cents, charge.rule, charge.down.number, charge=charge, table=table)


def plan_round(
    state: TableState,
    now: datetime,
    *,
    declined: Collection[int] = (),
    in_cash: Collection[int] = (),
    two_hands: Collection[int] = (),
) -> RoundPlan:
    """Return what starting a round at `now` would do (R35, R50, R51, R53, R54, R61-R63). `declined`,
    `in_cash` (paying at the table) and `two_hands` (agreeing to it) are seats."""
    sheet = sheet_of(state.session)
    new_downs, down = _downs_at(state, now)
    fresh, rate = bool(new_downs), state.rate_of(down)
    plans: list[SeatPlan] = []
    owing = SeatFees(state, down, fresh_down=fresh)
    for sitting in state.sittings:
        fees, stack = owing.of(sitting, "cash" if sitting.seat in in_cash else None)
        reason = eligibility.why_it_waits(_seat_now(state, rate, sitting, fees, declined))
        plans.append(SeatPlan(sitting, fees, stack, reason, rate.nine_points_cents))
    eligible = [plan.seat for plan in plans if plan.reason is None]
    problem: str | None = eligibility.why_no_round(_table_now(state), len(eligible))
    if problem in {"too_few_players", "match_too_few_players", "table_closed"} or not eligible:
        return RoundPlan(now, None, (), tuple(plans), new_downs, down, problem, rate)
    last = state.last_round
    button = dealing.button_seat(
        eligible, dealing.LastButton(last.button_seat, last.state == Round.State.VOID) if last else None
    )
    order = dealing.dealt_in(eligible, button, sheet.hands_per_player)
    by_seat = {plan.seat: plan for plan in plans}
    in_turn = eligibility.waits_its_turn(sheet.hands_per_player)
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
        reserved_possible=moves.hands_kept(
            _round_before(state),
            [plan.sitting.pk for plan in dealt_in],
            dealing=sheet.dealing,
            hands_each=hands_each,
        ),
    )


def _downs_at(state: TableState, now: datetime) -> tuple[tuple[downs.DownStart, ...], downs.DownStart | None]:
    """Return the downs that have begun without a row yet, and the down that runs."""
    if state.latest_down is None:
        first = downs.DownStart(1, now)
        return (first,), first
    begun, running = state.downs_until(now)
    return tuple(begun), running


def _stakes_again(state: TableState, dealt_in: tuple[SeatPlan, ...]) -> tuple[dict[str, Any], ...]:
    """Return the last round's pair stakes between sittings that are both dealt in again."""
    last = state.last_round
    if last is None or not last.pair_stakes:
        return ()
    then = dict(last.hands.values_list("seat", "sitting_id"))
    now = {plan.sitting.pk: plan.seat for plan in dealt_in}
    stakes = (
        {**stake, "seats": sorted(now[then[seat]] for seat in stake["seats"])}
        for stake in last.pair_stakes
        if all(then.get(seat) in now for seat in stake["seats"])
    )
    return tuple(sorted(stakes, key=lambda stake: stake["seats"]))


def _round_before(state: TableState) -> moves.RoundBefore | None:
    last = state.last_round
    if last is None:
        return None
    return moves.RoundBefore(
        settled=last.state == Round.State.SETTLED,
        by_hand=state.last_by_hand,
        kept=last.reserved_from_id is not None,
        dealt=tuple(state.last_dealt),
    )


def _seat_now(
    state: TableState,
    rate: TableRate,
    sitting: Sitting,
    fees: tuple[PlannedFee, ...],
    declined: Collection[int],
) -> eligibility.SeatNow:
    return eligibility.SeatNow(
        sits_out=sitting.sitting_out,
        is_short=buy_ins.is_short(sitting.stack.balance_cents, rate.limit_cents),
        owes=any(fee.method is None for fee in fees),
        declines=sitting.seat in declined,
        outside_match=state.match is not None and not state.match.plays(sitting),
    )


def _table_now(state: TableState) -> eligibility.TableNow:
    return eligibility.TableNow(
        closed=state.session.closed_at is not None,
        round_running=state.running_round is not None,
        clock_stopped=state.open_stop is not None,
        in_match=state.match is not None,
    )


def show_upcoming_rate(state: TableState, plan: RoundPlan) -> None:
    """Set the session's rate to that of a down without a row yet. For screens only, never saved (R64)."""
    if plan.new_downs and state.latest_down is not None:
        session, rate = state.session, plan.rate
        session.rate, session.limit_cents = rate.rate, rate.limit_cents
        session.max_buy_in_cents = rate.max_buy_in_cents
