"""The matches of a race (R42), worked out again from the log: their points, who has won, and who pays what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger.money import amount_text as text_of
from ledger.money import cents_of
from tables.rules.game.race import match_payments, points_after, winner


@dataclass(slots=True)
class Match:
    """A match at an open table. `players` are its sittings by seat; `points` what the settlements of its rounds that
    stand gave, by the number of the round."""

    number: int
    stake_cents: int
    players: dict[int, int]
    called_off: bool = False
    points: dict[int, Mapping[int, int]] = field(default_factory=dict)
    ended_by: int | None = None  # the round whose settlement has a winner

    @property
    def won(self) -> bool:
        """Whether somebody has won it."""
        return self.ended_by is not None

    def total(self, without: int | None = None) -> dict[int, int]:
        """The points of every player, from all rounds or all but one."""
        points = dict.fromkeys(self.players, 0)
        for number, scored in self.points.items():
            if number != without:
                points = points_after(points, scored)
        return points

    def points_text(self) -> dict[str, int]:
        """The points as records have them."""
        return {str(seat): points for seat, points in self.total().items()}

    def settle(
        self,
        number: int,
        scored: Mapping[int, int],
        own: Mapping[str, Any] | None,
        stacks: Mapping[int, int],
        terms: tuple[int, int, bool],
    ) -> dict[str, Any]:
        """The `match` of the evidence of a settlement of round `number`, which gave these points.

        `own` is that of the settlement that it takes the place of, `stacks` what the players can pay from, `terms` the
        points that the race goes to, the button, and whether another match has begun since.
        """
        race_to, button, past = terms
        before = self.total(without=number)
        after = points_after(before, scored)
        if own is not None and own["won_by"] is not None and past:
            won_by, payments = own["won_by"], own["payments"]
        else:
            won_by, payments = None, []
            if not self.called_off and self.ended_by in (None, number):
                won_by = winner(after, race_to, button)
                if won_by is not None:
                    payments = _payments(won_by, self.stake_cents, stacks)
        self.points[number] = scored
        if won_by is not None:
            self.ended_by = number
        elif self.ended_by == number:
            self.ended_by = None
        return {
            "number": self.number,
            "stake": text_of(self.stake_cents),
            "race_to": race_to,
            "before": {str(seat): points for seat, points in before.items()},
            "after": {str(seat): points for seat, points in after.items()},
            "stacks": {str(seat): text_of(cents) for seat, cents in stacks.items()},
            "won_by": won_by,
            "payments": payments,
        }


def stacks_of(outcome: Mapping[str, Any]) -> dict[int, int]:
    """What the players could pay from, in cents by seat, as the `match` of an evidence says it."""
    return {int(seat): cents_of(amount) or 0 for seat, amount in outcome["stacks"].items()}


def _payments(won_by: int, stake_cents: int, stacks: Mapping[int, int]) -> list[dict[str, Any]]:
    return [
        {
            "from": payment.from_seat,
            "to": payment.to_seat,
            "due": text_of(payment.due_cents),
            "paid": text_of(payment.paid_cents),
        }
        for payment in match_payments(won_by, stake_cents, stacks)
    ]
