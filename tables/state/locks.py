"""Lock a table, its sittings and rounds. Every verb starts here."""

from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from django.db.models import F, OuterRef, QuerySet, Subquery

from ledger.db.compiled import Compiled
from tables.errors import NotSeated, TableClosed
from tables.models import Down, Hand, Round, Sitting, TableSession


def lock_session(session_id: int) -> TableSession:
    """Return the session with its row locked. Every verb does this first, so that a table's verbs run one by one.

    Only rows that never change while the table is open are joined. Others (the box, the rate) would be read by
    PostgreSQL as they were before the wait for the lock, and if `box` changed meanwhile no session would be found.
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


class LockedSitting(NamedTuple):
    """A dealt-in sitting's stack, and whether its next hand is dealt face down (R41)."""

    pk: int
    stack_id: int
    fantasy_land: bool


class LockedHand(NamedTuple):
    """A dealt hand as a plain row: the fields of `Hand` that settling reads, under the same names."""

    seat: int
    position: int
    stack_cents: int
    fantasy_land: bool
    sitting_id: int
    sitting: LockedSitting


def lock_sessions(*session_ids: int) -> list[TableSession]:
    """Return several sessions, locked in order of their ids so that two verbs cannot deadlock."""
    locked = {session_id: lock_session(session_id) for session_id in sorted(set(session_ids))}
    return [locked[session_id] for session_id in session_ids]


def require_open(session: TableSession) -> None:
    """Refuse a closed session (`table_closed`). A verb with a key first looks for what it did earlier under that key."""
    if session.closed_at is not None:
        raise TableClosed(f"{session.table} has been closed.")


def lock_sitting(sitting_id: int) -> tuple[TableSession, Sitting]:
    """Return the locked session, and the sitting read under that lock."""
    session = lock_session(_SEATED_AT.get(sitting_id).session_id)
    return session, _SITTING.get(sitting_id)


def require_seated(sitting: Sitting) -> None:
    """Refuse a sitting that has ended (`not_seated`)."""
    if sitting.left_at is not None:
        raise NotSeated(f"{sitting.player} has left the table.")


def lock_round(round_id: int) -> tuple[TableSession, Round]:
    """Return the locked session, and the round read under that lock."""
    return _locked_of(round_id), _ROUND.get(round_id)


def lock_dealt(round_id: int) -> tuple[TableSession, Round, list[Any], datetime]:
    """As `lock_round`, with its hands (`DealtHand`) and when the table's newest down began; one query for all."""
    session, values = _locked_of(round_id), _DEALT.values(round_id)
    (first,) = _DEALT.made(values[:1])
    columns, hands = _hand_columns(), []
    for row in values:
        seat, position, cents, fantasy_land, sitting, stack, marked = (row[column] for column in columns)
        held = LockedSitting(sitting, stack, bool(marked))
        hands.append(LockedHand(seat, position, cents, bool(fantasy_land), sitting, held))
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
