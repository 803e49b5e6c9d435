"""Bounds of buy-ins, and the least stack that is dealt in (R52, R53). Amounts in cents, times aware."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

BUY_IN_POINTS = 30
"""The smallest first buy-in, as a multiple of the limit (R52)."""
DEALT_IN_POINTS = 9
"""The smallest stack that is dealt in, as a multiple of the limit (R53)."""

Refused = Literal["buy_in_too_small", "buy_in_too_large"]


class TakenAway(NamedTuple):
    """Chips taken away by a player who is back within the interval: the least to bring, the most allowed."""

    least: int = 0
    most: int = 0


NOTHING = TakenAway()


class Bounds(NamedTuple):
    least: int
    most: int


def smallest_buy_in(limit_cents: int) -> int:
    """Return the least first buy-in: thirty times the limit (R52)."""
    return BUY_IN_POINTS * limit_cents


def nine_points(limit_cents: int) -> int:
    """Return the least stack that is dealt in: nine times the limit (R53)."""
    return DEALT_IN_POINTS * limit_cents


def is_short(stack_cents: int, limit_cents: int) -> bool:
    """Return whether a stack is below nine points: not dealt in, and no fee may leave it so (R53, R63)."""
    return stack_cents < nine_points(limit_cents)


def most_on_a_stack(max_buy_in_cents: int, announced_cents: int | None) -> int:
    """Return the most a stack may hold after buying: the maximum, or a higher one announced (R52, R64)."""
    return max(max_buy_in_cents, announced_cents or 0)


def came_back_since(now: datetime, return_minutes: int) -> datetime:
    """Return the moment from which on a player who left this game counts as coming back (R52)."""
    return now - timedelta(minutes=return_minutes)


def taken_away(cents: Iterable[int]) -> TakenAway:
    """Return what counts as taken away: the least of the amounts, one for each table since (R52)."""
    left = min(cents, default=0)
    return TakenAway(left, left)


def taken_away_then(cents: int, *, carried: bool) -> TakenAway:
    """Return what counted as taken away at an earlier moment; unknown, so no least, if `carried` (R52)."""
    return TakenAway(0 if carried else cents, cents)


def buy_in_bounds(limit_cents: int, most_cents: int, taken: TakenAway = NOTHING) -> Bounds:
    """Return the bounds of a first buy-in (R52). A returning player may exceed `most_cents`."""
    return Bounds(max(smallest_buy_in(limit_cents), taken.least), max(most_cents, taken.most))


def wrong_buy_in(cents: int, bounds: Bounds) -> Refused | None:
    """Return the code of what is wrong with this first buy-in, or None."""
    if cents < bounds.least:
        return "buy_in_too_small"
    return "buy_in_too_large" if cents > bounds.most else None


def wrong_add_on(stack_cents: int, cents: int, most_cents: int) -> Refused | None:
    """Return the code of what is wrong with this add-on, or None; the most is for the whole stack (R52)."""
    return "buy_in_too_large" if stack_cents + cents > most_cents else None
