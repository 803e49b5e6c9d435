"""Lock a table, its sittings and rounds. Every verb starts here.

The lock also decides the act's time (R65): an act that waited happens at the newest recorded moment."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, TypeVar

from django.db import OperationalError, transaction
from django.db.models import F, OuterRef, QuerySet, Subquery

from ledger.db.compiled import Compiled, adapted, executed, in_utc, placeholders
from ledger.journal.acts import Act
from tables.errors import ClockBehind, ClockDoubted, NotSeated, TableClosed
from tables.live import publish
from tables.models import Down, Hand, Player, Round, Sitting, TableSession
from tables.rules.table.moments import act_moment

Locked = TypeVar("Locked", bound=tuple[Any, ...])
AT_ONE_TABLE = 4
"""How many request threads may wait for one table or round, so that one held table cannot stop the house."""
_waiting: Counter[tuple[str, int]] = Counter()
_one_at_a_time, _here = threading.Lock(), threading.local()


def at_table(session_id: int, act: Act) -> AbstractContextManager[tuple[TableSession, Act]]:
    """Act at a table: one transaction, its row locked, in turn; screens are told after the commit."""
    return _act_at(lock_session, session_id, act)


def at_seat(sitting_id: int, act: Act) -> AbstractContextManager[tuple[TableSession, Sitting, Act]]:
    """Act at the table of a sitting, as `at_table`, with the sitting read under the lock."""
    return _act_at(lock_sitting, sitting_id, act)


def at_round(round_id: int, act: Act) -> AbstractContextManager[tuple[TableSession, Round, Act]]:
    """Act at the table of a round, as `at_table`, with the round read under the lock."""
    return _act_at(lock_round, round_id, act)


@contextmanager
def _act_at(lock: Callable[[int, Act], Locked], pk: int, act: Act) -> Iterator[Locked]:
    with transaction.atomic():
        locked = lock(pk, act)
        yield locked
        publish(locked[0].pk)


def limit_waiting_at_one_table() -> None:
    """Refuse from now on to wait in this thread where as many wait already (`busy`)."""
    _here.is_limited = True


@contextmanager
def _in_line(what: str, pk: int) -> Iterator[None]:
    if not getattr(_here, "is_limited", False):
        yield
        return
    with _one_at_a_time:
        if _waiting[what, pk] >= AT_ONE_TABLE:
            raise OperationalError("database table is locked: others wait for it already")
        _waiting[what, pk] += 1
    try:
        yield
    finally:
        with _one_at_a_time:
            _waiting[what, pk] -= 1
            if not _waiting[what, pk]:
                del _waiting[what, pk]


def _locked_session(session_id: int) -> TableSession:
    with _in_line("session", session_id):
        return _LOCKED.get(session_id)


def lock_session(session_id: int, act: Act) -> tuple[TableSession, Act]:
    """Return the session with its row locked, and the act in its turn (R65). Only columns that never change
    while the table is open are joined: PostgreSQL would read others (the box, the rate) as they were before
    the wait for the lock."""
    session = _locked_session(session_id)
    return session, in_turn([session], act)


def in_turn(sessions: Sequence[TableSession], act: Act) -> Act:
    """Return the act, no earlier than the newest record at these tables, and note its moment there."""
    act = _timed(sessions, act)
    behind = [session for session in sessions if session.latest_at < act.now]
    if behind:
        among = placeholders(1, len(behind))
        executed(
            f"UPDATE tables_tablesession SET latest_at = %s WHERE id IN {among}",  # noqa: S608
            [adapted(act.now), *(session.pk for session in behind)],
        )
        for session in behind:
            session.latest_at = act.now
    return act


def _timed(sessions: Sequence[TableSession], act: Act) -> Act:
    """Refuses `clock_behind` if the act's time is too far before the newest moment of one of these tables."""
    newest = max(sessions, key=lambda session: session.latest_at)
    moment = act_moment(act.now, newest.latest_at, newest.table.site.ahead_until)
    if moment is None:
        raise ClockBehind(
            f"{newest.table} has a record of {newest.latest_at:%Y-%m-%d %H:%M:%S} UTC, and the clock here"
            f" shows {act.now:%Y-%m-%d %H:%M:%S}: have the server's clock checked."
        )
    return act if moment == act.now else act.at(moment)


def _locked(ask: Callable[[int], QuerySet[TableSession]]) -> Compiled[TableSession]:
    seldom_read = "opened_at told_until sheet__raw sheet__first_used_at"
    return Compiled(ask, joined="table table__site sheet", unread=seldom_read, locks="tables_tablesession")


_LOCKED = _locked(lambda pk: TableSession.objects.filter(pk=pk))
_LOCKED_OF_ROUND = _locked(lambda pk: TableSession.objects.filter(rounds=pk))
_NEWEST_DOWN = Down.objects.filter(session=OuterRef("round__session")).order_by("-number")
_DEALT = Compiled(
    lambda pk: Hand.objects.filter(round=pk).annotate(
        stack=F("sitting__stack_id"),
        marked=F("sitting__fantasy_land"),
        latest_down_at=Subquery(_NEWEST_DOWN.values("started_at")[:1]),
        **{name: F(f"sitting__player__{name}") for name in Player.NAMED_BY},
    ),
    joined="round",
    added=" ".join(("stack", "marked", "latest_down_at", *Player.NAMED_BY)),
)


class LockedSitting(NamedTuple):
    """A dealt-in sitting's stack, fantasy land (R41) and player's name."""

    pk: int
    stack_id: int
    fantasy_land: bool
    player: str


class LockedHand(NamedTuple):
    """A dealt hand as a plain row: the fields of `Hand` that settling reads."""

    seat: int
    position: int
    stack_cents: int
    fantasy_land: bool
    sitting_id: int
    sitting: LockedSitting


def lock_sessions(*session_ids: int, act: Act) -> tuple[list[TableSession], Act]:
    """Return several sessions, locked by id against deadlocks, and the act in its turn."""
    locked = {session_id: _locked_session(session_id) for session_id in sorted(set(session_ids))}
    act = in_turn(list(locked.values()), act)
    return [locked[session_id] for session_id in session_ids], act


def require_open(session: TableSession) -> None:
    """Refuse a closed session (`table_closed`), after looking for an earlier call with the key."""
    if session.closed_at is not None:
        raise TableClosed(f"{session.table} has been closed.")


def require_true_time(session: TableSession) -> None:
    """Refuse to charge while the house's clock is in doubt (`clock_doubted`)."""
    site = session.table.site
    if site.clock_doubted_at is not None:
        raise ClockDoubted(
            "The server's clock has jumped, so nothing is charged and no round starts until the floor has"
            " confirmed the time: Floor, Needs somebody."
        )


def lock_sitting(sitting_id: int, act: Act) -> tuple[TableSession, Sitting, Act]:
    seated_at = Sitting.objects.values_list("session_id", flat=True).get(pk=sitting_id)
    session, act = lock_session(seated_at, act)
    return session, Sitting.objects.select_related("player", "stack").get(pk=sitting_id), act


def require_seated(sitting: Sitting) -> None:
    if sitting.left_at is not None:
        raise NotSeated(f"{sitting.player} has left the table.")


def lock_round(round_id: int, act: Act) -> tuple[TableSession, Round, Act]:
    session = _locked_of(round_id)
    return session, Round.objects.get(pk=round_id), in_turn([session], act)


def hold_round(round_id: int) -> tuple[TableSession, Round]:
    """Lock a round as `lock_round`, but without taking a turn: a draft leaves no record."""
    return _locked_of(round_id), Round.objects.get(pk=round_id)


def lock_dealt(round_id: int, act: Act) -> tuple[TableSession, Round, list[Any], datetime, Act]:
    """Lock a round with its hands (`DealtHand`) and the newest down's start; one query. The caller notes the
    act's moment as `latest_at` with what it writes."""
    session, values = _locked_of(round_id), _DEALT.values(round_id)
    (first,) = _DEALT.made(values[:1])
    first.round.session = session
    columns, hands = _hand_columns(), []
    for row in values:
        seat, position, cents, fantasy_land, sitting, stack, marked, *named_by = (
            row[column] for column in columns
        )
        held = LockedSitting(sitting, stack, bool(marked), Player.named(*named_by))
        hands.append(LockedHand(seat, position, cents, bool(fantasy_land), sitting, held))
    began = in_utc(first.latest_down_at)  # type: ignore[attr-defined]
    return session, first.round, hands, began, _timed([session], act)


@cache
def _hand_columns() -> list[int]:
    names = "seat position stack_cents fantasy_land sitting_id stack marked".split()
    return [_DEALT.column(name) for name in (*names, *Player.NAMED_BY)]


def _locked_of(round_id: int) -> TableSession:
    try:
        with _in_line("round", round_id):
            return _LOCKED_OF_ROUND.get(round_id)
    except TableSession.DoesNotExist as error:
        raise Round.DoesNotExist from error
