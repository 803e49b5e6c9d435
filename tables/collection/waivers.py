"""Waive a fee, numbered and for a published reason; publish and withdraw those reasons (R60).

A waived fee is charged like any other and then closed without payment: a record, never a missing charge."""

import re
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day, open_day
from ledger.rights import require
from tables.collection.taking import fee_evidence, taken_back_before, write_charges
from tables.errors import BadEntry, NothingDue, ReasonPublished, UnknownReason
from tables.models import Charge, FeePayment, Sitting, TableSession, Waiver, WaiverReason
from tables.rights import MANAGE_HOUSE, RUN_FLOOR
from tables.rules.table.paying import Method
from tables.state.clock import clock_kept
from tables.state.events import next_number
from tables.state.locks import at_seat
from tables.state.plan import planned_fees
from tables.state.requirements import require_not_seated_again
from tables.state.table_state import state_of

_PUBLISHED, _WITHDRAWN = "waiver_reason_published", "waiver_reason_withdrawn"
_KINDS = (_PUBLISHED, _WITHDRAWN)
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
CODE_LENGTH = WaiverReason._meta.get_field("code").max_length or 0
TEXT_LENGTH = WaiverReason._meta.get_field("text").max_length or 0
REFERENCE_LENGTH = WaiverReason._meta.get_field("approval_reference").max_length or 0


def reasons_in_force(site: Any, now: datetime) -> QuerySet[WaiverReason]:
    """Return the reasons for which a fee can be waived on the gaming day of `now`, by code."""
    day = gaming_day(site, now)
    not_withdrawn = Q(withdrawn_on__isnull=True) | Q(withdrawn_on__gt=day)
    return WaiverReason.objects.filter(not_withdrawn, site=site, effective_from__lte=day).order_by("code")


def waive_fee(*, sitting_id: int, reason: WaiverReason, charge_id: int | None = None, act: Act) -> Waiver:
    """Waive one fee: the open charge `charge_id` (R51), or the current down's. A waived fee counts as paid
    for R62 (decided). Refuses `unknown_reason`, `nothing_due`, and `player_seated` if a player who left sits
    at a table again."""
    require(act.actor, RUN_FLOOR)
    content = {"sitting": sitting_id, "charge": charge_id, "reason": reason.code}
    with at_seat(sitting_id, act) as (session, sitting, act):
        site = session.table.site
        earlier = posting.earlier(site=site, kind="waiver", content=content, act=act)
        if earlier is not None:
            return Waiver.objects.select_related("payment__charge").get(payment__entry=earlier)
        number = next_number(Waiver, site)  # the house is now locked, so no reason can be withdrawn meanwhile
        if not reasons_in_force(site, act.now).filter(pk=reason.pk).exists():
            raise UnknownReason("This reason is not published here for today.", field="reason")
        with clock_kept(session, act.now):
            charge = _due(session, sitting, charge_id, act)
            entry = posting.post(
                site=site,
                draft=posting.EntryDraft(
                    kind="waiver",
                    moves=(),
                    evidence={
                        **fee_evidence(session, sitting, charge, Method.WAIVED),
                        "waiver": {"number": number, "code": reason.code, "text": reason.text},
                    },
                    content=content,
                    gaming_day=open_day(site, charge.gaming_day, act.now),
                    act=act.because(reason.text),
                ),
            )
            closed = FeePayment.objects.create(
                charge=charge,
                sitting=sitting,
                entry=entry,
                method=Method.WAIVED,
                taken_at=act.now,
                after_id=taken_back_before([charge]).get(charge.pk),
            )
            waiver = Waiver.objects.create(site=site, number=number, payment=closed, reason=reason)
    return waiver


def _due(session: TableSession, sitting: Sitting, charge_id: int | None, act: Act) -> Charge:
    """Return the charge to waive; the current down's is written if not yet due."""
    state = state_of(session)
    if sitting.left_at is not None:
        require_not_seated_again(sitting)
    down = state.down_at(act.now) if sitting.left_at is None else None
    fees, _ = planned_fees(state, sitting, down, fresh_down=False)
    for fee in fees:
        current = down is not None and fee.table is None and fee.down_number == down.number
        if fee.charge is not None and (fee.charge.pk == charge_id or (charge_id is None and current)):
            return fee.charge
        ahead = fee.owed is not None and charge_id is None and fee.rule != Charge.Rule.COVERED
        if ahead and fee.owed is not None and state.latest_down is not None:
            owing = [(sitting, fee.owed)]
            return write_charges(session, owing, down=state.latest_down, act=act)[0]
    raise NothingDue(f"{sitting.player} does not owe this fee now.")


# -- the published reasons -----------------------------------------------------------------------------------


def publish_waiver_reason(
    *, site: Any, code: str, text: str, approval_reference: str, effective_from: date, act: Act
) -> WaiverReason:
    """Publish a reason to waive fees from a gaming day on; its text never changes. `code` is lower-case words
    joined by hyphens. Refuses `bad_entry`, `bad_text`, and `reason_published` if the code is taken."""
    require(act.actor, MANAGE_HOUSE)
    texts = {"code": code.strip(), "text": text.strip(), "approval_reference": approval_reference.strip()}
    data = {**texts, "effective_from": effective_from.isoformat()}
    with transaction.atomic():
        posting.lock_house(site)
        if house_events.noted_before(site, _PUBLISHED, act, data, among=_KINDS):
            return WaiverReason.objects.get(site=site, code=texts["code"])
        return write_reason(site=site, effective_from=effective_from, act=act, **texts)


def write_reason(
    *, site: Any, code: str, text: str, approval_reference: str, effective_from: date, act: Act
) -> WaiverReason:
    if len(code) > CODE_LENGTH or not _CODE.fullmatch(code):
        raise BadEntry("The code must be lower-case letters and digits, joined by hyphens.", field="code")
    posting.checked_text(text, TEXT_LENGTH, "text")
    posting.checked_text(approval_reference, REFERENCE_LENGTH, "approval_reference")
    if WaiverReason.objects.filter(site=site, code=code).exists():
        raise ReasonPublished(
            f"A reason with the code {code} has already been published: choose another code.", field="code"
        )
    data: dict[str, Any] = {"code": code, "text": text, "approval_reference": approval_reference}
    reason = WaiverReason.objects.create(site=site, effective_from=effective_from, **data)
    data |= {"effective_from": effective_from.isoformat(), "key": act.key}
    house_events.note(site, _PUBLISHED, reason=reason.pk, act=act, **data)
    return reason


def withdraw_waiver_reason(*, reason_id: int, act: Act) -> WaiverReason:
    """Withdraw a published reason, so that no fee is waived for it from now on. Earlier waivers stay."""
    require(act.actor, MANAGE_HOUSE)
    with transaction.atomic():
        reason = WaiverReason.objects.select_related("site").get(pk=reason_id)
        posting.lock_house(reason.site)
        if house_events.noted_before(reason.site, _WITHDRAWN, act, {"code": reason.code}, among=_KINDS):
            return reason
        reason.refresh_from_db(fields=["withdrawn_on"])
        if reason.withdrawn_on is not None:
            raise UnknownReason("This reason has already been withdrawn.")
        reason.withdrawn_on = gaming_day(reason.site, act.now)
        reason.save(update_fields=["withdrawn_on"])
        data: dict[str, Any] = {
            "code": reason.code,
            "withdrawn_on": reason.withdrawn_on.isoformat(),
            "key": act.key,
        }
        house_events.note(reason.site, _WITHDRAWN, reason=reason.pk, act=act, **data)
    return reason
