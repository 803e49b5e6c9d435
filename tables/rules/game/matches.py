"""The race over rounds (R42): a match's points, its winner, and what each other player then pays; corrections too (R58).

Works on seats, points and cents alone. One round's points come from `scoring.race_points`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ledger.money import amount_text
from tables.rules.table.dealing import clockwise


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """The terms of a match: each other player pays `stake_cents` to the first with `race_to` points.

    `stacks` are what its players can pay from, by seat; `button` is the button's seat in the round.
    """

    race_to: int
    stake_cents: int
    button: int
    stacks: Mapping[int, int]


class MatchPayment(NamedTuple):
    """What one player of a match pays its winner.

    `due_cents`, the stake, less `paid_cents` was not in the payer's stack and is never owed later.
    """

    from_seat: int
    to_seat: int
    due_cents: int
    paid_cents: int

    def as_json(self) -> dict[str, Any]:
        """It in the form used in evidence and sent to devices."""
        due, paid = amount_text(self.due_cents), amount_text(self.paid_cents)
        return {"from": self.from_seat, "to": self.to_seat, "due": due, "paid": paid}


class Win(NamedTuple):
    """How a settlement ended a match: the seat that won it, and what the others pay."""

    won_by: int
    payments: tuple[MatchPayment, ...]


class PointsOfMatch(NamedTuple):
    """A match `before` a settlement and `after` it, in points by seat; the `win` that this settlement makes, if it does."""

    before: dict[int, int]
    after: dict[int, int]
    win: Win | None


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


def match_in_evidence(number: int, terms: MatchTerms, now: PointsOfMatch) -> dict[str, Any]:
    """The `match` of a settlement's evidence."""
    win = now.win
    return {
        "number": number,
        "stake": amount_text(terms.stake_cents),
        "race_to": terms.race_to,
        "before": {str(seat): points for seat, points in now.before.items()},
        "after": {str(seat): points for seat, points in now.after.items()},
        "stacks": {str(seat): amount_text(cents) for seat, cents in terms.stacks.items()},
        "won_by": None if win is None else win.won_by,
        "payments": [payment.as_json() for payment in (win.payments if win is not None else ())],
    }


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
    win = replaced if past else None
    if win is None and not over:
        won_by = winner(after, terms.race_to, terms.button)
        if won_by is not None:
            win = Win(won_by, match_payments(won_by, terms.stake_cents, terms.stacks))
    return PointsOfMatch(dict(before), after, win)
