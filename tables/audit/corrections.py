"""What a correction (R58) moves: what stood between two seats, and as much of the change as the stacks can move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ledger.money import amount_text as text_of

Pair = tuple[int, int]


class Change(NamedTuple):
    """What a correction does between two seats: `owed` is what the payer must give back, `moved` what is there for it."""

    payer: int
    receiver: int
    owed: int
    moved: int


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes that the evidence of a correction names."""

    every: tuple[Change, ...]

    @classmethod
    def read(cls, said: Iterable[Mapping[str, Any]]) -> Changes:
        """From the `changes` of an evidence."""
        return cls(tuple(Change(one["from"], one["to"], one["owed"], one["moved"]) for one in said))

    def wrong(
        self, before: Mapping[Pair, int], after: Mapping[Pair, int], present: Mapping[int, int] | None
    ) -> tuple[str, str] | None:
        """What is wrong with them: `before` stood between pairs, `after` is due by the rules; `present` are the stacks
        of those who had not left, None where they are not known."""
        owed = {}
        for pair in before.keys() | after.keys():
            cents = after.get(pair, 0) - before.get(pair, 0)
            if cents:
                owed[pair if cents > 0 else pair[::-1]] = abs(cents)
        said = {(one.payer, one.receiver): one.owed for one in self.every}
        if said != owed or len(self.every) != len(owed):
            return (
                "change_differs",
                "What it says is owed is not what the round comes to beyond what was paid.",
            )
        left = dict(present) if present is not None else None
        for one in self.every:
            between = f"seat {one.payer} to seat {one.receiver}"
            if not 0 <= one.moved <= one.owed:
                return "change_differs", f"From {between} {text_of(one.moved)} moves of {text_of(one.owed)}."
            if left is None:
                continue
            if one.moved and not (one.payer in left and one.receiver in left):
                return "change_differs", f"From {between} nothing can move: somebody has left."
            for seat, cents in ((one.payer, -one.moved), (one.receiver, one.moved)):
                if seat in left:
                    left[seat] += cents
        return self._unmoved(left) if left is not None else None

    def _unmoved(self, left: Mapping[int, int]) -> tuple[str, str] | None:
        """Whether the stacks, as they are `left`, could not have given more, nor as much."""
        for one in self.every:
            if one.payer not in left or one.receiver not in left:
                continue
            between = f"seat {one.payer} to seat {one.receiver}"
            if left[one.payer] < 0:
                return "change_differs", f"From {between} more moves than was there."
            if one.moved < one.owed and left[one.payer]:
                return "change_differs", f"From {between} {text_of(one.moved)} moves, and more was there."
        return None

    def applied(self, before: Mapping[Pair, int]) -> dict[Pair, int]:
        """What stands between pairs after them."""
        moved = by_pair((one.payer, one.receiver, one.moved) for one in self.every)
        return {
            pair: before.get(pair, 0) + moved.get(pair, 0) for pair in sorted(before.keys() | moved.keys())
        }


def by_pair(payments: Iterable[tuple[int, int, int]]) -> dict[Pair, int]:
    """Net payments by pair: {(lower seat, higher seat): cents the lower one pays; negative where it receives}."""
    net: dict[Pair, int] = {}
    for payer, receiver, cents in payments:
        if payer < receiver:
            net[payer, receiver] = net.get((payer, receiver), 0) + cents
        else:
            net[receiver, payer] = net.get((receiver, payer), 0) - cents
    return net


def moved_by(between: Mapping[Pair, int], accounts: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """The transfers, (from, to, cents), by which so much comes to stand between pairs."""
    return [
        (accounts[low], accounts[high], cents) if cents > 0 else (accounts[high], accounts[low], -cents)
        for (low, high), cents in sorted(between.items())
        if cents
    ]
