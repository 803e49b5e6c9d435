"""Stop the clock of a table and start it again (R61)."""

from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import ClockRunning, ClockStopped
from tables.models import ClockStop, Down, TableEvent, TableSession
from tables.rights import RUN_FLOOR
from tables.state.clock import clock_kept
from tables.state.events import record, recorded_before
from tables.state.locks import at_table, require_open


def stop_clock(*, session_id: int, act: Act) -> TableSession:
    require(act.actor, RUN_FLOOR)
    act = act.stated("Enter why the clock is stopped.")
    with at_table(session_id, act) as (session, act):
        kind = TableEvent.Kind.CLOCK_STOPPED
        if recorded_before(session, kind, act, reason=act.reason):
            return session
        require_open(session)
        with clock_kept(session, act.now):
            if not Down.objects.filter(session=session).exists():
                raise ClockRunning("The clock starts with the first round.")
            if ClockStop.objects.filter(session=session, started_at__isnull=True).exists():
                raise ClockStopped("The clock is already stopped.")
            ClockStop.objects.create(
                session=session, stopped_at=act.now, reason=act.reason, stopped_by=act.actor
            )
        record(session, kind, reason=act.reason, key=act.key, act=act)
    return session


def start_clock(*, session_id: int, act: Act) -> TableSession:
    require(act.actor, RUN_FLOOR)
    with at_table(session_id, act) as (session, act):
        kind = TableEvent.Kind.CLOCK_STARTED
        if recorded_before(session, kind, act):
            return session
        require_open(session)
        stop = ClockStop.objects.filter(session=session, started_at__isnull=True).first()
        if stop is None:
            raise ClockRunning("The clock is running.")
        with clock_kept(session, act.now):
            stop.started_at, stop.started_by = act.now, act.actor
            stop.save(update_fields=["started_at", "started_by"])
        record(session, kind, stopped_at=stop.stopped_at.isoformat(), key=act.key, act=act)
    return session
