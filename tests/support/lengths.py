"""How long the tests are that could go on for ever: short for every change, long with CASINO_LONG=1 (`make soak`)."""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Case = TypeVar("Case")

LONG = os.environ.get("CASINO_LONG") == "1"


def length(given: str, short: float, long: float) -> float:
    """What the environment says, else the short or the long form."""
    return float(given or (long if LONG else short))


EXAMPLES = int(length(os.environ.get("CASINO_EXAMPLES") or "", 50, 2000))
"""Tries of a property that says nothing else."""
NIGHTS = int(length(os.environ.get("CASINO_NIGHTS") or "", 24, 200))
"""Random nights whose fees are compared with a model, for each kind of night."""
KILLS = int(length(os.environ.get("CASINO_KILLS") or "", 40, 400))
"""Processes that are killed while they post and seal."""
NIGHT_HOURS = length(os.environ.get("CASINO_NIGHT_HOURS") or "", 4, 8)
"""The simulated night at six tables."""
SOAKED_NIGHTS = int(length(os.environ.get("CASINO_SOAKED_NIGHTS") or "", 2, 60))
"""Seeds of which a night at two tables is played to its end."""
SOAKED_HOURS = length("", 0.4, 4)
"""How long each of them is."""
CORRECTED_NIGHTS = int(length(os.environ.get("CASINO_CORRECTED_NIGHTS") or "", 11, 100))
"""Nights whose rounds are corrected at any later moment, of each game in turn."""
CORRECTED_ACTS = int(length("", 20, 60))
"""How much happens in each of them."""
CLOSED_NIGHTS = int(length(os.environ.get("CASINO_CLOSED_NIGHTS") or "", 2, 60))
"""Nights of two gaming days that are closed, and exported day by day."""
ROUNDS = int(length(os.environ.get("CASINO_ROUNDS") or "", 10_000, 200_000))
"""Made-up rounds that the batch form scores beside the plain engine."""
HOUSE_ROUNDS = 3000 if LONG else 1500
"""The same for each changed sheet of a house."""
ENTRIES = 3000 if LONG else 900
"""Entries of an account whose statement is turned over page by page."""


def tries(number: int) -> int:
    """As many examples as a costly property has in short, or as many times more as the others have."""
    return max(number * EXAMPLES // 50, 1)


def one_of_each(cases: Iterable[Case], kind: Callable[[Case], Hashable]) -> Iterator[Case]:
    """All cases in long; in short the first of each kind, as of a field that many records have."""
    seen: set[Hashable] = set()
    for case in cases:
        if LONG or kind(case) not in seen:
            seen.add(kind(case))
            yield case
