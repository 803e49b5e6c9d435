"""The waiting lists of the floor, one per game and limit: joining, calling, holding a seat, leaving, sitting down.

A call or a held seat lasts until a time; then the seat is free again, even before the place is marked expired. A held
seat is not entry: fees run from the buy-in (R61).
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max, Q

from ledger.errors import KeyReused
from ledger.journal import keys, posting
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
from tables.seats.players import Person, know_player, require_welcome
from tables.state.held_seats import KEEPING, STANDING, State, clock_text, expired
from tables.state.locks import lock_session, lock_sitting, require_open, require_seated

REASON_LENGTH = 200
LONGEST_HOLD = timedelta(hours=24)
JOINING, RESERVING, SEATING = "joining a list", "holding a seat", "seating from the list"
"""The occasions on which the exclusion list is looked up here."""


# -- onto a list ----------------------------------------------------------------------------------------------


def join(*, site: Any, game: str, limit_cents: int, who: Person, act: Act) -> WaitingPlace:
    """Put somebody on the list of a game and limit, with the next number of the gaming day.

    A card number alone checks in a known player. Repeating a key with the same details returns the same place.
    Refuses `see_floor`, `player_unknown`, `already_waiting`, `player_seated`, `unknown_game`, `bad_entry`.
    """
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
            raise BadEntry("A limit must be above zero.", field="limit")
        player = _listed_player(who, site, act)
        _require_not_at_such_a_table(player, **listed)
        place = _write(WaitingPlace(site=site, player=player, state=State.WAITING, **listed), act)
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
        session, sitting, act = lock_sitting(sitting_id, act)
        site = session.table.site
        posting.lock_house(site)
        if (before := _joined_before(site, act, Person(), sitting_id=sitting_id, **listed)) is not None:
            return before
        require_seated(sitting)
        if session.pk == wanted.pk:
            raise SameTable(f"{sitting.player} already sits at {session.table}.", field="table")
        require_open(wanted)
        at = {"player": sitting.player, "sitting": sitting, "session": wanted}
        place = _write(WaitingPlace(site=site, state=State.WAITING, **at, **listed), act)
        publish_place(site, place)
    return place


def hold_seat(*, session_id: int, seat: int, until: datetime, who: Person, act: Act) -> WaitingPlace:
    """Hold a free seat for somebody who is not on a list, until a time within a day; fees do not run from it (R61).

    Refuses `see_floor`, `bad_time`, `table_closed`, `seat_taken`, `seat_held`, `must_move_first`, `already_waiting`.
    """
    require(act.actor, RUN_FLOOR)
    site = TableSession.objects.select_related("table__site").get(pk=session_id).table.site
    _require_welcome_once(who, site, RESERVING, act)
    with transaction.atomic():
        session, act = lock_session(session_id, act)
        posting.lock_house(site)
        if (before := _joined_before(site, act, who)) is not None:
            return before
        require_open(session)
        if not act.now < until <= act.now + LONGEST_HOLD:
            raise BadTime("A seat can be held until a time within the next day.", field="until")
        player = know_player(who, site=site, act=act)
        require_keepable(session, seat, player, act.now)
        listed: dict[str, Any] = {"game": session.sheet.code, "limit_cents": session.limit_cents}
        kept = {"state": State.HELD, "session": session, "seat": seat, "until": until}
        place = _write(WaitingPlace(site=site, player=player, **kept, **listed), act)
        publish(session.pk)
    return place


def _require_welcome_once(who: Person, site: Any, doing: str, act: Act) -> None:
    """Look a person up in the exclusion list (`see_floor`), unless this act has made a place before."""
    if not WaitingPlace.objects.filter(site=site, key=act.key).exists():
        require_welcome(who, site=site, doing=doing, act=act)


def _joined_before(site: Any, act: Act, who: Person, **found: Any) -> WaitingPlace | None:
    """Return the place already made under this key, or None. Refuses `key_reused` if the request was different."""
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
        raise KeyReused("This key was used for something else.", field="key")
    return place


def _is_said(player: Player, word: str, text: str) -> bool:
    """Whether an entry of this person, merged or not, says this."""
    entries = Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player.pk))
    return entries.filter(**{word: text}).exists()


def _listed_player(who: Person, site: Any, act: Act) -> Player:
    """Return the player described. A card number alone is a check-in and adds no new player (`player_unknown`)."""
    alone = who.number and not (who.name or who.description)
    if alone and who.listed(site) is None:
        raise PlayerUnknown(
            f"Nobody has played here with card number {who.number}: add a name.", field="number"
        )
    return know_player(who, site=site, act=act)


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


def _write(place: WaitingPlace, act: Act) -> WaitingPlace:
    """Write a place with the next number of the gaming day; the house is locked, so the numbers have no gaps."""
    site = place.site
    listed = {"player": place.player, "game": place.game, "limit_cents": place.limit_cents}
    standing = WaitingPlace.objects.filter(site=site, state__in=STANDING, **listed).first()
    if standing is not None and expired(standing, act.now):
        mark_place(standing, change_of_place(State.EXPIRED, act.key, act.actor), act=act)
    elif standing is not None:
        raise AlreadyWaiting(
            f"{place.player} has place {standing.number} on this list{_where(standing, site)}."
        )
    place.gaming_day, place.key = gaming_day(site, act.now), act.key
    place.joined_at, place.joined_by = act.now, act.actor
    place.changed_at, place.changed_by = act.now, act.actor
    today = WaitingPlace.objects.filter(site=site, gaming_day=place.gaming_day)
    place.number = (today.aggregate(last=Max("number"))["last"] or 0) + 1
    place.save(force_insert=True)
    return place


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
