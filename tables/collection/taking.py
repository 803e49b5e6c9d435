"""Charge fees once, and take them: from stacks, in cash at the table or at the cage (R60-R63)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.db.models import Q

from ledger.cage import drawers, receipts
from ledger.db.compiled import Compiled, insert, new
from ledger.errors import KeyReused
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day, open_day
from ledger.money import dollars
from ledger.rights import WORK_CAGE, require
from tables.collection.uncollected import recovery_numbers, write_recovery
from tables.errors import BadMethod, NothingDue, RoundRunning, StackTooSmall, StalePage
from tables.models import Charge, Down, FeePayment, Round, Sitting, TableSession
from tables.rights import HANDLE_CHIPS
from tables.rules.table import downs
from tables.rules.table.paying import WAYS, Method
from tables.state.clock import clock_kept
from tables.state.locks import at_seat, require_seated, require_true_time
from tables.state.plan import PlannedFee, planned_fees
from tables.state.requirements import require_not_seated_again
from tables.state.table_state import TableState, state_of

_BOX: Compiled[Any] = Compiled(
    lambda pk: TableSession.objects.filter(pk=pk), plain=True, read="box__chips_id box__cash_id"
)


def write_charges(
    session: TableSession,
    owing: Sequence[tuple[Sitting, downs.Owed]],
    *,
    down: Down,
    round_: Round | None = None,
    act: Act,
) -> list[Charge]:
    """Write the charges for several sittings' fees in a down, at its rate (R64). They belong to the gaming
    day the down starts in or, if closed, to the current one."""
    if not owing:
        return []
    require_true_time(session)
    site, rate = session.table.site, down.rate
    day = open_day(site, gaming_day(site, down.started_at), act.now)
    charges = [
        new(
            Charge,
            session=session,
            down=down,
            sitting=sitting,
            player_id=sitting.player_id,
            rate=rate,
            fee_cents=rate.fee_cents,
            rule=owed.rule,
            cents=owed.cents,
            entered_at=sitting.entered_at,
            minute_seconds=None if owed.minute is None else str(owed.minute.total_seconds()),
            charged_at=act.now,
            charged_by=act.actor,
            gaming_day=day,
            round=round_,
        )
        for sitting, owed in owing
    ]
    insert(charges)
    records.keep(site.pk, act.now, *charges)
    return charges


def charge_planned(
    *,
    session: TableSession,
    planned: Iterable[tuple[Sitting, tuple[PlannedFee, ...]]],
    down: Down | None,
    round_: Round | None = None,
    act: Act,
) -> list[FeePayment]:
    """Write the charges for these planned fees, take those that have a method, and return what was taken.
    Planned from a `state_to_take_fees`. The number of statements does not grow with the fees."""
    fees = [
        (sitting, fee, act.key if number == 1 else f"{act.key}/{number}")
        for number, (sitting, fee) in enumerate(((sitting, fee) for sitting, of in planned for fee in of), 1)
    ]
    owing = [(sitting, fee.owed) for sitting, fee, _ in fees if fee.charge is None and fee.owed is not None]
    # Without a down nothing new is owed.
    fresh = write_charges(session, owing, down=down, round_=round_, act=act) if down is not None else []
    written = iter(fresh)
    charged = [
        Taking(sitting, fee.charge or next(written), fee.method or "", name, fresh=fee.charge is None)
        for sitting, fee, name in fees
    ]
    return take(session, [one for one in charged if one.method], act=act)


@dataclass(frozen=True, slots=True)
class Taking:
    """One fee to take from `sitting` by `method` under a key. `fresh`: its charge was written just now."""

    sitting: Sitting
    charge: Charge
    method: str
    key: str
    fresh: bool = False


def take(session: TableSession, takings: Sequence[Taking], *, act: Act) -> list[FeePayment]:
    """Take fees together, one entry each (R62, R63). Each belongs to its charge's gaming day or, if closed,
    to the current one. Taking an uncollected charge is a numbered recovery."""
    if not takings:
        return []
    site, (box,) = session.table.site, _BOX.values(session.pk)
    drawer, first = None, 0
    if any(one.method == Method.CAGE for one in takings):
        first = receipts.next_number(site)
        drawer = drawers.require_drawer(site, act.actor).cash_id
    days = {day: open_day(site, day, act.now) for day in {one.charge.gaming_day for one in takings}}
    drafts: list[posting.EntryDraft] = []
    recoveries: list[dict[str, Any]] = []
    numbers = count(first)
    for one in takings:
        charge = one.charge
        receipt = {"receipt": next(numbers)} if one.method == Method.CAGE else {}
        recoveries.append(
            {} if one.fresh else recovery_numbers(charge, site, len(list(filter(None, recoveries))))
        )
        drafts.append(
            posting.EntryDraft(
                kind="collection",
                moves=_fee_moves(site, box, drawer, one.sitting, charge, one.method),
                evidence=fee_evidence(session, one.sitting, charge, one.method) | recoveries[-1] | receipt,
                content={"charge": charge.pk, "method": one.method},
                gaming_day=days[charge.gaming_day],
                act=act.under(one.key),
            )
        )
    entries = posting.post_all(site=site, drafts=drafts)
    paid_at_cage = zip(takings, entries, strict=True)
    receipts.write(site, [entry for one, entry in paid_at_cage if one.method == Method.CAGE], first)
    before = taken_back_before([one.charge for one in takings if not one.fresh])
    taken = [
        new(
            FeePayment,
            charge=one.charge,
            sitting=one.sitting,
            entry=entry,
            method=one.method,
            taken_at=act.now,
            after_id=before.get(one.charge.pk),
        )
        for one, entry in zip(takings, entries, strict=True)
    ]
    insert(taken)
    for payment, recovery in zip(taken, recoveries, strict=True):
        if recovery:
            write_recovery(payment, site, recovery["recovery"])
    return taken


def taken_back_before(charges: Sequence[Charge]) -> dict[int, int]:
    """Return the reversal of each charge's last payment, if it had one: its next payment comes after that."""
    if not charges:
        return {}
    payments = FeePayment.objects.filter(charge__in=charges).order_by("pk")
    return dict(payments.values_list("charge", "entry__reversed_by"))


def fee_evidence(session: TableSession, sitting: Sitting, charge: Charge, method: str) -> dict[str, Any]:
    """Return the evidence of a fee's entry, enough to work it out again. `session`, `sitting` and `seat` are
    the payer's; `due_session` is the table the fee followed them from (R51)."""
    minute, down, rate = charge.minute_seconds, charge.down, charge.rate
    covered = {"covered_by": sitting.covered_by_id} if charge.rule == Charge.Rule.COVERED else {}
    followed = {"due_session": charge.session_id} if charge.session_id != session.pk else {}
    return {
        "charge": charge.pk,
        "down": down.number,
        "down_started_at": down.started_at.isoformat(),
        "entered_at": charge.entered_at.isoformat(),
        "minute_seconds": None if minute is None else str(minute),
        "rule": charge.rule,
        "fee_cents": charge.fee_cents,
        "cents": charge.cents,
        "rate": {"option": rate.option, "version": rate.version},
        "session": session.pk,
        "sitting": sitting.pk,
        "seat": sitting.seat,
        "player": charge.player_id,
        "method": method,
        **covered,
        **followed,
    }


def state_to_take_fees(session: TableSession, *owing: Sitting) -> TableState:
    """Return the table's state for a verb that takes fees of these sittings, or of everybody. With older
    charges the house is locked and the state read again: another table or the cage may have taken one just
    now (R51), and the house is locked before accounts."""
    state = state_of(session)
    persons = {sitting.person_id for sitting in owing or state.sittings}
    if any(charge.person in persons for charge in state.open_charges):
        posting.lock_house(session.table.site)
        state = state_of(session)
    return state


def _fee_moves(
    site: Any, box: Sequence[int], drawer: int | None, sitting: Sitting, charge: Charge, method: str
) -> tuple[posting.Move, ...]:
    """Return the transfers that pay a fee; `box` is its accounts for chips and cash, `drawer` the cashier's
    for cash."""
    chips, cash = box
    if method == Method.COVERED and charge.rule == Charge.Rule.COVERED:
        return ()
    way = WAYS.get(method)
    if way is None:
        raise BadMethod(f"A fee cannot be paid by {method!r}.", field="method")
    here: dict[tuple[str, str], int | None] = {
        ("chips", "stack"): sitting.stack_id,
        ("chips", "drop_box"): chips,
        ("cash", "drop_box"): cash,
        ("cash", "drawer"): drawer,
    }
    source, target = (
        here.get((way.asset, kind)) or posting.house_account(site, kind, way.asset).pk for kind in way[1:]
    )
    return (posting.Move(source, target, charge.cents),) if charge.cents else ()


def pay_fees(*, sitting_id: int, method: str, cents: int | None = None, act: Act) -> list[FeePayment]:
    """Pay everything a player owes now, including the next round's fee and those of other tables (R51).
    `method` is `stack`, `cash` or `cage`; `cents` is the amount shown (`stale_page` if it changed). Refuses
    `nothing_due`, `no_drawer` at the cage, `stack_too_small` below nine points (R63), `round_running`, and
    `player_seated`."""
    require(act.actor, WORK_CAGE if method == Method.CAGE else HANDLE_CHIPS)
    with at_seat(sitting_id, act) as (session, sitting, act):
        earlier = _earlier_payment(session, sitting, method, act)
        if earlier:
            return earlier
        if method != Method.CAGE:
            require_seated(sitting)
        with clock_kept(session, act.now):
            state = state_to_take_fees(session, sitting)
            if sitting.left_at is not None:
                require_not_seated_again(sitting)
            if method == Method.STACK and sitting.pk in state.in_round:
                raise RoundRunning(f"{sitting.player} is dealt into a running round.")
            fees, _ = planned_fees(
                state,
                sitting,
                state.down_at(act.now) if sitting.left_at is None else None,
                fresh_down=False,
                paid_by=None if method == Method.STACK else method,
            )
            # A covered fee is written when the round starts.
            fees = tuple(fee for fee in fees if fee.rule != Charge.Rule.COVERED)
            if not fees:
                raise NothingDue(f"{sitting.player} owes nothing now.")
            if cents not in (None, sum(fee.cents for fee in fees)):
                raise StalePage(
                    f"{sitting.player} now owes {dollars(sum(fee.cents for fee in fees))}, not"
                    f" {dollars(cents)}."
                )
            if any(fee.method is None for fee in fees):
                raise StackTooSmall(
                    f"{sitting.player} would have less than nine points left: add on or pay in cash.",
                    field="method",
                )
            planned = [(sitting, fees)]
            return charge_planned(session=session, planned=planned, down=state.latest_down, act=act)


def _earlier_payment(session: TableSession, sitting: Sitting, method: str, act: Act) -> list[FeePayment]:
    site = session.table.site
    if not keys.known(site.pk, [act.key]):
        return []
    under = Q(entry__key=act.key) | Q(entry__key__startswith=f"{act.key}/")
    earlier = list(
        FeePayment.objects.filter(under, entry__site=site).select_related("charge__player", "entry")
    )
    made = {
        (one.charge.player.merged_into_id or one.charge.player_id, one.method, one.entry.actor_id)
        for one in earlier
    }
    if made != {(sitting.person_id, method, act.actor.pk)}:
        raise KeyReused(keys.USED, field="key")
    return earlier
