"""Void a round that was misdealt."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.errors import KeyReused
from ledger.rights import require
from tables.errors import (
    ReasonRequired,
)
from tables.live import publish
from tables.models import Round, TableEvent
from tables.rights import DEAL, RUN_FLOOR
from tables.rounds.pushes import require_dealer
from tables.rounds.settling import require_dealt
from tables.state.events import record
from tables.state.locks import lock_round


def void_round(*, round_id: int, reason: str, key: str, actor: Any, now: datetime) -> Round:
    """Void a round before its settlement: buttons and fantasy land stay as they were (R58)."""
    require(actor, DEAL, RUN_FLOOR)
    if not reason.strip():
        raise ReasonRequired("Say why the round is voided.", field="reason")
    with transaction.atomic():
        session, round_ = lock_round(round_id)
        earlier = Round.objects.filter(site=session.table.site, void_key=key).first()
        if earlier is not None:
            if (earlier.pk, earlier.void_reason) != (round_.pk, reason.strip()):
                raise KeyReused("This key voided another round, or this one for another reason.", field="key")
            return round_
        if not actor.has_perm(RUN_FLOOR):
            require_dealer(session, actor, now)
        require_dealt(round_)
        round_.state, round_.ended_at = Round.State.VOID, now
        round_.void_reason, round_.void_key = reason.strip(), key
        round_.save(update_fields=["state", "ended_at", "void_reason", "void_key"])
        record(
            session,
            TableEvent.Kind.ROUND_VOIDED,
            actor=actor,
            now=now,
            round=round_.number,
            round_id=round_.pk,
            reason=reason.strip(),
        )
        publish(session.pk)
    return round_
