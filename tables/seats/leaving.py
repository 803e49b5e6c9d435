"""Leave with the whole stack, after paying the fees that are due (R52, R63)."""

from django.db import transaction

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.collection.taking import Taking, take
from tables.collection.uncollected import LEFT_SHORT, lock_open_charges, write_uncollected
from tables.live import publish
from tables.models import Sitting, TableEvent, TableSession
from tables.rights import HANDLE_CHIPS
from tables.seats.sitting import end_sitting
from tables.state.clock import clock_kept
from tables.state.events import record
from tables.state.held_seats import left_table
from tables.state.locks import lock_sitting, require_seated
from tables.state.requirements import (
    require_not_dealt_in,
    require_not_in_match,
)


def cash_out(*, sitting_id: int, act: Act) -> Sitting:
    """Cash a player out with the whole stack, after taking the fees due from it (R52, R63).

    A fee that the stack cannot pay in full stays due in the player's name. Refuses `round_running`, `match_running`.
    """
    require(act.actor, HANDLE_CHIPS)
    content = {"sitting": sitting_id}
    with transaction.atomic():
        session, sitting, act = lock_sitting(sitting_id, act)
        site = session.table.site
        if posting.earlier(site=site, kind="cash_out", content=content, act=act):
            return sitting
        require_seated(sitting)
        require_not_dealt_in(sitting)
        require_not_in_match(session, sitting)
        with clock_kept(session, act.now):
            unpaid = pay_on_leaving(session, sitting, act=act)
            cents = sitting.stack.balance_cents
            outside = posting.house_account(site, "outside", "chips")
            posting.post(
                site=site,
                draft=posting.EntryDraft(
                    kind="cash_out",
                    moves=(posting.Move(sitting.stack_id, outside.pk, cents),) if cents else (),
                    evidence={
                        "sitting": sitting.pk,
                        "session": session.pk,
                        "seat": sitting.seat,
                        "player": sitting.player_id,
                        "unpaid_fees": unpaid,
                    },
                    content=content,
                    act=act,
                ),
            )
            posting.close_account(sitting.stack, act.now)
            end_sitting(sitting, cents, act.now)
        record(session, TableEvent.Kind.LEFT, seat=sitting.seat, sitting=sitting.pk, act=act)
        left_table(sitting, act=act)
        publish(session.pk)
    return sitting


def pay_on_leaving(session: TableSession, sitting: Sitting, *, act: Act) -> list[int]:
    """Take the fees due from a leaving player's stack, also those that followed from other tables (R51, R63).

    Returns the ids of the charges it cannot pay. Each of those becomes a numbered uncollected fee and stays due in the player's
    name. The sitting's stack is reread.
    """
    paid, unpaid = [], []
    left = sitting.stack.balance_cents
    for charge in lock_open_charges(session, sitting.player_id):
        if charge.cents > left:
            unpaid.append(charge)
            continue
        left -= charge.cents
        paid.append(Taking(sitting, charge, "stack", f"{act.key}/leave/{charge.pk}"))
    take(session, paid, act=act)
    write_uncollected(session=session, sitting=sitting, charges=unpaid, reason=LEFT_SHORT, act=act)
    sitting.stack.refresh_from_db()
    return [charge.pk for charge in unpaid]
