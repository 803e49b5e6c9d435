"""The effect of settling a round on its match: points, a winner if there is one, and payments (R42, R58).

Works on seats, points and cents alone; the arithmetic is in `race`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tables.rules.game.race import MatchPayment, match_payments, points_after, winner


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """The terms of a match: each other player pays `stake_cents` to the first with `race_to` points.

    `stacks` are what its players can pay from, by seat; `button` is the button's seat in the round.
    """

    race_to: int
    stake_cents: int
    button: int
    stacks: Mapping[int, int]


class Win(NamedTuple):
    """How a settlement ended a match: the seat that won it, and what the others pay."""

    won_by: int
    payments: tuple[MatchPayment, ...]


class PointsOfMatch(NamedTuple):
    """A match `before` a settlement and `after` it, in points by seat; the `win` that this settlement makes, if it does."""

    before: dict[int, int]
    after: dict[int, int]
    win: Win | None


def total_points(players: Iterable[int], scored: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """The points of every player of a match from rounds that scored so."""
    points = dict.fromkeys(players, 0)
    for round_ in scored:
        points = points_after(points, round_)
    return points


def paying_stacks(dealt: Mapping[int, int], present: Mapping[int, int]) -> dict[int, int]:
    """What the players of a match can pay from, by seat: those dealt into the round their stack as it began, others theirs
    at `present`."""
    return {seat: dealt.get(seat, cents) for seat, cents in present.items()}


def lacks_points(won_by: int | None, points: Mapping[int, int], race_to: int) -> bool:
    """Whether a match stays won by a seat that, with these points, has not come so far (R42, R58)."""
    return won_by is not None and points[won_by] < race_to


def settle_in_match(
    before: Mapping[int, int],
    scored: Mapping[int, int],
    terms: MatchTerms,
    *,
    replaced: Win | None = None,
    over: bool = False,
    past: bool = False,
) -> PointsOfMatch:
    """What the settlement of a round with these points does to its match, first or in place of another one.

    `before` are the points from all other rounds that stand settled. `replaced` is how the settlement whose place it takes
    had ended the match, if it had. The match is `over` if another round has won it, or it was called off: that stays, whatever
    a correction makes of a round (R58). It is `past` once another match has begun: a win then stays as it was paid.
    """
    after = points_after(before, scored)
    if replaced is not None and past:
        return PointsOfMatch(dict(before), after, replaced)
    won_by = None if over else winner(after, terms.race_to, terms.button)
    if won_by is None:
        return PointsOfMatch(dict(before), after, None)
    return PointsOfMatch(
        dict(before), after, Win(won_by, match_payments(won_by, terms.stake_cents, terms.stacks))
    )
