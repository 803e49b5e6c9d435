"""How many chips a player brings to a table, and how few are dealt in (R52, R53). Amounts in cents, times aware.

What was taken away before, and what is announced for the next down, is read elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

BUY_IN_POINTS = 30
"""A first buy-in is at least so many times the limit (R52)."""
DEALT_IN_POINTS = 9
"""A stack is dealt in with at least so many times the limit (R53)."""

Refused = Literal["buy_in_too_small", "buy_in_too_large"]


class TakenAway(NamedTuple):
    """What somebody who comes back within the interval has to bring at least, and may bring, for what they took away."""

    least: int = 0
    most: int = 0


NOTHING = TakenAway()


class Bounds(NamedTuple):
    """The least and the most of a first buy-in."""

    least: int
    most: int


def smallest_buy_in(limit_cents: int) -> int:
    """What a first buy-in is at least: thirty times the limit (R52)."""
    return BUY_IN_POINTS * limit_cents


def nine_points(limit_cents: int) -> int:
    """What a stack must hold for the player to be dealt in: nine times the limit (R53)."""
    return DEALT_IN_POINTS * limit_cents


def is_short(stack_cents: int, limit_cents: int) -> bool:
    """Whether a stack is below nine points, so that it is not dealt in, or a fee cannot leave it so (R53, R63)."""
    return stack_cents < nine_points(limit_cents)


def most_on_a_stack(max_buy_in_cents: int, announced_cents: int | None) -> int:
    """The most that a stack holds after buying: the maximum, or the one announced for the next down if that is higher (R52).

    Players must be able to bring before the boundary what the new limit needs (R64).
    """
    return max(max_buy_in_cents, announced_cents or 0)


def came_back_since(now: datetime, return_minutes: int) -> datetime:
    """Whoever left this game at that moment or later comes back now, within the house's interval (R52)."""
    return now - timedelta(minutes=return_minutes)


def taken_away(cents: Iterable[int]) -> TakenAway:
    """What counts as taken away: those cents, or what was left of them at each table they were carried to since (R52).

    Chips that were carried to another table stayed in play there.
    """
    left = min(cents, default=0)
    return TakenAway(left, left)


def taken_away_then(cents: int, *, carried: bool) -> TakenAway:
    """The same as it was at an earlier moment, for an entry that is corrected later (R52).

    What was then left of chips that had been `carried` to another table, nobody knows any more: they ask for nothing.
    """
    return TakenAway(0 if carried else cents, cents)


def buy_in_bounds(limit_cents: int, most_cents: int, taken: TakenAway = NOTHING) -> Bounds:
    """The bounds of a first buy-in (R52): who comes back brings what they took away, even above the maximum.

    `most_cents` is what a stack may hold at most.
    """
    return Bounds(max(smallest_buy_in(limit_cents), taken.least), max(most_cents, taken.most))


def wrong_buy_in(cents: int, bounds: Bounds) -> Refused | None:
    """The code of what is wrong with a first buy-in of so much, or None."""
    if cents < bounds.least:
        return "buy_in_too_small"
    return "buy_in_too_large" if cents > bounds.most else None


def wrong_add_on(stack_cents: int, cents: int, most_cents: int) -> Refused | None:
    """The code of what is wrong with adding so much to a stack, or None: the whole stack stays within the most (R52)."""
    return "buy_in_too_large" if stack_cents + cents > most_cents else None
