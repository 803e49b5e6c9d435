"""Close a table. Two people count the bank by denomination, each alone and blind; the box is pulled, and the
counted bank goes to the cage on a closer, which a cashier receives. A difference is signed off there
(ledger/cage/banks.py): nothing here shows what the books expect. The bank of a table that plays on is counted
in the same way and stays. Breaking a table first moves its players (R55, R62) or cashes them out, in the same
act."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from ledger.cage import boxes, documents, struck
from ledger.cage.seals import Pulling
from ledger.cage.stocking import denominations, meant, moves_of_difference
from ledger.chart import AccountKind, Asset, EntryKind
from ledger.errors import CountsDiffer, SecondPerson
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.rights import require
from ledger.rules.box_custody import TABLE_CLOSED
from ledger.rules.denominations import Pieces, checked_count
from ledger.rules.documents import Step
from tables.errors import NoPlace, NotSeated, RoundRunning, TableOpen
from tables.floor import banks
from tables.live import publish
from tables.models import Sitting, TableEvent, TableSession, WaitingPlace
from tables.rights import RUN_FLOOR
from tables.seats.moving import move_player
from tables.seats.sitting import cash_out
from tables.state.events import record
from tables.state.held_seats import held_seats, same_game
from tables.state.locks import at_table, lock_sessions, require_open
from tables.state.table_state import TableState, load_states, sessions, state_of

Place = tuple[int, int]
"""A session id and a seat number."""


def close_table(
    *,
    session_id: int,
    count: Pieces,
    second_count: Pieces,
    second: Any,
    seal: Pulling | None = None,
    act: Act,
) -> TableSession:
    """Close an empty table: two people count its bank and pull its box. A difference from the books goes to
    over/short; the counted bank is on its way to the cage. `seal` is what was read on the box. Refuses
    `round_running`, `table_open`, `second_person`, `bad_amount`, `seal_differs`, and `counts_differ` where
    the two counts do."""
    require(act.actor, RUN_FLOOR)
    with _differing_kept(session_id, count, second_count, second, act), at_table(session_id, act) as found:
        session, act = found
        site = session.table.site
        count = agreed(site, count, second_count)
        content = {"session": session_id, "second": second.pk, "counted": count.data}
        posting.lock_house(site)
        if posting.earlier(site=site, kind=EntryKind.BANK_COUNT, content=content, act=act) is None:
            _end_session(session, count, second=second, seal=seal, content=content, act=act)
    return session


def count_bank(
    *, session_id: int, count: Pieces, second_count: Pieces, second: Any, act: Act
) -> TableSession:
    """Count the bank of a table that plays on, by two people, between rounds or in one: no round moves the
    bank. A difference from the books goes to over/short; the counted bank stays. Refuses `table_closed`,
    `document_under_way`, `second_person`, `bad_amount`, and `counts_differ` where the two counts do."""
    require(act.actor, RUN_FLOOR)
    with _differing_kept(session_id, count, second_count, second, act), at_table(session_id, act) as found:
        session, act = found
        site = session.table.site
        count = agreed(site, count, second_count)
        content = {"session": session_id, "second": second.pk, "counted": count.data, "plays_on": True}
        posting.lock_house(site)
        if posting.earlier(site=site, kind=EntryKind.BANK_COUNT, content=content, act=act) is None:
            require_open(session)
            banks.require_nothing_under_way(session)
            _post_count(session, count, second=second, content=content, act=act)
    return session


@contextmanager
def _differing_kept(
    session_id: int, count: Pieces, second_count: Pieces, second: Any, act: Act
) -> Iterator[None]:
    """Record two counts of a bank that differ. Refuses `second_person`."""
    if second.pk == act.actor.pk:
        raise SecondPerson("Two people must count the bank.", field="second")
    session = TableSession.objects.select_related("bank_chips", "table").get(pk=session_id)
    both = replace(act, approver=second)
    with struck.kept(session.bank_chips, count, both, place=str(session.table), by_second=second_count):
        yield


def agreed(site: Any, *counts: Pieces) -> Pieces:
    """Return what two people counted alike. Raises CountsDiffer, ConfirmCount."""
    first, second = (
        meant(checked_count(count, **denominations(site)), site, AccountKind.TABLE_BANK, prefix=prefix)
        for prefix, count in zip(("", "second_"), counts, strict=True)
    )
    if first != second:
        raise CountsDiffer(
            "The two counts differ. Count again, both of you, without looking at each other's figures."
        )
    return first


def closing_count(session: TableSession) -> dict[str, Any] | None:
    """Return the logged count of a table's closing, with the `people` who counted, or None."""
    event = session.events.filter(kind=TableEvent.Kind.CLOSED).select_related("actor").first()
    if event is None:
        return None
    second = get_user_model().objects.get(pk=event.data["second"])
    return {**event.data, "people": (event.actor, second)}


def _end_session(
    session: TableSession,
    count: Pieces,
    *,
    second: Any,
    seal: Pulling | None,
    content: dict[str, Any],
    act: Act,
) -> None:
    """Close a table under its lock, as `close_table` does after its check of the key."""
    require_open(session)
    banks.require_nothing_under_way(session)
    if state_of(session).running_round:
        raise RoundRunning(f"{session.table} has a round that is not settled.")
    seated = Sitting.objects.filter(session=session, left_at__isnull=True).count()
    if seated:
        raise TableOpen(f"{seated} players still sit at {session.table}: cash them out first.")
    counted = _send_bank(session, count, second=second, content=content, act=act)
    noted = replace(seal or Pulling(), emergency=TABLE_CLOSED)
    boxes.pull_box(box=session.box, second=second, noted=noted, act=act)
    for account in (session.bank_chips, session.bank_cash):
        account.refresh_from_db()
        posting.close_account(account, act.now)
    session.closed_at, session.closed_by = act.now, act.actor
    session.closer_cents = count.chips_cents
    session.save(update_fields=["closed_at", "closed_by", "closer_cents"])
    record(session, TableEvent.Kind.CLOSED, act=act, **counted)


def _send_bank(
    session: TableSession, count: Pieces, *, second: Any, content: dict[str, Any], act: Act
) -> dict[str, Any]:
    """Post what differs to over/short and send what was counted to the cage, on a closer for which the second
    person asks; return the count as log data."""
    asked = replace(act, actor=second, key=f"{act.key}/counted")
    closer = None
    if count != Pieces():
        site, place = session.table.site, banks.place_of(session)
        closer = documents.begin(site=site, kind="closer", place=place, pieces=count, act=asked)
    sent = {"closer": closer and closer.pk}
    differs = _post_count(session, count, second=second, content=content, act=act, **sent)
    if closer is not None:
        documents.take(document=closer, step=Step.SENT, act=act.under(f"{act.key}/sent"))
    return {
        "closer_cents": count.chips_cents,
        "closer_cash_cents": count.cash_cents,
        "second": second.pk,
        **differs,
    }


def _post_count(
    session: TableSession, count: Pieces, *, second: Any, content: dict[str, Any], act: Act, **closer: Any
) -> dict[str, int]:
    """Post what differs to over/short, and return it. The entry has a `closer`, or None, where the table
    closes, and none where it plays on."""
    site = session.table.site
    moves: list[posting.Move] = []
    over = {}
    for account, cents in ((session.bank_chips, count.chips_cents), (session.bank_cash, count.cash_cents)):
        account.refresh_from_db(fields=["balance_cents"])
        moves += moves_of_difference(site, account, cents, into=account.pk)
        over[account.asset] = cents - account.balance_cents
    differs = {"over_chips_cents": over[Asset.CHIPS], "over_cash_cents": over[Asset.CASH]}
    evidence = {
        "session": session.pk,
        "table": session.table.number,
        "pieces": count.data,
        "counted_by": [act.actor.pk, second.pk],
        **closer,
        **differs,
    }
    draft = posting.EntryDraft(
        kind=EntryKind.BANK_COUNT,
        moves=tuple(moves),
        evidence=evidence,
        content=content,
        act=replace(act, approver=second),
    )
    posting.post(site=site, draft=draft)
    return differs


def break_table(
    *,
    session_id: int,
    places: Mapping[int, Place | None],
    counts: tuple[Pieces, Pieces],
    second: Any,
    seal: Pulling | None = None,
    act: Act,
) -> TableSession:
    """Break a table: move each player to a seat in `places`, by sitting, or cash out for None. Moves are
    ordered by the house (R55, R62), then it closes. All or nothing: refuses `round_running`, `no_place`,
    `not_seated`, and whatever moving, cashing out and closing refuse."""
    require(act.actor, RUN_FLOOR)
    with _differing_kept(session_id, *counts, second, act), transaction.atomic():
        targets = {place[0] for place in places.values() if place is not None}
        (session, *_), act = lock_sessions(session_id, *targets, act=act)
        site = session.table.site
        count = agreed(site, *counts)
        content = {
            "session": session_id,
            "second": second.pk,
            "counted": count.data,
            "places": {str(sitting): place and list(place) for sitting, place in places.items()},
        }
        posting.lock_house(site)  # an unpaid fee may need a number, and the house is locked before accounts
        if posting.earlier(site=site, kind=EntryKind.BANK_COUNT, content=content, act=act):
            return session
        require_open(session)
        for sitting in _everybody(session, places):
            place, own = places[sitting.pk], act.under(f"{act.key}/{sitting.pk}")
            if place is None:
                cash_out(sitting_id=sitting.pk, act=own)
            else:
                to, seat = place
                move_player(sitting_id=sitting.pk, to_session_id=to, seat=seat, ordered=True, act=own)
        _end_session(session, count, second=second, seal=seal, content=content, act=act)
        publish(session.pk)
    return session


def _everybody(session: TableSession, places: Mapping[int, Place | None]) -> list[Sitting]:
    """Return the players' sittings by seat; each must have a place."""
    state = state_of(session)
    if state.running_round:
        raise RoundRunning(f"{session.table} has a round that is not settled.")
    seated = {sitting.pk for sitting in state.sittings}
    if not seated.issuperset(places):
        raise NotSeated(f"Somebody has left {session.table} meanwhile: reload the page.")
    for sitting in state.sittings:
        if sitting.pk not in places:
            raise NoPlace(f"Choose where {sitting.player} goes.", field=f"place_{sitting.pk}")
    return state.sittings


def other_tables(session: TableSession) -> list[TableState]:
    """Return the house's other open tables: the same game and limit first, by number."""
    others = sessions().filter(closed_at__isnull=True, table__site=session.table.site).exclude(pk=session.pk)
    return sorted(load_states(others), key=lambda state: not same_game(state.session, session))


def free_seats(
    states: Iterable[TableState], now: datetime, own: Callable[[WaitingPlace], bool] = lambda _: False
) -> list[tuple[TableSession, tuple[int, ...]]]:
    """Return each table's seats that are neither taken nor held, except for `own` places; one query."""
    states = list(states)
    places = held_seats([state.session.pk for state in states], now)
    held = {at for at, place in places.items() if not own(place)}
    return [(state.session, state.free_seats(held)) for state in states]


def proposed_places(session: TableSession, now: datetime) -> dict[int, Place | None]:
    """Propose free seats of the same game and limit by sitting, in order; then None, a cash-out."""
    free = iter(
        (other.pk, seat)
        for other, seats in free_seats(other_tables(session), now)
        if same_game(other, session)
        for seat in seats
    )
    return {sitting.pk: next(free, None) for sitting in state_of(session).sittings}
