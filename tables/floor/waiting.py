"""The waiting lists, one per game and limit: joining, calling, holding, leaving, seating.

A call or a held seat ends at its time, marked or not. Fees run from the buy-in, not from holding (R61)."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from ledger import lengths
from ledger.cage.names import spelled
from ledger.errors import KeyReused
from ledger.journal import keys, posting
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.journal.posting import checked_text
from ledger.rights import require
from tables import errors
from tables.floor import games
from tables.live import HOUSE, publish
from tables.models import PlaceAct, Player, Sitting, TableSession, WaitingPlace
from tables.rights import RUN_FLOOR
from tables.seats.buying_in import FirstBuyIn, bring_in
from tables.seats.moving import move_player
from tables.seats.players import Person, know_player, require_welcome, require_welcome_once
from tables.seats.sitting import require_free
from tables.state.held_seats import KEEPING, STANDING, State, clock_text, expire, expired, note_place
from tables.state.locks import (
    at_table,
    lock_session,
    lock_sessions,
    lock_sitting,
    require_open,
    require_seated,
)

LONGEST_HOLD = timedelta(hours=24)
JOINING, RESERVING, SEATING = "joining a list", "holding a seat", "seating from the list"
"""The occasions on which the exclusion list is looked up here."""


# -- onto a list ---------------------------------------------------------------------------------------------


def join(*, site: Any, game: str, limit_cents: int, who: Person, act: Act) -> WaitingPlace:
    """Put a player on the list of a game and limit, with the gaming day's next number. A card number alone
    checks in a known player. Refuses `see_floor`, `player_unknown`, `already_waiting`, `player_seated`,
    `unknown_game`, `bad_entry`."""
    require(act.actor, RUN_FLOOR)
    posting.checked_text(act.key, posting.KEY_LENGTH, "key")
    _require_welcome_once(who, site, JOINING, act)
    listed: dict[str, Any] = {"game": game, "limit_cents": limit_cents}
    with transaction.atomic():
        posting.lock_house(site)
        if (before := _joined_before(site, act, who, **listed)) is not None:
            return before
        games.game(game)
        if limit_cents <= 0:
            raise errors.BadEntry("A limit must be above zero.", field="limit")
        # A card number alone adds nobody.
        alone = who.number and not (who.name or who.description)
        if alone and who.listed(site) is None:
            raise errors.PlayerUnknown(
                f"Nobody has played here with card number {who.number}: add a name.", field="number"
            )
        player = know_player(who, site=site, act=act)
        _require_not_at_such_a_table(player, **listed)
        place = _write(WaitingPlace(site=site, player=player, state=State.WAITING, **listed), act)
        publish_place(place)
    return place


def ask_change(*, sitting_id: int, to_session_id: int, act: Act) -> WaitingPlace:
    """Put a seated player on the list for a table change, with the whole stack (R55). Refuses `not_seated`,
    `same_table`, `table_closed`, `already_waiting`."""
    require(act.actor, RUN_FLOOR)
    wanted = TableSession.objects.select_related("table", "sheet").get(pk=to_session_id)
    listed: dict[str, Any] = {"game": wanted.sheet.code, "limit_cents": wanted.limit_cents}
    with transaction.atomic():
        session, sitting, act = lock_sitting(sitting_id, act)
        site = session.table.site
        posting.lock_house(site)
        if (before := _joined_before(site, act, Person(), sitting_id=sitting_id, **listed)) is not None:
            return before
        require_seated(sitting)
        if session.pk == wanted.pk:
            raise errors.SameTable(f"{sitting.player} already sits at {session.table}.", field="table")
        require_open(wanted)
        at = {"player": sitting.player, "sitting": sitting, "session": wanted}
        place = _write(WaitingPlace(site=site, state=State.WAITING, **at, **listed), act)
        publish_place(place)
    return place


def hold_seat(*, session_id: int, seat: int, until: datetime, who: Person, act: Act) -> WaitingPlace:
    """Hold a free seat for somebody on no list, for at most a day; no fees yet (R61). Refuses `see_floor`,
    `bad_time`, `table_closed`, `seat_taken`, `seat_held`, `must_move_first`, `already_waiting`."""
    require(act.actor, RUN_FLOOR)
    site = TableSession.objects.select_related("table__site").get(pk=session_id).table.site
    _require_welcome_once(who, site, RESERVING, act)
    with at_table(session_id, act) as (session, act):
        posting.lock_house(site)
        if (before := _joined_before(site, act, who)) is not None:
            return before
        require_open(session)
        if not act.now < until <= act.now + LONGEST_HOLD:
            raise errors.BadTime("A seat can be held until a time within the next day.", field="until")
        player = know_player(who, site=site, act=act)
        _require_keepable(session, seat, player, act.now)
        listed: dict[str, Any] = {"game": session.sheet.code, "limit_cents": session.limit_cents}
        kept = {"state": State.HELD, "session": session, "seat": seat, "until": until}
        return _write(WaitingPlace(site=site, player=player, **kept, **listed), act)


def _require_welcome_once(who: Person, site: Any, doing: str, act: Act) -> None:
    """Look a person up in the exclusion list (`see_floor`), unless this act was done before."""
    if not WaitingPlace.objects.filter(site=site, key=act.key).exists():
        require_welcome(who, site=site, doing=doing, act=act)


def _joined_before(site: Any, act: Act, who: Person, **found: Any) -> WaitingPlace | None:
    """Return the place already made under this key, or None. Refuses `key_reused`."""
    if not keys.known(site.pk, [act.key]):
        return None
    place = WaitingPlace.objects.filter(site=site, key=act.key).select_related("player").first()
    word = next((word for word in ("number", "name", "description") if getattr(who, word)), None)
    if (
        place is None
        or place.joined_by_id != act.actor.pk
        or (word is not None and not _is_said(place.player, word, getattr(who, word)))
        or any(getattr(place, name) != value for name, value in found.items())
    ):
        raise KeyReused(keys.USED, field="key")
    return place


def _is_said(player: Player, word: str, text: str) -> bool:
    """Return whether an entry of this person, merged or not, has this text, the name in any spelling."""
    entries = Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player.pk))
    if word == "name":
        return any(spelled(one.name) == spelled(text) for one in entries)
    return entries.filter(**{word: text}).exists()


def _require_not_at_such_a_table(player: Player, *, game: str, limit_cents: int) -> None:
    at = Sitting.objects.filter(
        player=player, left_at__isnull=True, session__sheet__code=game, session__limit_cents=limit_cents
    ).select_related("session__table")
    if (sitting := at.first()) is not None:
        raise errors.PlayerSeated(
            f"{player} sits at {sitting.session.table}, seat {sitting.seat}: ask for a table change there.",
            field="name",
        )


def _write(place: WaitingPlace, act: Act) -> WaitingPlace:
    """Write a place with the day's next number; the locked house leaves no gaps."""
    site = place.site
    listed = {"player": place.player, "game": place.game, "limit_cents": place.limit_cents}
    standing = WaitingPlace.objects.filter(site=site, state__in=STANDING, **listed).first()
    if standing is not None and expired(standing, act.now):
        _mark_place(standing, _change_to(State.EXPIRED, act), act)
    elif standing is not None:
        raise errors.AlreadyWaiting(
            f"{place.player} has place {standing.number} on this list{_where(standing, site)}."
        )
    place.gaming_day, place.key = gaming_day(site, act.now), act.key
    place.joined_at, place.joined_by = act.now, act.actor
    place.changed_at, place.changed_by = act.now, act.actor
    today = WaitingPlace.objects.filter(site=site, gaming_day=place.gaming_day)
    place.number = posting.next_number(today)
    place.save(force_insert=True)
    note_place(place, act=act, joined=True)
    return place


def _where(place: WaitingPlace, site: Any) -> str:
    if place.state not in KEEPING:
        return ""
    until, called = clock_text(site, place.until), place.state == State.CALLED
    if not place.session:
        return f", called until {until}" if called else f", held until {until}"
    at = f"{place.session.table}, seat {place.seat}" if place.seat else str(place.session.table)
    return f", called to {at} until {until}" if called else f", held to {at} until {until}"


# -- with a place --------------------------------------------------------------------------------------------


def call(*, place_id: int, session_id: int | None = None, seat: int | None = None, act: Act) -> WaitingPlace:
    """Call a player to a seat, held for the house's time, or just to the floor. Refuses `place_gone`,
    `already_waiting`, `other_game`, `table_closed`, `seat_taken`, `seat_held`, `must_move_first`."""
    require(act.actor, RUN_FLOOR)
    if (session_id is None) != (seat is None):
        raise errors.BadEntry(
            "A call needs a table and a seat, or neither to call to the floor.", field="place"
        )
    with transaction.atomic():
        session: TableSession | None = None
        if session_id is not None:
            session, act = lock_session(session_id, act)
        place, change = begin(place_id, State.CALLED, act, session=session_id, seat=seat)
        if change is None:
            return place
        _require_only_place(place)
        if session is not None and seat is not None:
            require_open(session)
            _require_same_list(place, session)
            _require_keepable(session, seat, place.player, act.now)
        before = place.session_id
        place.session, place.seat = session, seat
        place.until = act.now + timedelta(minutes=place.site.hold_minutes)
        _mark_place(place, change, act)
        publish_place(place, before)
    return place


def put_back(*, place_id: int, act: Act) -> WaitingPlace:
    """Put a player back on the list at their own number, and free the seat. Refuses `place_gone`, and
    `already_waiting` if they have joined again."""
    require(act.actor, RUN_FLOOR)
    with transaction.atomic():
        place, change = begin(place_id, State.WAITING, act)
        if change is None:
            return place
        _require_only_place(place)
        before = place.session_id
        # A player who asked for a table change still wants that table.
        place.session = place.session if place.sitting_id else None
        place.seat = place.until = None
        _mark_place(place, change, act)
        publish_place(place, before)
    return place


def seat_from_list(
    *, place_id: int, session_id: int, seat: int, cents: int = 0, source: str = "cash", act: Act
) -> Sitting:
    """Seat a player from the list with a first buy-in, or with the stack from another table (R55, R61).
    Refuses `see_floor`, `place_gone`, `other_game`, and what `buy_in` and `move_player` refuse."""
    require(act.actor, RUN_FLOOR)
    place = WaitingPlace.objects.select_related("player", "site").get(pk=place_id)
    require_welcome_once(place.player, site=place.site, doing=SEATING, act=act)
    now_at = _sits_at(place, act.key)
    with transaction.atomic():
        elsewhere = [now_at.session_id] if now_at else []
        (session, *_), act = lock_sessions(session_id, *elsewhere, act=act)
        if not posting.sent_before(place.site, act.key):
            place = WaitingPlace.objects.select_related("player", "session").get(pk=place_id)
            _require_standing(place)
            _require_same_list(place, session)
        if now_at is not None:
            return move_player(
                sitting_id=now_at.pk, to_session_id=session_id, seat=seat, ordered=False, act=act
            )
        publish(session.pk)
        return bring_in(session, place.player, FirstBuyIn(seat, cents, source), act=act)


def _sits_at(place: WaitingPlace, key: str) -> Sitting | None:
    """Return the sitting the player moves from, or moved from under this key; None if seated nowhere."""
    here = Sitting.objects.filter(player=place.player)
    went = here.filter(moved_to__stack__incoming__entry__site=place.site)
    moved = went.filter(moved_to__stack__incoming__entry__key=key).first()
    if moved is not None or place.state == State.SEATED:
        return moved
    return here.filter(left_at__isnull=True).first()


def mark_expired(*, now: datetime) -> int:
    """Mark every expired call and held seat; return how many. Screens do not depend on it."""
    over = WaitingPlace.objects.filter(state__in=KEEPING, until__lte=now)
    with transaction.atomic():
        marked = expire(over, now)
        for session_id in {place.session_id for place in marked if place.session_id is not None}:
            publish(session_id)
    return len(marked)


def _require_only_place(place: WaitingPlace) -> None:
    """Refuse an expired place whose player has joined again (`already_waiting`)."""
    again = {"player": place.player, "game": place.game, "limit_cents": place.limit_cents}
    others = WaitingPlace.objects.filter(state__in=STANDING, **again).exclude(pk=place.pk)
    if (other := others.first()) is not None:
        raise errors.AlreadyWaiting(f"{place.player} has place {other.number} on this list.")


def leave(*, place_id: int, act: Act) -> WaitingPlace:
    """Take a player off the list, or release a held seat, with the reason. Refuses `place_gone`."""
    require(act.actor, RUN_FLOOR)
    act = act.stated("Enter why this place is given up.")
    checked_text(act.reason, lengths.REASON, "reason")
    with transaction.atomic():
        place, change = begin(place_id, State.LEFT, act, reason=act.reason)
        if change is None:
            return place
        place.reason = act.reason
        _mark_place(place, change, act)
        publish_place(place)
    return place


# -- a place -------------------------------------------------------------------------------------------------


def begin(place_id: int, state: str, act: Act, **more: Any) -> tuple[WaitingPlace, dict[str, Any] | None]:
    """Return the place, locked after the house, with its change; None if the act was done before. Refuses
    `place_gone`, and `key_reused` if the key did another act."""
    posting.checked_text(act.key, posting.KEY_LENGTH, "key")
    posting.lock_house(WaitingPlace.objects.select_related("site").get(pk=place_id).site)
    found = WaitingPlace.objects.select_for_update(of=("self",), no_key=True)
    place, change = found.select_related("player", "site").get(pk=place_id), _change_to(state, act, **more)
    if keys.made_before(PlaceAct, place.site_id, act.key, place_id=place.pk, said=change):
        return place, None
    _require_standing(place)
    return place, change


def _change_to(state: str, act: Act, **more: Any) -> dict[str, Any]:
    return {"state": str(state), "actor": act.actor.pk, **more}


def _require_standing(place: WaitingPlace) -> None:
    """Refuse a place that was seated or left (`place_gone`); an expired one still counts."""
    if place.state == State.SEATED:
        raise errors.PlaceGone(f"{place.player} has been seated.")
    if place.state == State.LEFT:
        raise errors.PlaceGone(f"{place.player} has left the list.")


def _require_same_list(place: WaitingPlace, session: TableSession) -> None:
    if (session.sheet.code, session.limit_cents) != (place.game, place.limit_cents):
        raise errors.OtherGame(f"{session.table} plays another game or limit than this list.", field="place")


def _require_keepable(session: TableSession, seat: int, player: Player, now: datetime) -> None:
    """Refuse a seat that cannot be held; mark an expired place that it was held for."""
    require_free(session, seat, player, now)
    over = WaitingPlace.objects.filter(session=session, seat=seat, state__in=KEEPING, until__lte=now)
    expire(over, now)


def _mark_place(place: WaitingPlace, change: dict[str, Any], act: Act) -> None:
    """Write a change of state; what the player has said was about the state before."""
    place.state, place.coming_at, place.more_at = change["state"], None, None
    names = ("session", "seat", "until", "reason", "coming_at", "more_at")
    keep_act(place, change, act, "state", *names)


def keep_act(place: WaitingPlace, change: dict[str, Any], act: Act, *names: str) -> None:
    """Write what an act of staff changed of a place, with its record."""
    place.changed_at, place.changed_by = act.now, act.actor
    PlaceAct.objects.create(site=place.site, place=place, key=act.key, said=change, at=act.now)
    place.save(update_fields=[*names, "changed_at", "changed_by"])
    note_place(place, act=act)


def publish_place(place: WaitingPlace, *more: int | None) -> None:
    """Notify every table of the list, and tables where a seat was held; without any, the lists' own page."""
    tables = TableSession.objects.filter(table__site=place.site_id, closed_at__isnull=True)
    listed = tables.filter(sheet__code=place.game, limit_cents=place.limit_cents)
    ids = set(listed.values_list("pk", flat=True))
    for session_id in ids | {pk for pk in (place.session_id, *more) if pk is not None} or {HOUSE}:
        publish(session_id)
