"""What correcting a settlement moves between seats, and the claims it leaves (R58). Whole cents by seat.

A correction moves only chips that are on the table. The rest is owed between players, never by the house. One
person alone may undo a fee, a waiver or a toke only while nothing was built on it."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

Pair = tuple[int, int]
Owing = tuple[int, int, int]
"""(who owes, to whom, cents above zero)"""


class PairChange(NamedTuple):
    """A correction between two seats: `payer` owes `owed`, and the stack could pay `moved` of it."""

    payer: int
    receiver: int
    owed: int
    moved: int

    def as_json(self) -> dict[str, int]:
        return {"from": self.payer, "to": self.receiver, "owed": self.owed, "moved": self.moved}


def wrong_decider(what: str, asked_by: int, by: int, left: Collection[int]) -> str | None:
    """Return why a person may not decide on what was asked for (`correction` or `settlement`), or None.
    `left` are those who played the round without the house, or sent it for another."""
    if by == asked_by:
        return f"Somebody else must decide on a {what} you asked for."
    if by in left:
        return f"Nobody decides on a {what} of a round that they played or sent for another."
    return None


def by_pair(payments: Iterable[Owing]) -> dict[Pair, int]:
    """Return net payments by pair: {(lower seat, higher seat): cents from lower to higher, or negative}."""
    net: dict[Pair, int] = {}
    for payer, receiver, cents in payments:
        pair, sign = (_pair(payer, receiver), 1) if payer < receiver else (_pair(receiver, payer), -1)
        net[pair] = net.get(pair, 0) + sign * cents
    return net


@lru_cache(maxsize=64)
def _pair(low: int, high: int) -> Pair:
    """Return one shared tuple for each pair: a night's replay holds thousands."""
    return low, high


def owing(net: Mapping[Pair, int]) -> list[Owing]:
    """Return who owes whom by this net, in the order of the pairs, without pairs that are even."""
    return [
        (low, high, cents) if cents > 0 else (high, low, -cents)
        for (low, high), cents in sorted(net.items())
        if cents
    ]


def difference(after: Mapping[Pair, int], before: Mapping[Pair, int]) -> list[Owing]:
    """Return what is owed after beyond what stood before."""
    pairs = after.keys() | before.keys()
    return owing({pair: after.get(pair, 0) - before.get(pair, 0) for pair in pairs})


def plan_changes(
    before: Mapping[Pair, int], after: Mapping[Pair, int], present: Mapping[int, int]
) -> list[PairChange]:
    """Return what changes between each pair, and how much of it the stacks can move. `before` stands, `after`
    is due by the rules. Nothing moves from or to a player who is not `present`."""
    owed = difference(after, before)
    there = {
        (payer, receiver): cents for payer, receiver, cents in owed if {payer, receiver} <= present.keys()
    }
    moved = _movable(there, present)
    return [
        PairChange(payer, receiver, cents, moved.get((payer, receiver), 0)) for payer, receiver, cents in owed
    ]


def _movable(owed: Mapping[Pair, int], stacks: Mapping[int, int]) -> dict[Pair, int]:
    """Return how much of what is owed, {(payer, receiver): cents}, these stacks can move. Pair by pair until
    nothing moves: chips received from one pair can be paid out to the next."""
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
    """Return what stands between pairs after a correction: what stood before, and what was moved."""
    moved = by_pair((change.payer, change.receiver, change.moved) for change in changes)
    return {pair: before.get(pair, 0) + moved.get(pair, 0) for pair in sorted(before.keys() | moved.keys())}


def missing(changes: Iterable[PairChange]) -> dict[Pair, int]:
    """Return what the stacks could not move, by pair."""
    return by_pair((change.payer, change.receiver, change.owed - change.moved) for change in changes)


def new_claims(changes: Iterable[PairChange], claimed: Mapping[Pair, int]) -> list[Owing]:
    """Return the claims that a correction leaves beyond those already `claimed` for the round."""
    return difference(missing(changes), claimed)


BuiltOn = Literal["left", "round_started", "stack_changed"]


def why_not_undone(*, left: bool, round_started: bool, stack_changed: bool) -> BuiltOn | None:
    """Return why it cannot be undone alone any more, or None."""
    if left:
        return "left"
    if round_started:
        return "round_started"
    return "stack_changed" if stack_changed else None
