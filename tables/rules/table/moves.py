"""What goes along to the next table or the next round: a fee that was paid, a turn to move, hands that were kept (R43, R55, R62)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Literal, NamedTuple

from tables.rules.table.dealing import SEATS


class PaidFee(NamedTuple):
    """A charge that has been taken or waived, and the session of the table it was charged at."""

    charge: int
    session: int


def cover(
    *, ordered: bool, charged_there: bool, paid_here: PaidFee | None, unused: PaidFee | None, to_session: int
) -> int | None:
    """The charge that stands for a player's first fee at the new table, or None (R62).

    That is what was `paid_here` for the down that runs at the old table, or else a cover from an earlier order that is still
    `unused`. Only a move that the house `ordered` has one, and only where the player has not been `charged_there` for the
    down that runs at the new table; a fee of that table itself covers nothing at it.
    """
    if not ordered or charged_there:
        return None
    fee = paid_here or unused
    return None if fee is None or fee.session == to_session else fee.charge


class Stay(NamedTuple):
    """A player at a must-move table: since when, and their sitting."""

    entered_at: datetime
    sitting: int


def whose_turn(stays: Iterable[Stay]) -> int | None:
    """The sitting that goes to the main game next: the longest at its must-move tables, of two at once the first recorded (R55)."""
    first = min(stays, default=None)
    return None if first is None else first.sitting


SeatRefused = Literal["unknown_seat", "nothing_changes", "seat_taken", "round_running", "seat_of_match"]


def wrong_seat_change(
    seat: int, to_seat: int, taken: Collection[int], *, round_running: bool, played_match: bool
) -> SeatRefused | None:
    """Why a player in `seat` cannot sit down in `to_seat` of the same table, or None (R50).

    Only between rounds, and on a seat that nobody has `taken`. A match names its players by their seats, so who has
    `played_match` there keeps the seat (R42).
    """
    if to_seat not in SEATS:
        return "unknown_seat"
    if to_seat == seat:
        return "nothing_changes"
    if to_seat in taken:
        return "seat_taken"
    if round_running:
        return "round_running"
    return "seat_of_match" if played_match else None


class RoundBefore(NamedTuple):
    """The round before: whether it stands settled, and with cards; whether its own hands had been kept; the sitting of each hand."""

    settled: bool
    by_hand: bool
    kept: bool
    dealt: tuple[int, ...]


def hands_kept(
    before: RoundBefore | None, dealt_in: Collection[int], *, dealing: str, hands_each: int
) -> bool:
    """Whether the next round can be played with the two hands that were left undealt in the one before (R43).

    Those are of a closed game, dealt to the same two players alone, one hand each, and from a deck of its own.
    """
    if before is None or not before.settled or before.by_hand or before.kept:
        return False
    alike = len(dealt_in) == 2 and sorted(before.dealt) == sorted(dealt_in)
    return alike and dealing == "closed" and hands_each == 1
