"""Move a player to another table with the whole stack (R55), one act at two tables (R62)."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.collection.uncollected import lock_open_charges
from tables.errors import SameTable
from tables.live import publish
from tables.models import Charge, Player, Sitting, TableEvent, TableSession, WaitingPlace
from tables.rights import HANDLE_CHIPS, RUN_FLOOR
from tables.rules.table import moves
from tables.seats.buying_in import require_bounds
from tables.seats.sitting import end_sitting, pay_on_leaving, require_free, seated, sit_down
from tables.state.clock import clock_kept
from tables.state.events import record
from tables.state.held_seats import STANDING, sat_down
from tables.state.locks import lock_sessions, require_open, require_seated
from tables.state.persons import entries_of
from tables.state.requirements import require_not_dealt_in, require_not_in_match
from tables.state.table_state import state_of


def move_player(*, sitting_id: int, to_session_id: int, seat: int, ordered: bool, act: Act) -> Sitting:
    """Move a player with the whole stack to a free seat of another open table; return the sitting there
    (R55). Fees are paid on leaving (R63), the new sitting enters now (R61), and fantasy land is lost (R41). A
    move `ordered` by the house requires `run_floor`, skips buy-in bounds and must-move order, and lets a paid
    fee cover the first one there (R62). Refuses `same_table`, `table_closed`, `not_seated`, `round_running`,
    `match_running`, `unknown_seat`, `seat_taken`, `seat_held`, `must_move_first`, `buy_in_too_small`,
    `buy_in_too_large`."""
    require(act.actor, HANDLE_CHIPS)
    if ordered:
        require(act.actor, RUN_FLOOR)
    content = {"sitting": sitting_id, "to_session": to_session_id, "seat": seat, "ordered": ordered}
    with transaction.atomic():
        old, new, sitting, act = _lock(sitting_id, to_session_id, act)
        site = old.table.site
        if posting.earlier(site=site, kind="table_move", content=content, act=act):
            return sitting.moved_to
        _require_possible(old, new, sitting, seat, act.now, ordered=ordered)
        with clock_kept(old, act.now), clock_kept(new, act.now):
            unpaid = pay_on_leaving(old, sitting, act=act)
            cents = sitting.stack.balance_cents
            if not ordered:
                require_bounds(new, sitting.player, cents, act.now)
            cover = _cover(old, new, sitting, ordered=ordered, now=act.now)
            end_sitting(sitting, cents, act.now)
            stays = {"moved_from": sitting, "covered_by": cover, "sitting_out": sitting.sitting_out}
            arrived = sit_down(new, seat, sitting.player, act.now, act.now, **stays)
            evidence = {
                **content,
                "session": old.pk,
                "from_seat": sitting.seat,
                "player": sitting.player_id,
                "to_sitting": arrived.pk,
                "cents": cents,
                "unpaid_fees": unpaid,
                "covered_by": cover and cover.pk,
            }
            posting.post(
                site=site,
                draft=posting.EntryDraft(
                    kind="table_move",
                    moves=(posting.Move(sitting.stack_id, arrived.stack_id, cents),) if cents else (),
                    evidence=evidence,
                    content=content,
                    act=act,
                ),
            )
            posting.close_account(sitting.stack, act.now)
        _record(old, new, sitting, arrived, ordered=ordered, act=act)
        sat_down(arrived, act=act)
        WaitingPlace.objects.filter(sitting=sitting, state__in=STANDING).update(sitting=arrived)
        publish(old.pk)
        publish(new.pk)
    return arrived


def _lock(sitting_id: int, to_session_id: int, act: Act) -> tuple[TableSession, TableSession, Sitting, Act]:
    """Return both sessions and the sitting, locked: sessions by id, then the player."""
    from_session_id, player_id = Sitting.objects.values_list("session_id", "player_id").get(pk=sitting_id)
    (old, new), act = lock_sessions(from_session_id, to_session_id, act=act)
    lock_open_charges(old, player_id)  # may lock the house, which comes before a player's lock
    Player.objects.select_for_update(no_key=True).get(pk=player_id)
    sitting = Sitting.objects.select_related("player", "stack", "covered_by").get(pk=sitting_id)
    return old, new, sitting, act


def _require_possible(
    old: TableSession, new: TableSession, sitting: Sitting, seat: int, now: datetime, *, ordered: bool
) -> None:
    require_seated(sitting)
    if old.pk == new.pk:
        raise SameTable(f"{sitting.player} already sits at {old.table}.", field="seat")
    require_open(new)
    require_not_dealt_in(sitting)
    require_not_in_match(old, sitting)
    require_free(new, seat, sitting.player, now, ordered=ordered)


def _cover(
    old: TableSession, new: TableSession, sitting: Sitting, *, ordered: bool, now: datetime
) -> Charge | None:
    here, there = state_of(old), state_of(new)
    theirs = Charge.objects.paid().filter(entries_of(sitting.player_id), down=here.latest_down)
    paid = theirs.first() if here.down_at(now) is not None else None
    unused = sitting.covered_by if sitting.pk in here.covered else None
    cover = moves.cover(
        ordered=ordered,
        charged_there=there.down_at(now) is not None and sitting.player_id in there.charged_players,
        paid_here=_fee(paid),
        unused=_fee(unused),
        to_session=new.pk,
    )
    return next((charge for charge in (paid, unused) if charge is not None and charge.pk == cover), None)


def _fee(charge: Charge | None) -> moves.PaidFee | None:
    return None if charge is None else moves.PaidFee(charge.pk, charge.session_id)


def _record(
    old: TableSession, new: TableSession, sitting: Sitting, arrived: Sitting, *, ordered: bool, act: Act
) -> None:
    kinds = TableEvent.Kind
    left: dict[str, Any] = {"to_session": new.pk, "to_seat": arrived.seat, "player": sitting.player_id}
    came: dict[str, Any] = {"from_session": old.pk, "from_seat": sitting.seat, **seated(arrived)}
    record(old, kinds.LEFT, seat=sitting.seat, sitting=sitting.pk, ordered=ordered, act=act, **left)
    record(new, kinds.SEATED, ordered=ordered, act=act, **came)
    if arrived.sitting_out:
        record(new, kinds.SAT_OUT, seat=arrived.seat, sitting=arrived.pk, act=act)
