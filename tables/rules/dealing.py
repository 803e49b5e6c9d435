"""Who is dealt into the next round and where the buttons lie (R50, R51), from seat numbers alone."""

from collections.abc import Collection
from dataclasses import dataclass

SEATS = (1, 2, 3, 4, 5)
HANDS_PER_ROUND = 4


@dataclass(frozen=True, slots=True)
class LastButton:
    """Where the buttons lay in the table's last round, and whether that round was voided (R58)."""

    seat: int
    voided: bool = False


def clockwise(seats: Collection[int], start: int) -> list[int]:
    """Return `seats` in clockwise order, beginning with `start` or the first one after it."""
    return sorted(seats, key=lambda seat: (seat - start) % len(SEATS))


def button_seat(eligible: Collection[int], last: LastButton | None) -> int:
    """Return the seat of the buttons for the next round among `eligible` seats (R50).

    A game opens at the first seat from the house dealer's left. After a round the buttons move to the next
    eligible player clockwise; after a voided round they stay (R58), or move on if that player is not there.
    """
    if last is None:
        return min(eligible)
    return clockwise(eligible, last.seat if last.voided else last.seat % len(SEATS) + 1)[0]


def dealt_in(eligible: Collection[int], button: int) -> list[int]:
    """Return the seats that get a hand, the button first, then clockwise: at most four; a fifth waits (R51)."""
    return clockwise(eligible, button)[:HANDS_PER_ROUND]
