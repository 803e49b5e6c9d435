"""What correcting a settlement moves between seats, and what it leaves to be claimed (R58). Whole cents by seat.

A correction moves only chips that are there. What is missing one player owes the other, and never the house.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

Pair = tuple[int, int]
Owing = tuple[int, int, int]
"""(who owes, to whom, cents above zero)"""


class PairChange(NamedTuple):
    """What a correction does between two seats: `owed` is what `payer` must give back, `moved` what is there for it."""

    payer: int
    receiver: int
    owed: int
    moved: int

    def as_json(self) -> dict[str, int]:
        """Return the change as evidence."""
        return {"from": self.payer, "to": self.receiver, "owed": self.owed, "moved": self.moved}


def by_pair(payments: Iterable[Owing]) -> dict[Pair, int]:
    """Net payments by pair: {(lower seat, higher seat): cents the lower one pays; negative where it receives}."""
    net: dict[Pair, int] = {}
    for payer, receiver, cents in payments:
        pair, sign = (_pair(payer, receiver), 1) if payer < receiver else (_pair(receiver, payer), -1)
        net[pair] = net.get(pair, 0) + sign * cents
    return net


@lru_cache(maxsize=64)
def _pair(low: int, high: int) -> Pair:
    """Return the pair, the same one each time: whoever follows a night remembers thousands."""
    return low, high


def owing(net: Mapping[Pair, int]) -> list[Owing]:
    """Who owes whom by this net, in the order of the pairs; nobody where it is even."""
    return [
        (low, high, cents) if cents > 0 else (high, low, -cents)
        for (low, high), cents in sorted(net.items())
        if cents
    ]


def difference(after: Mapping[Pair, int], before: Mapping[Pair, int]) -> list[Owing]:
    """Who owes whom beyond what stood before."""
    pairs = after.keys() | before.keys()
    return owing({pair: after.get(pair, 0) - before.get(pair, 0) for pair in pairs})


def plan_changes(
    before: Mapping[Pair, int], after: Mapping[Pair, int], present: Mapping[int, int]
) -> list[PairChange]:
    """What changes between each pair, and how much of it the stacks that are there can move.

    `before` stands between pairs, `after` is due by the rules. `present` gives the stacks of the players still seated:
    nothing moves from or to one who has left.
    """
    owed = difference(after, before)
    there = {
        (payer, receiver): cents for payer, receiver, cents in owed if {payer, receiver} <= present.keys()
    }
    moved = _movable(there, present)
    return [
        PairChange(payer, receiver, cents, moved.get((payer, receiver), 0)) for payer, receiver, cents in owed
    ]


def _movable(owed: Mapping[Pair, int], stacks: Mapping[int, int]) -> dict[Pair, int]:
    """How much of what payers owe to receivers, {(payer, receiver): cents}, these stacks can move.

    All of it where every stack holds its own result. Otherwise pair by pair, again and again, because chips that
    come in from one pair can go out to the next.
    """
    left = dict(stacks)
    for (payer, receiver), cents in owed.items():
        left[payer] -= cents
        left[receiver] += cents
    if all(cents >= 0 for cents in left.values()):
        return dict(owed)
    left, moved = dict(stacks), dict.fromkeys(owed, 0)
    moving = True
    while moving:
        moving = False
        for (payer, receiver), cents in owed.items():
            part = min(cents - moved[payer, receiver], left[payer])
            if part:
                left[payer] -= part
                left[receiver] += part
                moved[payer, receiver] += part
                moving = True
    return moved


def standing_after(before: Mapping[Pair, int], changes: Iterable[PairChange]) -> dict[Pair, int]:
    """What stands between pairs after a correction: what stood before, and what could be moved of the change."""
    moved = by_pair((change.payer, change.receiver, change.moved) for change in changes)
    return {pair: before.get(pair, 0) + moved.get(pair, 0) for pair in sorted(before.keys() | moved.keys())}


def missing(changes: Iterable[PairChange]) -> dict[Pair, int]:
    """What the stacks could not move, by pair."""
    return by_pair((change.payer, change.receiver, change.owed - change.moved) for change in changes)


def new_claims(changes: Iterable[PairChange], claimed: Mapping[Pair, int]) -> list[Owing]:
    """The claims that a correction leaves beyond those `claimed` for the round before, in the order of the pairs.

    A correction that takes an earlier one back leaves a claim the other way, so that both together come to nothing.
    """
    return difference(missing(changes), claimed)
