"""The waiting lists of the floor, one per game and limit: joining, calling, holding a seat, leaving, sitting down.

A call or a held seat lasts until a time; then the seat is free again, even before the place is marked expired. A held
seat is not entry: fees run from the buy-in (R61).
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max

from ledger.errors import KeyReused
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.journal.posting import checked_text
from ledger.rights import require
from tables.errors import (
    AlreadyWaiting,
    BadEntry,
    BadTime,
    PlayerSeated,
    PlayerUnknown,
    SameTable,
)
from tables.floor import games
from tables.floor.waiting_places import (
    change_of_place,
    done_before,
    lock_place,
    mark_place,
    publish_place,
    require_keepable,
    require_standing,
)
from tables.live import publish
from tables.models import Player, Sitting, TableSession, WaitingPlace
from tables.rights import RUN_FLOOR
from tables.seats.players import know_player, require_welcome
from tables.state.held_seats import KEEPING, STANDING, State, clock_text, expired
from tables.state.locks import lock_session, lock_sitting, require_open, require_seated

REASON_LENGTH = 200
LONGEST_HOLD = timedelta(hours=24)
JOINING, RESERVING, SEATING = "joining a list", "holding a seat", "seating from the list"
"""The occasions on which the exclusion list is looked up here."""


# -- onto a list ----------------------------------------------------------------------------------------------


def join(
    *,
    site: Any,
    game: str,
    limit_cents: int,
    name: str = "",
    number: str = "",
    description: str = "",
    act: Act,
) -> WaitingPlace:
    """Put somebody on the list of a game and limit, with the next number of the gaming day.

    A card number alone checks in a known player. Repeating a key with the same details returns the same place. Refuses `see_floor`, `player_unknown`, `already_waiting`, `player_seated`, `unknown_game`, `bad_entry`.
    """
    require(act.actor, RUN_FLOOR)
    posting.checked_text(act.key, posting.KEY_LENGTH, "key")
    person = {"name": name.strip(), "number": number.strip(), "description": description.strip()}
    listed: dict[str, Any] = {"game": game, "limit_cents": limit_cents}
    if not WaitingPlace.objects.filter(site=site, key=act.key).exists():
        known = {"name": person["name"], "number": person["number"]}
        require_welcome(site=site, doing=JOINING, act=act, **known)
    with transaction.atomic():
        posting.lock_house(site)
        if (before := _joined_before(site, act, person, **listed)) is not None:
            return before
        games.game(game)
        if limit_cents <= 0:
            raise BadEntry("A limit must be above zero.", field="limit")
        player = _listed_player(site, act.now, **person)
        _require_not_at_such_a_table(player, **listed)
        place = _write(site, player, State.WAITING, act=act, **listed)
        publish_place(site, place)
    return place


def ask_change(*, sitting_id: int, to_session_id: int, act: Act) -> WaitingPlace:
    """Put a seated player on the list for a table change (R55); they will move with the whole stack.

    Refuses `not_seated`, `same_table`, `table_closed`, `already_waiting`.
    """
    require(act.actor, RUN_FLOOR)
    wanted = TableSession.objects.select_related("table", "sheet").get(pk=to_session_id)
    listed: dict[str, Any] = {"game": wanted.sheet.code, "limit_cents": wanted.limit_cents}
    with transaction.atomic():
        session, sitting = lock_sitting(sitting_id)
        site = session.table.site
        posting.lock_house(site)
        if (before := _joined_before(site, act, {}, sitting_id=sitting_id, **listed)) is not None:
            return before
        require_seated(sitting)
        if session.pk == wanted.pk:
            raise SameTable(f"{sitting.player} already sits at {session.table}.", field="table")
        require_open(wanted)
        more = {"sitting": sitting, "session": wanted}
        place = _write(site, sitting.player, State.WAITING, more=more, act=act, **listed)
        publish_place(site, place)
    return place


def hold_seat(
    *,
    session_id: int,
    seat: int,
    until: datetime,
    name: str = "",
    number: str = "",
    description: str = "",
    act: Act,
) -> WaitingPlace:
    """Hold a free seat for somebody who is not on a list, until a time within a day; fees do not run from it (R61).

    Refuses `see_floor`, `bad_time`, `table_closed`, `seat_taken`, `seat_held`, `must_move_first`, `already_waiting`.
    """
    require(act.actor, RUN_FLOOR)
    site = TableSession.objects.select_related("table__site").get(pk=session_id).table.site
    person = {"name": name.strip(), "number": number.strip(), "description": description.strip()}
    if not WaitingPlace.objects.filter(site=site, key=act.key).exists():
        known = {"name": person["name"], "number": person["number"]}
        require_welcome(site=site, doing=RESERVING, act=act, **known)
    with transaction.atomic():
        session = lock_session(session_id)
        posting.lock_house(site)
        if (before := _joined_before(site, act, person)) is not None:
            return before
        require_open(session)
        if not act.now < until <= act.now + LONGEST_HOLD:
            raise BadTime("A seat can be held until a time within the next day.", field="until")
        player = know_player(site=site, now=act.now, **person)
        require_keepable(session, seat, player, act.now)
        listed: dict[str, Any] = {"game": session.sheet.code, "limit_cents": session.limit_cents}
        more = {"session": session, "seat": seat, "until": until}
        place = _write(site, player, State.HELD, more=more, act=act, **listed)
        publish(session.pk)
    return place


def _joined_before(site: Any, act: Act, person: dict[str, str], **found: Any) -> WaitingPlace | None:
    """Return the place already made under this key, or None. Refuses `key_reused` if the request was different."""
    place = WaitingPlace.objects.filter(site=site, key=act.key).select_related("player").first()
    if place is None:
        return None
    word = next((word for word in ("number", "name", "description") if person.get(word)), None)
    same = word is None or getattr(place.player, word) == person[word]
    same = same and all(getattr(place, name) == value for name, value in found.items())
    if not same or place.joined_by_id != act.actor.pk:
        raise KeyReused("This key was used for something else.", field="key")
    return place


def _listed_player(site: Any, now: datetime, *, name: str, number: str, description: str) -> Player:
    """Return the player described. A card number alone is a check-in and adds no new player (`player_unknown`)."""
    alone = number and not (name or description)
    if alone and not Player.objects.filter(site=site, number=number).exists():
        raise PlayerUnknown(f"Nobody has played here with card number {number}: add a name.", field="number")
    return know_player(site=site, now=now, name=name, number=number, description=description)


def _require_not_at_such_a_table(player: Player, *, game: str, limit_cents: int) -> None:
    """Refuse a player seated at a table of that list, who can only ask for a table change (`player_seated`)."""
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
    more: dict[str, Any] | None = None,
    act: Act,
) -> WaitingPlace:
    """Write a place with the next number of the gaming day; the house is locked, so the numbers have no gaps."""
    listed = {"player": player, "game": game, "limit_cents": limit_cents}
    standing = WaitingPlace.objects.filter(site=site, state__in=STANDING, **listed).first()
    if standing is not None and expired(standing, act.now):
        mark_place(standing, change_of_place(State.EXPIRED, act.key, act.actor), act=act)
    elif standing is not None:
        raise AlreadyWaiting(f"{player} has place {standing.number} on this list{_where(standing, site)}.")
    day = gaming_day(site, act.now)
    last = WaitingPlace.objects.filter(site=site, gaming_day=day).aggregate(last=Max("number"))["last"]
    return WaitingPlace.objects.create(
        site=site,
        gaming_day=day,
        number=(last or 0) + 1,
        state=state,
        key=act.key,
        joined_at=act.now,
        joined_by=act.actor,
        changed_at=act.now,
        changed_by=act.actor,
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


def leave(*, place_id: int, act: Act) -> WaitingPlace:
    """Take somebody off the list, or release a held seat, with the reason. Refuses `place_gone`."""
    require(act.actor, RUN_FLOOR)
    act = act.stated("Enter why this place is given up.")
    checked_text(act.reason, REASON_LENGTH, "reason")
    with transaction.atomic():
        place, change = (
            lock_place(place_id, act.key),
            change_of_place(State.LEFT, act.key, act.actor, reason=act.reason),
        )
        if done_before(place, change):
            return place
        require_standing(place)
        place.reason = act.reason
        mark_place(place, change, act=act)
        publish_place(place.site, place)
    return place
