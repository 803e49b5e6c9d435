"""Waivers: a fee that the house lets go, numbered and for a published reason; and publishing those reasons (R60).

A waived fee is charged like any other and then taken by nothing: a record, never a missing charge.
"""

import re
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from ledger.errors import KeyReused
from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day, open_day
from ledger.rights import require
from tables.collection.charges import write_charge
from tables.collection.taking import fee_evidence
from tables.errors import BadEntry, NothingDue, ReasonPublished, UnknownReason
from tables.live import publish
from tables.models import Charge, Collection, Sitting, TableSession, Waiver, WaiverReason
from tables.rights import MANAGE_HOUSE, RUN_FLOOR
from tables.state.clock import clock_kept
from tables.state.locks import lock_sitting
from tables.state.numbering import next_number
from tables.state.plan import planned_fees
from tables.state.table_state import state_of

_PUBLISHED, _WITHDRAWN = "waiver_reason_published", "waiver_reason_withdrawn"
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
CODE_LENGTH, TEXT_LENGTH, REFERENCE_LENGTH = 30, 120, 80


def reasons_in_force(site: Any, now: datetime) -> QuerySet[WaiverReason]:
    """The reasons for which a fee can be waived on the gaming day of `now`, by code."""
    day = gaming_day(site, now)
    kept = Q(withdrawn_on__isnull=True) | Q(withdrawn_on__gt=day)
    return WaiverReason.objects.filter(kept, site=site, effective_from__lte=day).order_by("code")


def waive_fee(*, sitting_id: int, reason: WaiverReason, charge_id: int | None = None, act: Act) -> Waiver:
    """Waive one fee: the open charge `charge_id` of the player at this table, or the fee of the current down.

    The down's fee is charged first, as by paying ahead; then it is closed by an entry that moves nothing. A waived fee
    is as good as a paid one for R62: it covers the first down after a move that the house ordered (decided). The same
    key is the same waiver. Refuses `unknown_reason`, and `nothing_due` where there is no such fee.
    """
    require(act.actor, RUN_FLOOR)
    content = {"sitting": sitting_id, "charge": charge_id, "reason": reason.code}
    with transaction.atomic():
        session, sitting = lock_sitting(sitting_id)
        site = session.table.site
        earlier = posting.earlier(site=site, kind="waiver", content=content, act=act)
        if earlier is not None:
            return Waiver.objects.select_related("collection__charge").get(collection__entry=earlier)
        number = next_number(Waiver, site)  # from here on no reason is withdrawn
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
                        **fee_evidence(session, sitting, charge, "waived"),
                        "waiver": {"number": number, "code": reason.code, "text": reason.text},
                    },
                    content=content,
                    gaming_day=open_day(site, charge.gaming_day, act.now),
                    act=act.because(reason.text),
                ),
            )
            closed = Collection.objects.create(charge=charge, entry=entry, method="waived", taken_at=act.now)
            waiver = Waiver.objects.create(site=site, number=number, collection=closed, reason=reason)
        publish(session.pk)
    return waiver


def _due(session: TableSession, sitting: Sitting, charge_id: int | None, act: Act) -> Charge:
    """The charge that is waived; that of the current down is written now where no round has made it due yet."""
    state = state_of(session)
    down = state.down_at(act.now) if sitting.left_at is None else None
    fees, _ = planned_fees(state, sitting, down, fresh_down=False)
    for fee in fees:
        if fee.charge is not None and (
            fee.charge.pk == charge_id
            or (charge_id is None and down is not None and fee.down_number == down.number)
        ):
            return fee.charge
        if fee.owed is not None and charge_id is None and fee.rule != Charge.Rule.COVERED:
            return write_charge(
                session=session, sitting=sitting, down=state.latest_down, owed=fee.owed, act=act
            )
    raise NothingDue(f"{sitting.player} does not owe this fee now.")


# -- the published reasons ------------------------------------------------------------------------------------


def publish_waiver_reason(
    *, site: Any, code: str, text: str, approval_reference: str, effective_from: date, act: Act
) -> WaiverReason:
    """Publish a reason for which fees may be waived, from a gaming day on; what it says never changes.

    `code` is words in small letters joined by hyphens. Refuses `bad_entry`, `bad_text`, `reason_published` for a code
    that is taken.
    """
    require(act.actor, MANAGE_HOUSE)
    code, text, approval_reference = code.strip(), text.strip(), approval_reference.strip()
    said = {"code": code, "text": text, "approval_reference": approval_reference}
    said["effective_from"] = effective_from.isoformat()
    with transaction.atomic():
        posting.lock_house(site)
        if _noted_before(site, _PUBLISHED, act, said):
            return WaiverReason.objects.get(site=site, code=code)
        return write_reason(
            site=site,
            code=code,
            text=text,
            approval_reference=approval_reference,
            effective_from=effective_from,
            act=act,
        )


def write_reason(
    *, site: Any, code: str, text: str, approval_reference: str, effective_from: date, act: Act
) -> WaiverReason:
    """Write a reason with its event, in the caller's transaction; for whoever sets a room up before anybody works there."""
    if len(code) > CODE_LENGTH or not _CODE.fullmatch(code):
        raise BadEntry("The code is small letters and digits, joined by hyphens.", field="code")
    posting.checked_text(text, TEXT_LENGTH, "text")
    posting.checked_text(approval_reference, REFERENCE_LENGTH, "approval_reference")
    if WaiverReason.objects.filter(site=site, code=code).exists():
        raise ReasonPublished(f"A reason {code} has been published before: take another code.", field="code")
    said = {"code": code, "text": text, "approval_reference": approval_reference}
    reason = WaiverReason.objects.create(site=site, effective_from=effective_from, **said)
    said |= {"effective_from": effective_from.isoformat(), "key": act.key}
    house_events.note(site, _PUBLISHED, reason=reason.pk, act=act, **said)
    return reason


def withdraw_waiver_reason(*, reason_id: int, act: Act) -> WaiverReason:
    """Withdraw a published reason: from now on no fee is waived for it. What was waived stays so."""
    require(act.actor, MANAGE_HOUSE)
    with transaction.atomic():
        reason = WaiverReason.objects.select_related("site").get(pk=reason_id)
        posting.lock_house(reason.site)
        if _noted_before(reason.site, _WITHDRAWN, act, {"code": reason.code}):
            return reason
        reason.refresh_from_db(fields=["withdrawn_on"])
        if reason.withdrawn_on is not None:
            raise UnknownReason("This reason has been withdrawn already.")
        reason.withdrawn_on = gaming_day(reason.site, act.now)
        reason.save(update_fields=["withdrawn_on"])
        said = {"code": reason.code, "withdrawn_on": reason.withdrawn_on.isoformat(), "key": act.key}
        house_events.note(reason.site, _WITHDRAWN, reason=reason.pk, act=act, **said)
    return reason


def _noted_before(site: Any, kind: str, act: Act, said: dict[str, Any]) -> bool:
    """Whether this act was noted under this key; one that said something else is `key_reused`."""
    earlier = site.events.filter(kind__in=(_PUBLISHED, _WITHDRAWN), data__key=act.key).first()
    if earlier is None:
        return False
    same = earlier.kind == kind and earlier.actor_id == act.actor.pk
    if not same or any(earlier.data.get(name) != value for name, value in said.items()):
        raise KeyReused("This key was used for something else.", field="key")
    return True
