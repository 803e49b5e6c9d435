"""Mark a claim between two players as paid (R58). They settle it among themselves; somebody of the floor saw it."""

from typing import Any

from django.db import transaction

from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import ClaimPaid
from tables.live import publish
from tables.models import Claim, ClaimPayment, TableEvent
from tables.rights import RUN_FLOOR
from tables.state.events import record, recorded_before
from tables.state.locks import lock_session


def mark_paid(*, claim_id: int, act: Act) -> ClaimPayment:
    """Record that the debtor has paid the creditor, and that the person acting saw it. Nothing in the books moves.

    Works after the table has closed as well. Repeating a key returns the same payment. Refuses `claim_paid`.
    """
    require(act.actor, RUN_FLOOR)
    with transaction.atomic():
        claim = Claim.objects.select_related("settlement__round").get(pk=claim_id)
        session, act = lock_session(claim.settlement.round.session_id, act)
        kind = TableEvent.Kind.CLAIM_PAID
        data: dict[str, Any] = {
            "claim": claim.pk,
            "number": claim.number,
            "debtor": claim.debtor_id,
            "creditor": claim.creditor_id,
            "cents": claim.cents,
        }
        if recorded_before(session, {kind}, act, **data):
            return claim.payment
        paid = ClaimPayment.objects.filter(claim=claim).select_related("seen_by").first()
        if paid is not None:
            raise ClaimPaid(f"Claim {claim.number} has been paid; {paid.seen_by} saw it.")
        event = record(session, kind, key=act.key, act=act, **data)
        payment = ClaimPayment.objects.create(claim=claim, event=event, seen_by=act.actor, seen_at=act.now)
        publish(session.pk)
    return payment
