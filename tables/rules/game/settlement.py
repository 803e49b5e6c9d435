"""Money: the payments of a round in their order (R31), each cut to what table stakes leave (R32-R35).

Takes claims in points from `scoring`, gives payments in cents. Accounts and chips are not known here.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tables.rules.game.comparing import Line
from tables.rules.game.entry import Deal
from tables.rules.game.scoring import Claim


class Payment(NamedTuple):
    """What one pair of hands moved in one step: a net payment and the lines it was netted from.

    `positions` are the payer's and the receiver's. `due_cents` less `paid_cents` was cut by table stakes and is
    never owed later. Where the lines even out, `points` is 0 and the seats stand in the order of the positions.
    """

    from_seat: int
    to_seat: int
    positions: tuple[int, int]
    points: int
    due_cents: int
    paid_cents: int
    lines: tuple[Line, ...]


_row: Final = tuple.__new__


def settle(deal: Deal, claims: list[Claim]) -> tuple[list[Payment], list[Payment], dict[int, int]]:
    """The payments for these claims in their order, those that came out even, and each seat's net in cents."""
    rule, limit_cents, pair_stakes = deal.sheet.stakes, deal.limit_cents, deal.pair_stakes
    stacks = {row[0]: row[1] for row in deal.rows}
    net = dict.fromkeys(sorted(stacks), 0)
    # As long as all that fell due is within the smallest stack, no limit can have been reached.
    least, fallen_due = 0 if rule == "none" else min(stacks.values()), 0
    payments: list[Payment] = []
    pushed: list[Payment] = []
    for (from_seat, to_seat, positions), points, lines in claims:
        due = paid = points * limit_cents
        if pair_stakes:
            pair = (min(from_seat, to_seat), max(from_seat, to_seat))
            due = paid = points * pair_stakes.get(pair, limit_cents)
        fallen_due += due
        if fallen_due > least:
            may_win = _may_win(rule, stacks[to_seat], net[to_seat], due)
            paid = min(due, stacks[from_seat] + net[from_seat], may_win)
        net[from_seat] -= paid
        net[to_seat] += paid
        payment = _row(Payment, (from_seat, to_seat, positions, points, due, paid, lines))
        (payments if points else pushed).append(payment)
    return payments, pushed, net


def _may_win(rule: str, stack: int, won: int, due: int) -> int:
    """What a receiver may still win of a payment, given their stack at the start and what they won since (R33)."""
    if rule == "starting_stack":
        return stack - won
    if rule == "running_stack":
        return stack + won
    return due if rule == "uncapped_win" else 0  # "none": scores only, no money moves
