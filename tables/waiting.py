"""The waiting lists of the floor, one per game and limit: joining, calling, holding a seat, leaving, sitting down.

A place is called or a seat held until a time. When that is over the seat is free again, whoever marks the place expired
and when. A held seat is not entry: fees count from the buy-in (R61).
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max

from ledger import posting
from ledger.days import gaming_day
from ledger.errors import KeyReused
from ledger.posting import checked_text
from ledger.records import moment
from ledger.rights import require
from tables import games
from tables.errors import (
    AlreadyWaiting,
    BadEntry,
    BadTime,
    OtherGame,
    PlaceGone,
    PlayerSeated,
    PlayerUnknown,
    ReasonRequired,
    SameTable,
)
from tables.live import publish
from tables.models import Player, Sitting, TableSession, WaitingPlace
from tables.moving import move_player
from tables.places import KEEPING, STANDING, State, clock_text, expired
from tables.players import know_player, require_welcome
from tables.seating import buy_in, require_free
from tables.sessions import lock_session, lock_sessions, lock_sitting, require_open, require_seated

REASON_LENGTH = 200
LONGEST_HOLD = timedelta(hours=24)
JOINING, RESERVING, SEATING = "joining a list", "holding a seat", "seating from the list"
"""What the exclusion list is asked for here."""


# -- onto a list ----------------------------------------------------------------------------------------------


def join(
    *,
    site: Any,
    game: str,
    limit_cents: int,
    name: str = "",
    number: str = "",
    description: str = "",
    key: str,
    actor: Any,
    now: datetime,
) -> WaitingPlace:
    """Put somebody on the list of a game and limit, with the next number of the gaming day.

    A card number alone checks in a player whom the house knows by it. The same key with the same words is the same
    place. Refuses `see_floor`, `player_unknown`, `already_waiting`, `player_seated`, `unknown_game`, `bad_entry`.
    """
    require(actor, "tables.run_floor")
    posting.checked_text(key, posting.KEY_LENGTH, "key")
    said = {"name": name.strip(), "number": number.strip(), "description": description.strip()}
    listed = {"game": game, "limit_cents": limit_cents}
    if not WaitingPlace.objects.filter(site=site, key=key).exists():
        known = {"name": said["name"], "number": said["number"]}
        require_welcome(site=site, actor=actor, now=now, doing=JOINING, **known)
    with transaction.atomic():
        posting.lock_house(site)
        if (before := _joined_before(site, key, actor, said, **listed)) is not None:
            return before
        games.game(game)
        if limit_cents <= 0:
            raise BadEntry("A limit is above zero.", field="limit")
        player = _listed_player(site, now, **said)
        _require_not_at_such_a_table(player, **listed)
        place = _write(site, player, State.WAITING, key=key, actor=actor, now=now, **listed)
        _tell(site, place)
    return place


def ask_change(*, sitting_id: int, to_session_id: int, key: str, actor: Any, now: datetime) -> WaitingPlace:
    """Put a player who sits on the list for another table (R55); where they go, they go with the whole stack.

    Refuses `not_seated`, `same_table`, `table_closed`, `already_waiting`.
    """
    require(actor, "tables.run_floor")
    wanted = TableSession.objects.select_related("table", "sheet").get(pk=to_session_id)
    listed = {"game": wanted.sheet.code, "limit_cents": wanted.limit_cents}
    with transaction.atomic():
        session, sitting = lock_sitting(sitting_id)
        site = session.table.site
        posting.lock_house(site)
        if (before := _joined_before(site, key, actor, {}, sitting_id=sitting_id, **listed)) is not None:
            return before
        require_seated(sitting)
        if session.pk == wanted.pk:
            raise SameTable(f"{sitting.player} sits at {session.table} already.", field="table")
        require_open(wanted)
        more = {"sitting": sitting, "session": wanted}
        place = _write(
            site, sitting.player, State.WAITING, key=key, actor=actor, now=now, more=more, **listed
        )
        _tell(site, place)
    return place


def hold_seat(
    *,
    session_id: int,
    seat: int,
    until: datetime,
    name: str = "",
    number: str = "",
    description: str = "",
    key: str,
    actor: Any,
    now: datetime,
) -> WaitingPlace:
    """Hold a free seat for somebody who is on no list, until a time within a day; fees do not count from it (R61).

    Refuses `see_floor`, `bad_time`, `table_closed`, `seat_taken`, `seat_held`, `must_move_first`, `already_waiting`.
    """
    require(actor, "tables.run_floor")
    site = TableSession.objects.select_related("table__site").get(pk=session_id).table.site
    said = {"name": name.strip(), "number": number.strip(), "description": description.strip()}
    if not WaitingPlace.objects.filter(site=site, key=key).exists():
        known = {"name": said["name"], "number": said["number"]}
        require_welcome(site=site, actor=actor, now=now, doing=RESERVING, **known)
    with transaction.atomic():
        session = lock_session(session_id)
        posting.lock_house(site)
        if (before := _joined_before(site, key, actor, said)) is not None:
            return before
        require_open(session)
        if not now < until <= now + LONGEST_HOLD:
            raise BadTime("A seat is held until a time within the next day.", field="until")
        player = know_player(site=site, now=now, **said)
        _require_keepable(session, seat, player, now)
        listed = {"game": session.sheet.code, "limit_cents": session.limit_cents}
        more = {"session": session, "seat": seat, "until": until}
        place = _write(site, player, State.HELD, key=key, actor=actor, now=now, more=more, **listed)
        publish(session.pk)
    return place


def _joined_before(
    site: Any, key: str, actor: Any, said: dict[str, str], **found: Any
) -> WaitingPlace | None:
    """The place that this request made when it came before. Refuses another request under its key (`key_reused`)."""
    place = WaitingPlace.objects.filter(site=site, key=key).select_related("player").first()
    if place is None:
        return None
    word = next((word for word in ("number", "name", "description") if said.get(word)), None)
    same = word is None or getattr(place.player, word) == said[word]
    same = same and all(getattr(place, name) == value for name, value in found.items())
    if not same or place.joined_by_id != actor.pk:
        raise KeyReused("This key was used for something else.", field="key")
    return place


def _listed_player(site: Any, now: datetime, *, name: str, number: str, description: str) -> Player:
    """The player whom these words mean. A number by itself makes no new one: it is a check-in (`player_unknown`)."""
    alone = number and not (name or description)
    if alone and not Player.objects.filter(site=site, number=number).exists():
        raise PlayerUnknown(f"Nobody has played here with card number {number}: add a name.", field="number")
    return know_player(site=site, now=now, name=name, number=number, description=description)


def _require_not_at_such_a_table(player: Player, *, game: str, limit_cents: int) -> None:
    """Refuse whoever sits at a table of that list: what they can ask for is another table (`player_seated`)."""
    at = Sitting.objects.filter(
        player=player,
        left_at__isnull=True,
        session__sheet__code=game,
        session__limit_cents=limit_cents,
    ).select_related("session__table")
    if (sitting := at.first()) is not None:
        raise PlayerSeated(
            f"{player} sits at {sitting.session.table}, seat {sitting.seat}: ask for a table change there.",
            field="name",
        )


def _write(
    site: Any,
    player: Player,
    state: str,
    *,
    game: str,
    limit_cents: int,
    key: str,
    actor: Any,
    now: datetime,
    more: dict[str, Any] | None = None,
) -> WaitingPlace:
    """A new place with the next number of the gaming day; the house is locked, so the numbers have no gaps."""
    listed = {"player": player, "game": game, "limit_cents": limit_cents}
    standing = WaitingPlace.objects.filter(site=site, state__in=STANDING, **listed).first()
    if standing is not None and expired(standing, now):
        _mark(standing, _act(State.EXPIRED, key, actor), actor=actor, now=now)
    elif standing is not None:
        raise AlreadyWaiting(f"{player} has place {standing.number} on this list{_where(standing, site)}.")
    day = gaming_day(site, now)
    last = WaitingPlace.objects.filter(site=site, gaming_day=day).aggregate(last=Max("number"))["last"]
    return WaitingPlace.objects.create(
        site=site,
        gaming_day=day,
        number=(last or 0) + 1,
        state=state,
        key=key,
        joined_at=now,
        joined_by=actor,
        changed_at=now,
        changed_by=actor,
        **listed,
        **(more or {}),
    )


def _where(place: WaitingPlace, site: Any) -> str:
    if place.state not in KEEPING:
        return ""
    at = f" to {place.session.table}" if place.session else ""
    at += f", seat {place.seat}" if place.seat else ""
    word = "called" if place.state == State.CALLED else "held"
    return f", {word}{at} until {clock_text(site, place.until)}"


# -- with a place ---------------------------------------------------------------------------------------------


def call(
    *,
    place_id: int,
    session_id: int | None = None,
    seat: int | None = None,
    key: str,
    actor: Any,
    now: datetime,
) -> WaitingPlace:
    """Call somebody from the list: to a seat, which is kept for as long as the house holds one, or just to the floor.

    Refuses `place_gone`, `already_waiting`, `other_game`, `table_closed`, `seat_taken`, `seat_held`, `must_move_first`.
    """
    require(actor, "tables.run_floor")
    if (session_id is None) != (seat is None):
        raise BadEntry("A call is to a table and a seat there, or to the floor.", field="place")
    with transaction.atomic():
        session = None if session_id is None else lock_session(session_id)
        place = _lock(place_id, key)
        act = _act(State.CALLED, key, actor, session=session_id, seat=seat)
        if _done_before(place, act):
            return place
        _require_stands(place)
        _require_only_place(place)
        if session is not None and seat is not None:
            require_open(session)
            _require_list(place, session)
            _require_keepable(session, seat, place.player, now)
        before = place.session_id
        place.session, place.seat = session, seat
        place.until = now + timedelta(minutes=place.site.hold_minutes)
        _mark(place, act, actor=actor, now=now)
        _tell(place.site, place, before)
    return place


def put_back(*, place_id: int, key: str, actor: Any, now: datetime) -> WaitingPlace:
    """Let somebody wait on at their own number: who did not come, or whose seat was needed. Frees the seat.

    Refuses `place_gone`, `already_waiting` for whoever has joined the list again meanwhile.
    """
    require(actor, "tables.run_floor")
    with transaction.atomic():
        place, act = _lock(place_id, key), _act(State.WAITING, key, actor)
        if _done_before(place, act):
            return place
        _require_stands(place)
        _require_only_place(place)
        before = place.session_id
        # Who asked for another table still wants that one.
        place.session = place.session if place.sitting_id else None
        place.seat = place.until = None
        _mark(place, act, actor=actor, now=now)
        _tell(place.site, place, before)
    return place


def leave(*, place_id: int, reason: str, key: str, actor: Any, now: datetime) -> WaitingPlace:
    """Take somebody off the list, or release a seat that was held, with the reason. Refuses `place_gone`."""
    require(actor, "tables.run_floor")
    if not reason.strip():
        raise ReasonRequired("Say why this place is given up.", field="reason")
    checked_text(reason, REASON_LENGTH, "reason")
    with transaction.atomic():
        place, act = _lock(place_id, key), _act(State.LEFT, key, actor, reason=reason)
        if _done_before(place, act):
            return place
        _require_stands(place)
        place.reason = reason
        _mark(place, act, actor=actor, now=now)
        _tell(place.site, place)
    return place


def seat_from_list(
    *,
    place_id: int,
    session_id: int,
    seat: int,
    cents: int = 0,
    source: str = "cash",
    key: str,
    actor: Any,
    now: datetime,
    terminal: str = "",
) -> Sitting:
    """Seat somebody from the list with a first buy-in; who sits elsewhere comes with the stack instead (R55).

    The fee counts from now, however long the seat was held (R61). Refuses `see_floor`, `place_gone`, `other_game`, and
    what `buy_in` and `move_player` refuse.
    """
    require(actor, "tables.run_floor")
    place = WaitingPlace.objects.select_related("player", "site").get(pk=place_id)
    player = place.player
    if not posting.sent_before(place.site, key):
        known = {"name": player.name, "number": player.number}
        require_welcome(site=place.site, actor=actor, now=now, doing=SEATING, **known)
    by = {"seat": seat, "key": key, "actor": actor, "now": now, "terminal": terminal}
    now_at = _sits_at(place, key)
    with transaction.atomic():
        sessions = lock_sessions(session_id, now_at.session_id if now_at else session_id)
        if not posting.sent_before(place.site, key):
            _require_seatable(place_id, sessions[0])
        if now_at is not None:
            return move_player(sitting_id=now_at.pk, to_session_id=session_id, ordered=False, **by)
        return buy_in(session_id=session_id, player=player, cents=cents, source=source, asked=True, **by)


def _sits_at(place: WaitingPlace, key: str) -> Sitting | None:
    """Where the player of a place sits now, and moves from; when the same request comes again, where they moved from."""
    here = Sitting.objects.filter(player=place.player)
    moved = here.filter(moved_to__stack__incoming__entry__site=place.site)
    moved = moved.filter(moved_to__stack__incoming__entry__key=key).first()
    if moved is not None or place.state == State.SEATED:
        return moved
    return here.filter(left_at__isnull=True).first()


def _require_seatable(place_id: int, session: TableSession) -> None:
    place = WaitingPlace.objects.select_related("player", "session").get(pk=place_id)
    _require_stands(place)
    _require_list(place, session)


def mark_expired(*, now: datetime) -> int:
    """Mark every call and held seat whose time is over, and say how many. Nothing depends on it: screens count it so."""
    over = WaitingPlace.objects.filter(state__in=KEEPING, until__lte=now)
    with transaction.atomic():
        tables = set(over.filter(session__isnull=False).values_list("session", flat=True))
        marked = over.update(state=State.EXPIRED, changed_at=now)
        for session_id in tables:
            publish(session_id)
    return marked


def _require_only_place(place: WaitingPlace) -> None:
    """Refuse a place that had expired, where its player has joined the list again (`already_waiting`)."""
    again = {"player": place.player, "game": place.game, "limit_cents": place.limit_cents}
    others = WaitingPlace.objects.filter(state__in=STANDING, **again).exclude(pk=place.pk)
    if (other := others.first()) is not None:
        raise AlreadyWaiting(f"{place.player} has place {other.number} on this list.")


def _lock(place_id: int, key: str) -> WaitingPlace:
    """The place, locked after the house."""
    checked_text(key, posting.KEY_LENGTH, "key")
    posting.lock_house(WaitingPlace.objects.select_related("site").get(pk=place_id).site)
    found = WaitingPlace.objects.select_for_update(of=("self",), no_key=True)
    return found.select_related("player", "site").get(pk=place_id)


def _act(state: str, key: str, actor: Any, **said: Any) -> dict[str, Any]:
    """What somebody does with a place, as `acts` keeps it: the state it comes to, and what else was said."""
    return {"key": key, "state": str(state), "actor": actor.pk, **said}


def _done_before(place: WaitingPlace, act: dict[str, Any]) -> bool:
    """Whether this very act was done before, whatever became of the place since. Another one under its key is `key_reused`."""
    earlier = next((one for one in place.acts if one["key"] == act["key"]), None)
    another = earlier is not None and any(earlier.get(name) != value for name, value in act.items())
    if another or act["key"] == place.key:
        raise KeyReused("This key was used for something else.", field="key")
    return earlier is not None


def _require_stands(place: WaitingPlace) -> None:
    """Refuse a place that was seated or left (`place_gone`). One that expired can still be called, seated, put back."""
    if place.state == State.SEATED:
        raise PlaceGone(f"{place.player} has been seated.")
    if place.state == State.LEFT:
        raise PlaceGone(f"{place.player} has left the list.")


def _require_list(place: WaitingPlace, session: TableSession) -> None:
    if (session.sheet.code, session.limit_cents) != (place.game, place.limit_cents):
        raise OtherGame(f"{session.table} plays another game or limit than this list.", field="place")


def _require_keepable(session: TableSession, seat: int, player: Player, now: datetime) -> None:
    """Refuse a seat that cannot be promised; one whose promise to another has run out is free, and its place marked."""
    require_free(session, seat, player, now)
    over = WaitingPlace.objects.filter(session=session, seat=seat, state__in=KEEPING, until__lte=now)
    over.update(state=State.EXPIRED, changed_at=now)


def _mark(place: WaitingPlace, act: dict[str, Any], *, actor: Any, now: datetime) -> None:
    place.state, place.changed_at, place.changed_by = act["state"], now, actor
    place.acts = [*place.acts, {**act, "at": moment(now)}]
    place.save(
        update_fields=[
            "state",
            "session",
            "seat",
            "until",
            "reason",
            "acts",
            "changed_at",
            "changed_by",
        ]
    )


def _tell(site: Any, place: WaitingPlace, *more: int | None) -> None:
    """Tell the screens of every table that a list is for, and of those that a seat was kept at."""
    tables = TableSession.objects.filter(table__site=site, closed_at__isnull=True)
    ids = set(
        tables.filter(sheet__code=place.game, limit_cents=place.limit_cents).values_list("pk", flat=True)
    )
    for session_id in (ids | {place.session_id, *more}) - {None}:
        publish(session_id)
