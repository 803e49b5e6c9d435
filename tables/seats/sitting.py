"""Sit down, sit out, end a sitting, and check that a seat and a player are free."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.records import moment
from ledger.rights import require
from tables.errors import (
    BadTime,
    PlayerMerged,
    PlayerSeated,
    SeatTaken,
    UnknownSeat,
)
from tables.live import publish
from tables.models import Player, Sitting, TableEvent, TableSession
from tables.rights import HANDLE_CHIPS
from tables.rules.table.dealing import SEATS
from tables.state.clock import clock_kept
from tables.state.events import record, recorded_before
from tables.state.locks import lock_sitting, require_seated
from tables.state.requirements import require_feeders_served, require_not_held

SEATING, SELLING = "seating", "selling chips at the table"
"""The occasions on which the exclusion list is looked up here."""


def seated(sitting: Sitting) -> dict[str, Any]:
    """Return the log data of a sitting's start: everything its fees and chips are worked out from."""
    return {
        "seat": sitting.seat,
        "sitting": sitting.pk,
        "player": sitting.player_id,
        "stack": sitting.stack_id,
        "entered_at": moment(sitting.entered_at),
        "covered_by": sitting.covered_by_id,
        "from_sitting": sitting.moved_from_id,
    }


def sit_down(
    session: TableSession, seat: int, player: Player, entered: datetime, now: datetime, **more: Any
) -> Sitting:
    """Begin a sitting with an empty stack; `more` are further fields of its row."""
    if entered > now or entered < session.opened_at:
        raise BadTime("The time of entry must be between the table's opening and now.", field="entered_at")
    overlapping = Sitting.objects.filter(
        Q(session=session, seat=seat) | Q(player=player), left_at__gt=entered
    ).first()
    if overlapping is not None:
        raise BadTime(
            f"At that time {overlapping.player} still sat in seat {overlapping.seat}.", field="entered_at"
        )
    if entered < now:
        _require_not_vacated_since(session, seat, entered)
    label = f"{session.table}, seat {seat}"
    return Sitting.objects.create(
        session=session,
        player=player,
        seat=seat,
        stack=posting.open_account(
            site=session.table.site, kind="stack", asset="chips", label=label, now=now
        ),
        entered_at=entered,
        recorded_at=now,
        **more,
    )


def _require_not_vacated_since(session: TableSession, seat: int, entered: datetime) -> None:
    """Refuse a claimed time at which somebody sat here who has changed to another seat since (`bad_time`)."""
    changes = session.events.filter(kind=TableEvent.Kind.SEAT_CHANGED, recorded_at__gt=entered)
    for data in changes.values_list("data", flat=True):
        if data["seat"] == seat:
            raise BadTime(f"At that time somebody else still sat in seat {seat}.", field="entered_at")


def require_free(
    session: TableSession, seat: int, player: Player, now: datetime, *, ordered: bool = False
) -> None:
    """Refuse a seat that does not exist (`unknown_seat`), is taken (`seat_taken`) or held for somebody else (`seat_held`).

    Also refuse one reserved for the players of must-move tables unless `ordered` (`must_move_first`).
    """
    if seat not in SEATS:
        raise UnknownSeat("A table has seats 1 to 5.", field="seat")
    taken = Sitting.objects.filter(session=session, seat=seat, left_at__isnull=True).first()
    if taken:
        since = taken.entered_at.astimezone(ZoneInfo(session.table.site.time_zone))
        raise SeatTaken(f"Seat {seat} has been taken by {taken.player} since {since:%H:%M}.", field="seat")
    require_not_held(session, seat, player, now)
    if not ordered:
        require_feeders_served(session, seat, player, now)


def require_not_seated(player: Player) -> None:
    """Refuse a player who already sits at a table (`player_seated`); two tables may try to seat them at once.

    An entry that was merged seats nobody any more (`player_merged`).
    """
    locked = Player.objects.select_for_update(no_key=True, of=("self",)).get(pk=player.pk)
    if locked.merged_into_id is not None:
        raise PlayerMerged(
            f"This entry was merged into that of {locked.merged_into}: use that one.", field="player"
        )
    elsewhere = (
        Sitting.objects.filter(player=player, left_at__isnull=True).select_related("session__table").first()
    )
    if elsewhere:
        raise PlayerSeated(
            f"{player} sits at {elsewhere.session.table}, seat {elsewhere.seat}.", field="player"
        )


def sit_out(*, sitting_id: int, out: bool, act: Act) -> Sitting:
    """Mark a player as sitting out or as back. Does nothing if that is already so."""
    require(act.actor, HANDLE_CHIPS)
    with transaction.atomic():
        session, sitting, act = lock_sitting(sitting_id, act)
        kind = TableEvent.Kind.SAT_OUT if out else TableEvent.Kind.RETURNED
        if recorded_before(session, {kind}, act, sitting=sitting.pk):
            return sitting
        require_seated(sitting)
        if sitting.sitting_out != out:
            with clock_kept(session, act.now):
                sitting.sitting_out = out
                sitting.save(update_fields=["sitting_out"])
            record(session, kind, seat=sitting.seat, sitting=sitting.pk, key=act.key, act=act)
            publish(session.pk)
    return sitting


def end_sitting(sitting: Sitting, cents: int, now: datetime) -> None:
    """End a sitting whose player leaves with `cents`; leaving forfeits fantasy land (R41)."""
    sitting.left_at, sitting.taken_away_cents, sitting.fantasy_land = now, cents, False
    sitting.save(update_fields=["left_at", "taken_away_cents", "fantasy_land"])
