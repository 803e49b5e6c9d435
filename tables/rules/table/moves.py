"""What goes along to the next table or round: a paid fee, a turn to move, undealt hands (R43, R55, R62)."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Literal, NamedTuple

from tables.rules.table.dealing import SEATS


class PaidFee(NamedTuple):
    """A charge that has been taken or waived, and the table session it was charged at."""

    charge: int
    session: int


def cover(
    *, ordered: bool, charged_there: bool, paid_here: PaidFee | None, unused: PaidFee | None, to_session: int
) -> int | None:
    """Return the charge that covers a player's first fee at the new table, or None (R62). Only a move that
    the house `ordered` has one: `paid_here` for the running down, or an `unused` cover of an earlier order,
    never a charge of the new table itself."""
    if not ordered or charged_there:
        return None
    fee = paid_here or unused
    return None if fee is None or fee.session == to_session else fee.charge


class Stay(NamedTuple):
    """A player's stay at a must-move table."""

    entered_at: datetime
    sitting: int


def whose_turn(stays: Iterable[Stay]) -> int | None:
    """Return the sitting that moves next: the longest at its must-move tables, then the lowest id (R55)."""
    first = min(stays, default=None)
    return None if first is None else first.sitting


SeatRefused = Literal["unknown_seat", "nothing_changes", "seat_taken", "round_running", "seat_of_match"]


def wrong_seat_change(
    seat: int, to_seat: int, taken: Collection[int], *, round_running: bool, played_match: bool
) -> SeatRefused | None:
    """Return why a player in `seat` cannot move to `to_seat` of the same table, or None (R42, R50)."""
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
    """The round before. `kept`: it used undealt hands itself; `dealt`: the sitting of each hand."""

    settled: bool
    by_hand: bool
    kept: bool
    dealt: tuple[int, ...]


def hands_kept(
    before: RoundBefore | None, dealt_in: Collection[int], *, dealing: str, hands_each: int
) -> bool:
    """Return whether the next round can use the two undealt hands of the one before (R43)."""
    if before is None or not before.settled or before.by_hand or before.kept:
        return False
    alike = len(dealt_in) == 2 and sorted(before.dealt) == sorted(dealt_in)
    return alike and dealing == "closed" and hands_each == 1
