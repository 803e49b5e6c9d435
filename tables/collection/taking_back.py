"""Take back a fee paid or waived wrongly: the money goes back, the charge is open again (R63). One person may
do it within ten seconds if nothing was built on it; later it takes two people and a reason."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q

from ledger.cage import taking_back
from ledger.errors import BuiltOn, NotTakenBack
from ledger.journal.acts import Act
from ledger.journal.records import moment
from ledger.rights import WORK_CAGE, require
from ledger.rules.undoing import key_of_act
from tables.collection.uncollected import write_uncollected
from tables.errors import StalePage
from tables.live import publish
from tables.models import Charge, FeePayment, Sitting, TableSession
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS, HANDLE_CHIPS, RUN_FLOOR
from tables.rules.table.paying import Method
from tables.state.clock import clock_kept
from tables.state.locks import lock_sessions, require_seated
from tables.state.requirements import require_not_built_on, require_not_dealt_in

SECOND, SECOND_AT_CAGE = (APPROVE_CORRECTIONS,), (APPROVE_CORRECTIONS, WORK_CAGE)
"""The second person needs one of these rights, for a fee taken at a table or at the cage."""


def take_back_fee(*, payment_id: int, act: Act) -> list[Any]:
    """Take back a payment or a waiver, and return its reversal slips. With an approver this payment alone,
    else everything its act paid. Refuses `not_taken_back` for a covered fee, `built_on` (R62), `not_seated`,
    `round_running`, `stale_page`, and what `take_back` refuses."""
    payment = _payments().get(pk=payment_id)
    _require_rights(payment, act)
    with transaction.atomic():
        locked, sitting, act = _lock(json.loads(payment.entry.evidence)["sitting"], act)
        session, site = locked[0], locked[0].table.site
        payments = [payment] if act.approver is not None else _payments_of_act(payment)
        entries = [one.entry for one in payments]
        if taking_back.taken_back_before(site, entries, act):
            return taking_back.slips_of(entries)
        _require_possible(session, sitting, payments, act)
        with clock_kept(session, act.now):
            slips = taking_back.take_back(
                site=site,
                entries=entries,
                evidence={one.entry_id: _evidence(one) for one in payments},
                act=act,
            )
            if sitting.left_at is not None:
                # A player who has left owes each with a number, like any unpaid fee (R63).
                charges = Charge.objects.open().filter(pk__in=[one.charge_id for one in payments])
                charges = charges.select_related("uncollected", "player")
                write_uncollected(
                    session=session, sitting=sitting, charges=charges, reason=act.reason, act=act
                )
        for one in locked:
            publish(one.pk)
    return slips


def _lock(sitting_id: int, act: Act) -> tuple[list[TableSession], Sitting, Act]:
    """Return the locked table and sitting, and the table where the player sits now (R51). No round may start
    there without what they owe again. Refuses `stale_page` if they moved on."""
    sittings = Sitting.objects.select_related("player", "stack")
    sitting = sittings.get(pk=sitting_id)
    seen_at = _sits_at(sitting)
    locked, act = lock_sessions(sitting.session_id, *seen_at, act=act)
    sitting = sittings.get(pk=sitting_id)
    if not _sits_at(sitting) <= seen_at:
        raise StalePage(f"{sitting.player} has just sat down at another table: try again.")
    return locked, sitting, act


def _sits_at(sitting: Sitting) -> set[int]:
    """Return the other table where the paying player sits now, if any."""
    seated = Sitting.objects.filter(player=sitting.person_id, left_at=None).exclude(
        session=sitting.session_id
    )
    return set(seated.values_list("session", flat=True))


def _payments() -> Any:
    return FeePayment.objects.select_related("entry__site", "charge__player", "charge__uncollected")


def _require_rights(payment: FeePayment, act: Act) -> None:
    """Require the right to take or waive the fee; with a second person, the right to ask for corrections."""
    at_cage, waived = payment.method == Method.CAGE, payment.method == Method.WAIVED
    if at_cage:
        require(act.actor, WORK_CAGE)
    elif act.approver is not None:
        require(act.actor, ASK_CORRECTIONS)
    else:
        require(act.actor, RUN_FLOOR if waived else HANDLE_CHIPS)
    if act.approver is not None and act.approver.pk != act.actor.pk:
        require(act.approver, *(SECOND_AT_CAGE if at_cage else SECOND))


def _payments_of_act(payment: FeePayment) -> list[FeePayment]:
    first = key_of_act(payment.entry.key)
    under = Q(entry__key=first) | Q(entry__key__startswith=f"{first}/")
    return list(_payments().filter(under, entry__site=payment.entry.site).order_by("pk"))


def _require_possible(
    session: TableSession, sitting: Sitting, payments: Sequence[FeePayment], act: Act
) -> None:
    entries = [one.entry for one in payments]
    taking_back.require_in_force(entries)
    for payment in payments:
        if payment.method == Method.COVERED:
            raise NotTakenBack("Nothing was paid for a covered fee.", field="entry")
        charge = payment.charge
        covers = Sitting.objects.filter(covered_by=charge).select_related("session__table").first()
        if covers is not None:
            raise BuiltOn(f"It covers the fee of {charge.player} at {covers.session.table} (R62).")
        if payment.method == Method.STACK:
            require_seated(sitting)
            require_not_dealt_in(sitting)
    if act.approver is None:
        require_not_built_on(session, sitting, entries)


def _evidence(payment: FeePayment) -> dict[str, Any]:
    """Return the reversal's evidence: the payment's, and the rest of the charge."""
    charge, paid = payment.charge, dict[str, Any](json.loads(payment.entry.evidence))
    return paid | {"charged_at": moment(charge.charged_at), "charge_day": charge.gaming_day.isoformat()}
