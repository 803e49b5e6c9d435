"""Getting hold of an open table: its lock, its clock, and the log of its events. Every verb begins here."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import F, OuterRef, QuerySet, Subquery

from ledger import records
from ledger.compiled import Compiled
from ledger.errors import KeyReused
from tables import queries
from tables.errors import NotSeated, TableClosed
from tables.models import Down, Hand, Round, Schedule, Sitting, TableEvent, TableSession
from tables.rules import downs
from tables.state_rows import STOPS


def lock_session(session_id: int) -> TableSession:
    """Return the session with its row locked; the first thing every verb does, so that a table has one order.

    Joined are only rows that stay the same while the table is open: of others (the box, the rate) PostgreSQL would
    show what they were before the wait for the lock, and no session at all where `box` has changed meanwhile.
    """
    return _LOCKED.get(session_id)


def _locked() -> QuerySet[TableSession]:
    locked = TableSession.objects.select_for_update(of=("self",), no_key=True)
    return locked.select_related("table__site", "sheet").defer("sheet__raw")


_LOCKED = Compiled(lambda pk: _locked().filter(pk=pk))
_LOCKED_OF_ROUND = Compiled(lambda pk: _locked().filter(rounds=pk))
_ROUND = Compiled(lambda pk: Round.objects.filter(pk=pk))
_SEATED_AT = Compiled(lambda pk: Sitting.objects.filter(pk=pk).only("session_id"))
_SITTING = Compiled(lambda pk: Sitting.objects.filter(pk=pk).select_related("player", "stack"))
_DEALT = Compiled(lambda pk: _dealt().filter(round=pk))
_LATEST_DOWN = Compiled(lambda pk: Down.objects.filter(session=pk).order_by("-number")[:1])


def _dealt() -> QuerySet[Hand]:
    newest = Down.objects.filter(session=OuterRef("round__session")).order_by("-number")
    return (
        Hand.objects.annotate(
            stack=F("sitting__stack_id"),
            marked=F("sitting__fantasy_land"),
            latest_down_at=Subquery(newest.values("started_at")[:1]),
        )
        .select_related("round")
        .defer("round__draft")
    )


class DealtSitting(NamedTuple):
    """Of a sitting that was dealt in: its stack, and whether its next hand comes face down (R41)."""

    pk: int
    stack_id: int
    fantasy_land: bool


class DealtHand(NamedTuple):
    """A hand as it was dealt: a plain row with what settling reads of `Hand`, under the same names."""

    seat: int
    position: int
    stack_cents: int
    fantasy_land: bool
    sitting_id: int
    sitting: DealtSitting


def lock_sessions(*session_ids: int) -> list[TableSession]:
    """Return several sessions, locked in the order of their ids: two verbs that need the same never wait for each other."""
    locked = {session_id: lock_session(session_id) for session_id in sorted(set(session_ids))}
    return [locked[session_id] for session_id in session_ids]


def lock_open_session(session_id: int) -> TableSession:
    """As `lock_session`, but refuse a closed one (`table_closed`)."""
    session = lock_session(session_id)
    require_open(session)
    return session


def require_open(session: TableSession) -> None:
    """Refuse a session that has been closed (`table_closed`). A verb with a key looks for its earlier act first."""
    if session.closed_at is not None:
        raise TableClosed(f"{session.table} has been closed.")


def lock_sitting(sitting_id: int) -> tuple[TableSession, Sitting]:
    """Return the session, locked, and the sitting as it is under that lock."""
    session = lock_session(_SEATED_AT.get(sitting_id).session_id)
    return session, _SITTING.get(sitting_id)


def require_seated(sitting: Sitting) -> None:
    """Refuse a sitting that has ended (`not_seated`)."""
    if sitting.left_at is not None:
        raise NotSeated(f"{sitting.player} has left the table.")


def lock_round(round_id: int) -> tuple[TableSession, Round]:
    """Return the session, locked, and the round as it is under that lock."""
    return _locked_of(round_id), _ROUND.get(round_id)


def lock_dealt(round_id: int) -> tuple[TableSession, Round, list[Any], datetime]:
    """As `lock_round`, with its hands (`DealtHand`) and when the newest down of the table began; one question for all."""
    session, values = _locked_of(round_id), _DEALT.values(round_id)
    (first,) = _DEALT.made(values[:1])
    columns, hands = _hand_columns(), []
    for row in values:
        *plain, fantasy_land, sitting, stack, marked = (row[column] for column in columns)
        hands.append(
            DealtHand(*plain, bool(fantasy_land), sitting, DealtSitting(sitting, stack, bool(marked)))
        )
    return session, first.round, hands, first.latest_down_at  # type: ignore[attr-defined]


@cache
def _hand_columns() -> list[int]:
    names = ("seat", "position", "stack_cents", "fantasy_land", "sitting_id", "stack", "marked")
    return [_DEALT.column(name) for name in names]


def _locked_of(round_id: int) -> TableSession:
    try:
        return _LOCKED_OF_ROUND.get(round_id)
    except TableSession.DoesNotExist as error:
        raise Round.DoesNotExist from error


def record(
    session: TableSession,
    kind: str,
    *,
    actor: AbstractBaseUser,
    now: datetime,
    at: datetime | None = None,
    **data: Any,
) -> TableEvent:
    """Write an event without money into the table's log."""
    event = TableEvent.objects.create(
        session=session, kind=kind, at=at or now, recorded_at=now, actor=actor, data=data
    )
    records.keep(session.table.site_id, now, event)
    return event


def recorded_before(
    session: TableSession, kinds: Collection[str], key: str, *, actor: AbstractBaseUser, **said: Any
) -> bool:
    """Whether an act without money was recorded under this key; one that said something else is `key_reused`."""
    earlier = session.events.filter(data__key=key).first()
    if earlier is None:
        return False
    same = earlier.kind in kinds and earlier.actor_id == actor.pk
    if not same or any(earlier.data.get(name) != value for name, value in said.items()):
        raise KeyReused("This key was used for something else at this table.", field="key")
    return True


def write_downs(
    session: TableSession, begun: tuple[downs.DownStart, ...] | list[downs.DownStart], now: datetime
) -> list[Down]:
    """Write the downs that have begun; a rate that was announced takes effect with the first of them (R64)."""
    if begun and session.next_schedule_id is not None:
        _change_rate(session, begun[0], now)
    written = Down.objects.bulk_create(
        Down(
            session=session,
            number=down.number,
            schedule=session.schedule,
            started_at=down.started_at,
            waited_from=down.waited_from,
        )
        for down in begun
    )
    records.keep(session.table.site_id, now, *written)
    return written


def _change_rate(session: TableSession, down: downs.DownStart, now: datetime) -> None:
    """Put the announced rate in the place of the one until now, in the name of whoever announced it."""
    announced = session.events.filter(kind=TableEvent.Kind.RATE_ANNOUNCED).order_by("-pk")[0]
    session.schedule, session.max_buy_in_cents = session.next_schedule, session.next_max_buy_in_cents
    session.limit_cents = session.schedule.limit_cents
    session.next_schedule = session.next_max_buy_in_cents = None
    session.save(
        update_fields=[
            *("schedule", "limit_cents", "max_buy_in_cents"),
            *("next_schedule", "next_max_buy_in_cents"),
        ]
    )
    record(
        session,
        TableEvent.Kind.RATE_CHANGED,
        actor=announced.actor,
        now=now,
        at=down.started_at,
        down=down.number,
        **rate_told(session.schedule, session.max_buy_in_cents),
    )


def rate_told(schedule: Schedule, max_buy_in_cents: int) -> dict[str, Any]:
    """What the log says of the rate of a table: when it opens, and when a change is announced and takes effect."""
    return {
        "schedule": {
            "id": schedule.pk,
            "option": schedule.option,
            "version": schedule.version,
            "fee_cents": schedule.fee_cents,
            "limit_cents": schedule.limit_cents,
        },
        "limit_cents": schedule.limit_cents,
        "max_buy_in_cents": max_buy_in_cents,
    }


@contextmanager
def clock_kept(session: TableSession, now: datetime, latest_at: datetime | None = None) -> Iterator[None]:
    """Keep the table's clock right around a change of who could be dealt in (R61).

    Downs whose boundary lies between the last change and this one begin by who was eligible until now; a clock
    that waits goes on with the change that brings the second player. Called under the session's lock, by every
    verb that moves chips of a stack, seats, frees or parks a player, stops and starts the clock, or announces another
    limit. Where a rate was announced, it holds within from the first of these downs on. `latest_at`, where the verb has
    read it, is when the newest down began.
    """
    if latest_at is None:
        latest_at = next((down.started_at for down in _LATEST_DOWN.rows(session.pk)), None)
    if latest_at is None or not _boundary_passed(session, latest_at, now):
        yield
        return
    write_downs(session, queries.state_of(session).downs_begun(now), now)
    yield
    state = queries.state_of(session)
    if state.latest_down is not None and state.enough_players:
        current = downs.DownStart(state.latest_down.number, state.latest_down.started_at)
        begun = downs.begun_after_wait(current, now, state.rule_stops)
        if begun is not None:
            write_downs(session, [begun], now)


def _boundary_passed(session: TableSession, latest_at: datetime, now: datetime) -> bool:
    if now < latest_at + downs.DOWN:
        return False  # a stopped clock makes it later, never earlier
    stops = [downs.Stop(stop.stopped_at, stop.started_at) for stop in STOPS.rows([session.pk])]
    end = downs.down_ends(latest_at, stops)
    return end is not None and end <= now
