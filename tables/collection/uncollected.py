"""Fees that a player went away without paying, and those that were paid after all: each numbered, none forgotten (R63).

The charge stays open and in the player's name. Taking it later is collection.py's; that this is a recovery is said here.
"""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.days import open_day
from ledger.money import dollars
from ledger.rights import require
from tables.errors import FeeCollectable, NothingDue
from tables.live import publish
from tables.models import Charge, Collection, Recovery, Sitting, TableEvent, TableSession, Uncollected
from tables.rights import RUN_FLOOR
from tables.state.events import record, recorded_before
from tables.state.locks import lock_sitting, require_seated
from tables.state.numbering import next_number

LEFT_SHORT = "left with less than the fee"


def open_charges(session: TableSession, player_id: int) -> list[Charge]:
    """What a player owes at a table, by down, each with its uncollected fee where there is one.

    Where there is any, the house is locked: what becomes of it may have a number, and that lock comes before accounts.
    """
    owed = Charge.objects.filter(session=session, player=player_id, collection__isnull=True)
    charges = list(owed.select_related("down", "schedule", "uncollected").order_by("down__number", "pk"))
    if charges:
        posting.lock_house(session.table.site)
    return charges


def write_uncollected(
    *,
    session: TableSession,
    sitting: Sitting,
    charges: Iterable[Charge],
    reason: str,
    act: Act,
    **more: Any,
) -> list[Uncollected]:
    """Write that these open charges were not collected, each with its number and its event; those that have one stay.

    Each belongs to the charge's gaming day, or, where that is closed, to the day in which it is written.
    """
    site = session.table.site
    written = []
    for charge in charges:
        if hasattr(charge, "uncollected"):
            continue
        number = next_number(Uncollected, site)
        day = open_day(site, charge.gaming_day, act.now)
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
            **more,
        )
        written.append(
            Uncollected.objects.create(
                site=site, number=number, charge=charge, event=event, gaming_day=day, recorded_at=act.now
            )
        )
    return written


def declare_uncollected(*, sitting_id: int, act: Act) -> list[Uncollected]:
    """Write down that a player walked away from the seat without paying what is due there.

    The seat and its chips stay as they are until the player is cashed out; the charges stay due. Refuses
    `reason_required`, `not_seated`, `nothing_due`, and `fee_collectable` while the stack could pay one of them: then
    cashing the player out takes it.
    """
    require(act.actor, RUN_FLOOR)
    act = act.stated("Say what happened.")
    with transaction.atomic():
        session, sitting = lock_sitting(sitting_id)
        kind = TableEvent.Kind.FEE_UNCOLLECTED
        if recorded_before(session, {kind}, act, sitting=sitting.pk, reason=act.reason):
            return list(
                Uncollected.objects.filter(event__session=session, event__key=act.key).order_by("number")
            )
        require_seated(sitting)
        charges = [one for one in open_charges(session, sitting.player_id) if not hasattr(one, "uncollected")]
        if not charges:
            raise NothingDue(f"{sitting.player} owes nothing that is not recorded already.")
        _require_uncollectable(sitting, charges)
        written = write_uncollected(
            session=session, sitting=sitting, charges=charges, reason=act.reason, key=act.key, act=act
        )
        publish(session.pk)
    return written


def _require_uncollectable(sitting: Sitting, charges: Iterable[Charge]) -> None:
    """Refuse to give up a fee that lies on the felt (`fee_collectable`)."""
    stack = sitting.stack.balance_cents
    if any(charge.cents <= stack for charge in charges):
        raise FeeCollectable(
            f"{sitting.player} still has {dollars(stack)} on the table: cash the player out, and the fee is taken from it."
        )


def recovery_numbers(charge: Charge, site: Any, before: int) -> dict[str, int]:
    """What the evidence of taking a charge says where that recovers an uncollected fee: its number, and the recovery's.

    `before` so many recoveries are written in the same act before this one.
    """
    lost = Uncollected.objects.filter(charge=charge).values_list("number", flat=True).first()
    return {} if lost is None else {"uncollected": lost, "recovery": next_number(Recovery, site) + before}


def write_recovery(collection: Collection, site: Any, number: int) -> Recovery:
    """Write that an uncollected fee was paid after all."""
    lost = Uncollected.objects.get(charge=collection.charge)
    return Recovery.objects.create(site=site, number=number, uncollected=lost, collection=collection)
