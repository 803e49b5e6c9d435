"""Void a round that was misdealt."""

from django.db import transaction

from ledger.errors import KeyReused
from ledger.journal import keys
from ledger.journal.acts import Act
from ledger.rights import require
from tables.live import publish
from tables.models import Round, TableEvent
from tables.rights import DEAL, RUN_FLOOR
from tables.rounds.pushes import require_dealer
from tables.rounds.settling import require_dealt
from tables.state.events import record
from tables.state.locks import lock_round


def void_round(*, round_id: int, act: Act) -> Round:
    """Void a round before its settlement: buttons and fantasy land stay as they were (R58)."""
    require(act.actor, DEAL, RUN_FLOOR)
    act = act.stated("Enter why the round is voided.")
    with transaction.atomic():
        session, round_, act = lock_round(round_id, act)
        if keys.known(session.table.site_id, [act.key]):
            if (round_.void_key, round_.void_reason) != (act.key, act.reason):
                raise KeyReused("This key was used for something else.", field="key")
            return round_
        if not act.actor.has_perm(RUN_FLOOR):
            require_dealer(session, act)
        require_dealt(round_)
        round_.state, round_.ended_at = Round.State.VOID, act.now
        round_.void_reason, round_.void_key = act.reason, act.key
        round_.save(update_fields=["state", "ended_at", "void_reason", "void_key"])
        record(
            session,
            TableEvent.Kind.ROUND_VOIDED,
            round=round_.number,
            round_id=round_.pk,
            reason=act.reason,
            act=act,
        )
        publish(session.pk)
    return round_
