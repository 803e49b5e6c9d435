"""Money: the payments of a round in order (R31), each cut to what table stakes leave (R32-R35)."""

from typing import Final, NamedTuple

from tables.rules.game.comparing import Lines
from tables.rules.game.entry import Deal
from tables.rules.game.scoring import Claim, Told, written

_named: Final = tuple.__new__  # faster than a NamedTuple's own


class Payment(NamedTuple):
    """A net payment between two hands; `due_cents` less `paid_cents` was cut and is never owed later.
    `positions` are the payer's and the receiver's; with 0 points, in the order of positions."""

    from_seat: int
    to_seat: int
    positions: tuple[int, int]
    points: int
    due_cents: int
    paid_cents: int
    lines: Lines


# A Payment as a plain tuple, its lines not written yet.
PaymentRow = tuple[int, int, tuple[int, int], int, int, int, Told]


def with_lines(rows: list[PaymentRow]) -> tuple[Payment, ...]:
    return tuple(
        [
            _named(Payment, (from_seat, to_seat, positions, points, due, paid, written(reasons)))
            for from_seat, to_seat, positions, points, due, paid, reasons in rows
        ]
    )


def settle(deal: Deal, claims: list[Claim]) -> tuple[list[PaymentRow], list[PaymentRow], dict[int, int]]:
    """Return the payments in order, the comparisons that came out even, and each seat's net in cents."""
    rule, limit_cents, pair_stakes = deal.sheet.stakes, deal.limit_cents, deal.pair_stakes
    # With scores alone no money moves (R32): as if all stacks were empty.
    stacks = {row[0]: row[1] for row in deal.rows} if rule != "none" else {row[0]: 0 for row in deal.rows}
    net = dict.fromkeys(sorted(stacks), 0)
    # While the sum of all dues is within the smallest stack, no limit can have been reached.
    least, fallen_due = min(stacks.values()), 0
    payments: list[PaymentRow] = []
    pushed: list[PaymentRow] = []
    for (from_seat, to_seat, positions), points, reasons in claims:
        if not points:
            pushed.append((from_seat, to_seat, positions, 0, 0, 0, reasons))
            continue
        if pair_stakes:
            due = points * pair_stakes.get((min(from_seat, to_seat), max(from_seat, to_seat)), limit_cents)
        else:
            due = points * limit_cents
        paid = due
        fallen_due += due
        if fallen_due > least:
            # What the receiver may still win, given their stack at the start and what they won since (R33).
            room = due
            if rule == "starting_stack":
                room = stacks[to_seat] - net[to_seat]
            elif rule == "running_stack":
                room = stacks[to_seat] + net[to_seat]
            paid = min(due, room, stacks[from_seat] + net[from_seat])
        net[from_seat] -= paid
        net[to_seat] += paid
        payments.append((from_seat, to_seat, positions, points, due, paid, reasons))
    return payments, pushed, net
