"""Uncollected fees of players who left, and recoveries, in numbered series (R63).

The charge stays open and follows its player (R51); taking.py takes it later."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.days import open_day
from ledger.money import dollars
from ledger.rights import require
from tables.errors import FeeCollectable, NothingDue
from tables.models import Charge, FeePayment, Recovery, Sitting, TableEvent, TableSession, Uncollected
from tables.rights import RUN_FLOOR
from tables.state import rows
from tables.state.events import next_number, record, recorded_before
from tables.state.locks import at_seat, require_seated

LEFT_SHORT = "left with less than the fee"


def lock_open_charges(session: TableSession, person_id: int) -> list[Charge]:
    """Return a person's open charges, oldest first (R51), with the house locked if there are any. A number
    may be needed, and the house is locked before accounts."""
    if not rows.open_charges(session.pk, person_id):
        return []
    posting.lock_house(session.table.site)
    return rows.open_charges(session.pk, person_id)


def write_uncollected(
    *,
    session: TableSession,
    sitting: Sitting,
    charges: Iterable[Charge],
    reason: str,
    act: Act,
    key: str = "",
) -> list[Uncollected]:
    """Record open, owed charges as uncollected, each with a number and an event. The first event has the
    `key`, the others have it with their number. Each belongs to its charge's gaming day or, if closed, to the
    current one."""
    site = session.table.site
    written: list[Uncollected] = []
    for charge in charges:
        if hasattr(charge, "uncollected") or not charge.is_owed():
            continue
        number = next_number(Uncollected, site)
        day = open_day(site, charge.gaming_day, act.now)
        under: dict[str, Any] = {"key": f"{key}/{len(written) + 1}" if written else key} if key else {}
        event = record(
            session,
            TableEvent.Kind.FEE_UNCOLLECTED,
            number=number,
            charge=charge.pk,
            sitting=sitting.pk,
            seat=sitting.seat,
            player=charge.player_id,
            cents=charge.cents,
            gaming_day=day.isoformat(),
            reason=reason,
            act=act,
            **under,
        )
        written.append(
            Uncollected.objects.create(
                site=site,
                number=number,
                charge=charge,
                player_id=charge.player_id,
                event=event,
                gaming_day=day,
                recorded_at=act.now,
            )
        )
    return written


def declare_uncollected(*, sitting_id: int, act: Act) -> list[Uncollected]:
    """Record that a player left without paying the fees due; seat and chips stay until cashed out. Refuses
    `reason_required`, `not_seated`, `nothing_due`, and `fee_collectable` if the stack can pay one of them."""
    require(act.actor, RUN_FLOOR)
    act = act.stated("Enter what happened.")
    with at_seat(sitting_id, act) as (session, sitting, act):
        kind = TableEvent.Kind.FEE_UNCOLLECTED
        if recorded_before(session, kind, act, sitting=sitting.pk, reason=act.reason):
            under = Q(event__key=act.key) | Q(event__key__startswith=f"{act.key}/")
            return list(Uncollected.objects.filter(under, event__session=session).order_by("number"))
        require_seated(sitting)
        owed = lock_open_charges(session, sitting.player_id)
        charges = [one for one in owed if not hasattr(one, "uncollected")]
        if not charges:
            raise NothingDue(f"{sitting.player} has no due fees that are not already recorded.")
        stack = sitting.stack.balance_cents
        if any(charge.cents <= stack for charge in charges):
            raise FeeCollectable(
                f"{sitting.player} still has {dollars(stack)} on the table: cash the player out, and the fee"
                " is taken from it."
            )
        return write_uncollected(
            session=session, sitting=sitting, charges=charges, reason=act.reason, key=act.key, act=act
        )


def recovery_numbers(charge: Charge, site: Any, before: int) -> dict[str, int]:
    """Return a recovery's evidence, or empty; `before` counts the act's earlier recoveries."""
    lost = Uncollected.objects.filter(charge=charge).values_list("number", flat=True).first()
    return {} if lost is None else {"uncollected": lost, "recovery": next_number(Recovery, site) + before}


def write_recovery(payment: FeePayment, site: Any, number: int) -> Recovery:
    """Record that an uncollected fee was paid after all."""
    lost = Uncollected.objects.get(charge=payment.charge)
    return Recovery.objects.create(site=site, number=number, uncollected=lost, payment=payment)
