"""Pushes: which dealer a table has, and that dealers see and deal only at their own.

Sessions are locked by id, then the dealer, who may be pushed elsewhere at the same moment."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from ledger.journal.acts import Act
from ledger.journal.particulars import of_the_house
from ledger.rights import READ_BOOKS, WORK_CAGE, require
from tables.errors import DealerInRound, NotADealer, NotYourTable, StalePage
from tables.live import publish
from tables.models import Round, TableEvent, TableSession
from tables.rights import DEAL, RUN_FLOOR
from tables.state.events import newest_of, record, recorded_before
from tables.state.locks import in_turn, lock_sessions, require_open

# People with one of these rights see every table; other dealers only their own.
OVERSEERS = (RUN_FLOOR, READ_BOOKS, WORK_CAGE)


def only_deals(person: Any) -> bool:
    """Return whether a person only deals, and so may not see other tables."""
    return person.has_perm(DEAL) and not any(person.has_perm(right) for right in OVERSEERS)


def require_sight(person: Any, session: TableSession) -> None:
    """Refuse to show a dealer a table where they are not pushed in (`not_your_table`)."""
    if session.dealer_id != person.pk and only_deals(person):
        raise NotYourTable(f"You are not the dealer of {session.table}.")


def own_tables(person: Any) -> list[TableSession]:
    """Return the open table where this person is pushed in, as a list of one or none."""
    return list(TableSession.objects.filter(dealer=person, closed_at=None).select_related("table"))


def push_dealer(
    *, session_id: int, dealer: Any | None, leave_round: bool = False, at_table: bool = False, act: Act
) -> TableSession:
    """Push a dealer in, or nobody; the table the dealer comes from is left without one. The floor pushes
    anybody. A dealer hands over their own table, takes a free one or, at a table's own terminal, comes in
    there (`at_table`); the caller has checked the PIN. Refuses `table_closed`, `not_a_dealer`,
    `not_your_table`, `key_reused`, `stale_page`, and `dealer_in_round` unless `leave_round`."""
    require(act.actor, RUN_FLOOR, DEAL)
    comes = None if dealer is None else dealer.pk
    with transaction.atomic():
        session, left, act = _lock(session_id, comes, act)
        if recorded_before(session, TableEvent.Kind.PUSHED, act, dealer=comes):
            return session
        require_open(session)
        _require_may_push(session, dealer, act.actor, at_table)
        if session.dealer_id == comes:
            return session
        if not leave_round:
            _require_between_rounds(left)
        for other in left:
            _write(other, None, to_session=session.pk, act=act)
        _write(session, comes, key=act.key, act=act)
    return session


def come_in(*, table: int, dealer: Any, act: Act) -> None:
    """Push a dealer in who came by badge and PIN on a table's own terminal, if the table is open. Refuses as
    `push_dealer` does."""
    opened = TableSession.objects.filter(of_the_house("table__site"), table__number=table, closed_at=None)
    session = opened.first()
    if session is not None and session.dealer_id != dealer.pk:
        push_dealer(session_id=session.pk, dealer=dealer, at_table=True, act=act)


def _lock(session_id: int, dealer: int | None, act: Act) -> tuple[TableSession, list[TableSession], Act]:
    """Lock the table, the tables that lose the dealer, then the dealer."""
    dealing = TableSession.objects.filter(dealer=dealer, closed_at=None).exclude(pk=session_id)
    elsewhere = [] if dealer is None else sorted(dealing.values_list("pk", flat=True))
    (session, *left), act = lock_sessions(session_id, *elsewhere, act=act)
    if dealer is not None:
        get_user_model().objects.select_for_update(no_key=True).get(pk=dealer)
        if not set(dealing.values_list("pk", flat=True)).issubset(elsewhere):
            raise StalePage("This dealer was pushed in elsewhere at the same moment: push again.")
    losing = [other for other in left if other.dealer_id == dealer and other.closed_at is None]
    return session, losing, act


def _require_may_push(session: TableSession, dealer: Any | None, actor: Any, at_table: bool) -> None:
    if dealer is not None and not (dealer.is_active and dealer.has_perm(DEAL)):
        raise NotADealer(f"{dealer} does not deal here.", field="dealer")
    if actor.has_perm(RUN_FLOOR) or session.dealer_id == actor.pk:
        return
    takes = dealer is not None and dealer.pk == actor.pk and (at_table or session.dealer_id is None)
    if not takes:
        raise NotYourTable(f"You are not the dealer of {session.table}.", field="dealer")


def _require_between_rounds(left: Iterable[TableSession]) -> None:
    running = Round.objects.filter(session__in=left, state=Round.State.DEALT)
    for round_ in running.select_related("session__table", "session__dealer"):
        session = round_.session
        raise DealerInRound(
            f"{session.dealer} is dealing round {round_.number} at {session.table}. "
            "Pushed in here, that round is left without a dealer.",
            field="dealer",
        )


def require_dealer(session: TableSession, act: Act) -> None:
    """Refuse anybody but the table's dealer to handle its cards (`not_your_table`), under the session's lock.
    At a table without a dealer, a dealer with no other table becomes its dealer by dealing."""
    if session.dealer_id == act.actor.pk:
        return
    if session.dealer_id is not None:
        raise NotYourTable(f"Another dealer has been pushed in at {session.table}.")
    get_user_model().objects.select_for_update(no_key=True).get(pk=act.actor.pk)
    elsewhere = own_tables(act.actor)
    if elsewhere:
        raise NotYourTable(f"You are the dealer of {elsewhere[0].table}: you must be pushed in here first.")
    _write(session, act.actor.pk, act=in_turn([session], act))  # a draft does not wait for its turn


def latest_pushes(session_ids: Collection[int]) -> dict[int, tuple[str, datetime]]:
    """Return who deals at each of these tables and since when, in one query."""
    return {
        event.session_id: (str(event.session.dealer), event.at)
        for event in _LATEST.rows(list(session_ids))
        if event.session.dealer_id is not None
    }


_LATEST = newest_of(TableEvent.Kind.PUSHED, joined="session session__dealer")


def _write(session: TableSession, comes: int | None, *, act: Act, **data: Any) -> None:
    previous, session.dealer_id = session.dealer_id, comes
    session.save(update_fields=["dealer"])
    record(session, TableEvent.Kind.PUSHED, dealer=comes, previous=previous, act=act, **data)
    publish(session.pk)
