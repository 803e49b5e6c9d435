"""Stop the clock of a table and start it again (R61)."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.rights import require
from tables.errors import (
    ClockRunning,
    ClockStopped,
    ReasonRequired,
)
from tables.live import publish
from tables.models import ClockStop, Down, TableEvent, TableSession
from tables.rights import RUN_FLOOR
from tables.state.clock import clock_kept
from tables.state.events import record, recorded_before
from tables.state.locks import lock_session, require_open
from tables.state.table_state import state_of


def stop_clock(*, session_id: int, reason: str, key: str, actor: Any, now: datetime) -> TableSession:
    """Stop the table's clock for an incident; the rest of the down is shifted (R65)."""
    require(actor, RUN_FLOOR)
    reason = reason.strip()
    if not reason:
        raise ReasonRequired("Say why the clock is stopped.", field="reason")
    with transaction.atomic():
        session = lock_session(session_id)
        kind = TableEvent.Kind.CLOCK_STOPPED
        if recorded_before(session, {kind}, key, actor=actor, reason=reason):
            return session
        require_open(session)
        now = state_of(session).not_before(now)
        with clock_kept(session, now):
            if not Down.objects.filter(session=session).exists():
                raise ClockRunning("The clock starts with the first round.")
            if ClockStop.objects.filter(session=session, started_at__isnull=True).exists():
                raise ClockStopped("The clock stands still already.")
            ClockStop.objects.create(session=session, stopped_at=now, reason=reason, stopped_by=actor)
        record(session, kind, actor=actor, now=now, reason=reason, key=key)
        publish(session.pk)
    return session


def start_clock(*, session_id: int, key: str, actor: Any, now: datetime) -> TableSession:
    """Let the table's clock run again (R65)."""
    require(actor, RUN_FLOOR)
    with transaction.atomic():
        session = lock_session(session_id)
        kind = TableEvent.Kind.CLOCK_STARTED
        if recorded_before(session, {kind}, key, actor=actor):
            return session
        require_open(session)
        stop = ClockStop.objects.filter(session=session, started_at__isnull=True).first()
        if stop is None:
            raise ClockRunning("The clock is running.")
        now = max(now, stop.stopped_at)
        with clock_kept(session, now):
            stop.started_at, stop.started_by = now, actor
            stop.save(update_fields=["started_at", "started_by"])
        record(session, kind, actor=actor, now=now, stopped_at=stop.stopped_at.isoformat(), key=key)
        publish(session.pk)
    return session
