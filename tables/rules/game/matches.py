"""The race over rounds (R42): a match's points, its winner, what the others pay; corrections too (R58)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ledger.money import amount_text
from tables.rules.table.dealing import clockwise


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """The terms of a match; `stacks`, by seat, are what players can pay from."""

    race_to: int
    stake_cents: int
    button: int
    stacks: Mapping[int, int]


class MatchPayment(NamedTuple):
    """What one player of a match pays its winner; what was not in the stack is never owed later."""

    from_seat: int
    to_seat: int
    due_cents: int
    paid_cents: int

    def as_json(self) -> dict[str, Any]:
        """Return the form used in evidence and sent to devices."""
        due, paid = amount_text(self.due_cents), amount_text(self.paid_cents)
        return {"from": self.from_seat, "to": self.to_seat, "due": due, "paid": paid}


class Win(NamedTuple):
    won_by: int
    payments: tuple[MatchPayment, ...]


class PointsOfMatch(NamedTuple):
    """A match `before` and `after` a settlement, in points by seat; `win` if this settlement ends it."""

    before: dict[int, int]
    after: dict[int, int]
    win: Win | None


def points_after(before: Mapping[int, int], scored: Mapping[int, int]) -> dict[int, int]:
    """Return every player's points after a round; players who were not dealt in keep theirs."""
    return {seat: points + scored.get(seat, 0) for seat, points in before.items()}


def winner(points: Mapping[int, int], race_to: int, button: int) -> int | None:
    """Return the winning seat, or None: the most points, then nearest clockwise from the button."""
    there = [seat for seat in clockwise(points, button) if points[seat] >= race_to]
    return max(there, key=points.__getitem__, default=None)  # max keeps the first of equals


def match_payments(won_by: int, stake_cents: int, stacks: Mapping[int, int]) -> tuple[MatchPayment, ...]:
    """Return what each other player pays the winner, clockwise: the stake, capped by the stack (R34)."""
    payers = clockwise(stacks, won_by)[1:]
    return tuple(MatchPayment(seat, won_by, stake_cents, min(stake_cents, stacks[seat])) for seat in payers)


def total_points(players: Iterable[int], scored: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Return every player's total points over these rounds."""
    points = dict.fromkeys(players, 0)
    for round_ in scored:
        points = points_after(points, round_)
    return points


def paying_stacks(dealt: Mapping[int, int], present: Mapping[int, int]) -> dict[int, int]:
    """Return what players can pay from: the stack dealt in with, or for others the one at `present`."""
    return {seat: dealt.get(seat, cents) for seat, cents in present.items()}


def lacks_points(won_by: int | None, points: Mapping[int, int], race_to: int) -> bool:
    """Return whether a match stays won by a seat that no longer has enough points (R42, R58)."""
    return won_by is not None and points[won_by] < race_to


def match_in_evidence(number: int, terms: MatchTerms, now: PointsOfMatch) -> dict[str, Any]:
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
    """Return what settling a round does to its match, for the first time or as a correction (R58). `replaced`
    is the win of the corrected settlement. `over`: another round won the match, or it was called off. `past`:
    another match has begun, so a win stays as it was paid."""
    after = points_after(before, scored)
    win = replaced if past else None
    if win is None and not over:
        won_by = winner(after, terms.race_to, terms.button)
        if won_by is not None:
            win = Win(won_by, match_payments(won_by, terms.stake_cents, terms.stacks))
    return PointsOfMatch(dict(before), after, win)
