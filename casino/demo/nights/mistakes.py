"""Wrongly entered hands in a simulated night, and their corrections (R58)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

from casino.demo.nights.house import Happening
from casino.demo.nights.table_in_play import TableInPlay
from tables.models import CorrectionRequest
from tables.rounds.corrections import approve_correction, ask_correction, refuse_correction
from tables.rounds.entry import RoundEntry

Entered = tuple[dict[str, Any], ...]

REASONS = (
    "Two cards entered the wrong way round",
    "The tablet was turned away from the hand",
    "Read six for nine",
)
REFUSALS = ("The camera shows it as it was settled", "Nobody else saw it")
REFUSED = 0.2
SEEN_BY_ALL = {"declares", "misset", "surrenders"}


@dataclass(frozen=True)
class Mistake:
    """A round settled with `misread` cards, its real hands, and when somebody notices."""

    round_id: int
    hands: Entered
    noticed_at: datetime

    def ask(self, night: TableInPlay, *, by_floor: bool) -> CorrectionRequest:
        """Request a correction to the real hands."""
        crew = night.house.crew
        asked: CorrectionRequest = night.do(
            ask_correction,
            entry=RoundEntry(self.round_id, night.key(), self.hands),
            because=night.rng.choice(REASONS),
            actor=crew.floor if by_floor else night.dealer,
        )
        return asked

    def decide(self, night: TableInPlay) -> Happening:
        """Request it, and have the other floor person approve or refuse it."""
        by_floor = night.rng.random() < 0.4
        request = self.ask(night, by_floor=by_floor)
        yield night.seconds(30, 90)
        crew = night.house.crew
        second = crew.floor2 if by_floor else crew.floor
        if night.rng.random() < REFUSED:
            reason = night.rng.choice(REFUSALS)
            night.do(refuse_correction, request_id=request.pk, because=reason, actor=second)
        else:
            night.do(approve_correction, request_id=request.pk, actor=second)


def misread(hands: Sequence[Mapping[str, Any]], rng: Random) -> Entered | None:
    """Return the hands with two cards of one swapped between its back and another segment; None if none qualifies.

    A hand that declares a clean sweep, was not set or was surrendered is always read correctly: everybody looked at it.
    """
    plain = [place for place, hand in enumerate(hands) if not SEEN_BY_ALL & hand.keys()]
    if not plain:
        return None
    chosen = rng.choice(plain)
    hand = dict(hands[chosen])
    other = rng.choice(("front", "middle"))
    left, right = hand[other].split(), hand["back"].split()
    here, there = rng.randrange(len(left)), rng.randrange(len(right))
    left[here], right[there] = right[there], left[here]
    hand[other], hand["back"] = " ".join(left), " ".join(right)
    return tuple(hand if place == chosen else dict(other_hand) for place, other_hand in enumerate(hands))
