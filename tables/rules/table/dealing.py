"""Who is dealt into the next round, where the buttons lie, and who compares first (R30, R35, R50, R51)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

SEATS = (1, 2, 3, 4, 5)
HANDS_PER_ROUND = 4


@dataclass(frozen=True, slots=True)
class LastButton:
    """The seat of the buttons in the table's last round, and whether that round was voided (R58)."""

    seat: int
    voided: bool = False


def clockwise(seats: Collection[int], start: int) -> list[int]:
    """Return `seats` in clockwise order, beginning with `start` or the first one after it."""
    return list(_clockwise(tuple(seats), start))


@lru_cache(maxsize=1 << 12)
def _clockwise(seats: tuple[int, ...], start: int) -> tuple[int, ...]:
    return tuple(sorted(seats, key=lambda seat: (seat - start) % len(SEATS)))


def button_seat(eligible: Collection[int], last: LastButton | None) -> int:
    """Return the seat of the buttons for the next round (R50); after a voided round they stay (R58)."""
    if last is None:
        return min(eligible)
    return clockwise(eligible, last.seat if last.voided else last.seat % len(SEATS) + 1)[0]


def dealt_in(eligible: Collection[int], button: int, hands_each: int = 1) -> list[int]:
    """Return the seats that are dealt in, the button first, then clockwise, as the hands allow (R35, R51)."""
    return clockwise(eligible, button)[: HANDS_PER_ROUND // hands_each]


def compares_first(seats: Iterable[int], button: int, first: str) -> int:
    """Return the seat from which the hands compare clockwise (R30); it need not have a hand."""
    if first == "left_of_button":
        return button % len(SEATS) + 1
    if first == "right_of_puck":
        # The nearest hand counter-clockwise of the puck; the puck's own seat comes last.
        return min(seats, key=lambda seat: (button - 1 - seat) % len(SEATS))
    return button


def by_position(seats: Collection[int], button: int, first: str, hands_each: int = 1) -> list[int]:
    """Return the seat at each position, from position 1 on; with two hands each A, B, A, B (R35)."""
    return clockwise(seats, compares_first(seats, button, first)) * hands_each
