"""The race over rounds (R42): a match's points, its winner, and what each other player then pays.

Works on seats, points and cents alone. One round's points come from `scoring.race_points`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tables.rules.table.dealing import clockwise


class MatchPayment(NamedTuple):
    """What one player of a match pays its winner.

    `due_cents`, the stake, less `paid_cents` was not in the payer's stack and is never owed later.
    """

    from_seat: int
    to_seat: int
    due_cents: int
    paid_cents: int


def points_after(before: Mapping[int, int], scored: Mapping[int, int]) -> dict[int, int]:
    """Return every player's points after a round; players who were not dealt in keep theirs."""
    return {seat: points + scored.get(seat, 0) for seat, points in before.items()}


def winner(points: Mapping[int, int], race_to: int, button: int) -> int | None:
    """Return the winning seat, or None: the most points among players present, then nearest the button.

    Distance is clockwise from the button; the button's own seat is nearest.
    """
    there = [seat for seat in clockwise(points, button) if points[seat] >= race_to]
    return max(there, key=points.__getitem__, default=None)  # max keeps the first of equals


def match_payments(won_by: int, stake_cents: int, stacks: Mapping[int, int]) -> tuple[MatchPayment, ...]:
    """Return what every other player pays the winner, clockwise from the winner: the stake, capped by the payer's stack (R34)."""
    payers = clockwise(stacks, won_by)[1:]
    return tuple(MatchPayment(seat, won_by, stake_cents, min(stake_cents, stacks[seat])) for seat in payers)
