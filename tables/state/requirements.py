"""Checks that several verbs make before they act on a seat or a table; each raises its refusal."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ledger.errors import BuiltOn
from ledger.journal.balances import transfers_of
from tables.errors import MatchRunning, MustMoveFirst, PlayerSeated, RoundRunning, SeatHeld
from tables.models import Player, Round, Sitting, TableSession
from tables.rules.table.corrections import why_not_undone
from tables.state.evidence import latest_standing
from tables.state.held_seats import clock_text, held_seats, longest_at_feeders
from tables.state.table_state import sheet_of

_BUILT_ON = {
    "left": "{player} has left",
    "round_started": "A round has started",
    "stack_changed": "{player}'s stack has changed",
}


def require_not_in_match(session: TableSession, sitting: Sitting) -> None:
    """Refuse to let a player leave in the middle of a match (`match_running`)."""
    standing = latest_standing(session.pk) if sheet_of(session).race_to else None
    if standing is not None and standing.running and standing.plays(sitting):
        raise MatchRunning(
            f"{sitting.player} plays match {standing.match.number}, which is not over; the floor can call it"
            " off."
        )


def require_not_held(session: TableSession, seat: int, player: Player, now: datetime) -> None:
    """Refuse a seat held for another player (`seat_held`), under the session's lock."""
    place = held_seats([session.pk], now).get((session.pk, seat))
    if place is not None and place.player_id != player.pk:
        until = clock_text(session.table.site, place.until)
        raise SeatHeld(f"Seat {seat} is held for {place.player} until {until}.", field="seat")


def require_feeders_served(main: TableSession, seat: int, player: Player, now: datetime) -> None:
    """Refuse a main game's seat while must-move players come first, unless held (`must_move_first`)."""
    first = longest_at_feeders(main)
    if first is None or first.player_id == player.pk:
        return
    place = held_seats([main.pk], now).get((main.pk, seat))
    if place is None or place.player_id != player.pk:
        feeder = first.session.table
        raise MustMoveFirst(
            f"Free seats of {main.table} belong to the players of {feeder}: {first.player} moves first. "
            f"New players sit down at {feeder}.",
            field="place",
        )


def require_not_seated_again(sitting: Sitting) -> None:
    """Refuse an ended sitting's fees that followed the player to another table (`player_seated`, R51)."""
    now = Sitting.objects.filter(player=sitting.person_id, left_at__isnull=True)
    seated = now.select_related("session__table").first()
    if seated is not None:
        raise PlayerSeated(
            f"{sitting.player} sits at {seated.session.table}, seat {seated.seat}, and the fee is due there"
            " now."
        )


def require_not_dealt_in(sitting: Sitting) -> None:
    """Refuse the stack of a player who is dealt into a running round (`round_running`, R52)."""
    if Round.objects.filter(state=Round.State.DEALT, hands__sitting=sitting).exists():
        raise RoundRunning(f"{sitting.player} is dealt into a round that is not settled.")


def require_not_built_on(session: TableSession, sitting: Sitting, entries: Sequence[Any]) -> None:
    """Refuse to undo alone once there was a round, a change of the stack, or a leaving (`built_on`)."""
    since = min(entry.recorded_at for entry in entries)
    changed = transfers_of([sitting.stack_id]).filter(entry__gt=max(entry.pk for entry in entries))
    why = why_not_undone(
        left=sitting.left_at is not None,
        round_started=session.rounds.filter(started_at__gte=since).exists(),
        stack_changed=changed.exists(),
    )
    if why is not None:
        what = _BUILT_ON[why].format(player=sitting.player)
        raise BuiltOn(f"{what} since. Two people can still take it back, with a reason.")
