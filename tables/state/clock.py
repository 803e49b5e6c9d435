"""Keep a table's clock: write downs that have begun, start one that waits, say what it shows (R61, R64)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from ledger.db.compiled import insert, new
from ledger.journal import records
from ledger.journal.acts import Act
from tables.models import ClockStop, Down, Rate, TableEvent, TableSession
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
    """Keep the table's clock correct around a change in who can be dealt in (R61). Writes the downs begun
    before the body; after it, restarts a waiting clock if two are eligible. Every verb that changes that, or
    the limit, calls this under the session's lock. `latest_at` is the newest down's start, if already
    read."""
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


# -- what it shows -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClockFacts:
    """What the clock shows. `state` is new, running, waiting or stopped. `fee_cents` is that of the next
    down, `entry_fee_cents` what a player owes who enters now. A clock that waits has waited since `ends_at`;
    where it is stopped, `left` of the down is text, 17:05."""

    state: str
    fee_cents: int
    entry_fee_cents: int
    down: int | None = None
    ends_at: datetime | None = None
    stop: ClockStop | None = None
    left: str = ""


def shown_clock(state: table_state.TableState, now: datetime) -> ClockFacts:
    fee, stops, stop = state.next_rate.fee_cents, state.rule_stops, state.open_stop
    if state.latest_down is None:
        return ClockFacts("new", fee, fee)
    begun, running = state.downs_until(now)
    latest = begun[-1] if begun else downs.DownStart(state.latest_down.number, state.latest_down.started_at)
    entry_fee = downs.owed(state.rate_of(latest).rate.fee_cents, latest.started_at, now, stops).cents
    if stop is not None:
        left = max(downs.DOWN - downs.clock_between(latest.started_at, now, stops), timedelta())
        minutes, seconds = divmod(int(left.total_seconds()), 60)
        return ClockFacts(
            "stopped", fee, entry_fee, latest.number, stop=stop, left=f"{minutes}:{seconds:02d}"
        )
    ends_at = downs.down_ends(latest.started_at, stops)
    if running is None:
        return ClockFacts("waiting", fee, fee, latest.number, ends_at)
    return ClockFacts("running", fee, entry_fee, latest.number, ends_at)
