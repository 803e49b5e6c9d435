"""Keep a table's clock: write downs that have begun, and start a clock that waits (R61, R64)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from ledger.db.compiled import insert, new
from ledger.journal import records
from ledger.journal.acts import Act
from tables.models import Down, Rate, TableEvent, TableSession
from tables.rules.table import downs
from tables.state import table_state
from tables.state.events import rate_data, record
from tables.state.rows import STOPS


def write_downs(
    session: TableSession, begun: tuple[downs.DownStart, ...] | list[downs.DownStart], now: datetime
) -> list[Down]:
    rate = session.next_rate if begun else None
    maximum = session.next_max_buy_in_cents if rate is not None else None
    if rate is not None and maximum is not None:
        _change_rate(session, rate, maximum, begun[0], now)
    written = [
        new(
            Down,
            session=session,
            number=down.number,
            rate=session.rate,
            started_at=down.started_at,
            waited_from=down.waited_from,
        )
        for down in begun
    ]
    insert(written)
    records.keep(session.table.site_id, now, *written)
    return written


def _change_rate(
    session: TableSession, rate: Rate, maximum: int, down: downs.DownStart, now: datetime
) -> None:
    announced = session.events.filter(kind=TableEvent.Kind.RATE_ANNOUNCED).order_by("-pk")[0]
    session.rate, session.limit_cents, session.max_buy_in_cents = rate, rate.limit_cents, maximum
    session.next_rate = session.next_max_buy_in_cents = None
    changed = ("rate", "limit_cents", "max_buy_in_cents", "next_rate", "next_max_buy_in_cents")
    session.save(update_fields=changed)
    record(
        session,
        TableEvent.Kind.RATE_CHANGED,
        at=down.started_at,
        down=down.number,
        act=Act(actor=announced.actor, now=now),
        **rate_data(session.rate, session.max_buy_in_cents),
    )


@contextmanager
def clock_kept(session: TableSession, now: datetime, latest_at: datetime | None = None) -> Iterator[None]:
    """Keep the table's clock correct around a change in who can be dealt in (R61).

    Writes the downs begun before the body; after it, restarts a waiting clock if two are eligible. Every verb
    that changes that, or the limit, calls this under the session's lock. `latest_at` is the newest down's
    start, if already read.
    """
    if latest_at is None:
        newest = Down.objects.filter(session=session).order_by("-number")
        latest_at = newest.values_list("started_at", flat=True).first()
    if latest_at is None or not _boundary_passed(session, latest_at, now):
        yield
        return
    write_downs(session, table_state.state_of(session).downs_begun(now), now)
    yield
    state = table_state.state_of(session)
    if state.latest_down is not None and state.enough_players:
        current = downs.DownStart(state.latest_down.number, state.latest_down.started_at)
        begun = downs.begun_after_wait(current, now, state.rule_stops)
        if begun is not None:
            write_downs(session, [begun], now)


def _boundary_passed(session: TableSession, latest_at: datetime, now: datetime) -> bool:
    if now < latest_at + downs.DOWN:
        return False  # stopping the clock only moves the boundary later
    stops = [downs.Stop(stop.stopped_at, stop.started_at) for stop in STOPS.rows([session.pk])]
    end = downs.down_ends(latest_at, stops)
    return end is not None and end <= now
