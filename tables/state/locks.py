"""Lock a table, its sittings and rounds. Every verb starts here."""

from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from django.db.models import F, OuterRef, QuerySet, Subquery

from ledger.db.compiled import Compiled
from tables.errors import NotSeated, TableClosed
from tables.models import Down, Hand, Round, Sitting, TableSession


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
