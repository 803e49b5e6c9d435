"""Money: the payments of a round in their order (R31), each cut to what table stakes leave (R32-R35).

Takes verdicts in points from `scoring`, gives payments in cents. Accounts and chips are not known here.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from .entry import Deal
from .scoring import HandScore, Line, Verdict, clean_sweep_verdict, pair_verdict
from .sheet import Sheet


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


def settle(deal: Deal, hands: tuple[HandScore, ...]) -> tuple[list[Payment], dict[int, int]]:
    """All payments of the round in order, also those that came out even, and each seat's net in cents."""
    stacks = {hand.seat: hand.stack_cents for hand in deal.hands}
    present = dict(stacks)
    rule, limit_cents, pair_stakes = deal.sheet.stakes, deal.limit_cents, deal.pair_stakes
    payments = []
    for one, other, (points, lines) in _in_order(deal.sheet, hands):
        if not lines:
            continue
        if points > 0:
            payer, receiver = other, one
        else:
            payer, receiver, points = one, other, -points
        from_seat, to_seat = payer.seat, receiver.seat
        due = points * limit_cents
        if pair_stakes:
            due = points * pair_stakes.get((min(from_seat, to_seat), max(from_seat, to_seat)), limit_cents)
        paid = min(due, present[from_seat], _may_win(rule, stacks[to_seat], present[to_seat], due))
        present[from_seat] -= paid
        present[to_seat] += paid
        positions = (payer.position, receiver.position)
        payments.append(Payment(from_seat, to_seat, positions, points, due, paid, lines))
    return payments, {seat: present[seat] - stacks[seat] for seat in sorted(stacks)}


def _may_win(rule: str, stack: int, present: int, due: int) -> int:
    """What a receiver may still win of a payment, given their stack at the start and at present (R33)."""
    if rule == "starting_stack":
        return 2 * stack - present
    if rule == "running_stack":
        return present
    return due if rule == "uncapped_win" else 0  # "none": scores only, no money moves


def _in_order(sheet: Sheet, hands: tuple[HandScore, ...]) -> list[tuple[HandScore, HandScore, Verdict]]:
    """The verdicts in the order of R31: clean sweeps by position, then the pairs; never a player against themselves."""
    verdicts = [
        (holder, other, clean_sweep_verdict(sheet, holder, other))
        for place, holder in enumerate(hands)
        if holder.sweep is not None
        for other in hands[place + 1 :] + hands[:place]
        if other.seat != holder.seat
    ]
    for one, other in combinations(hands, 2):
        if one.seat != other.seat:
            verdicts.append((one, other, pair_verdict(sheet, one, other)))
    return verdicts
