"""The length of open-ended tests: short for every change, long with CASINO_LONG=1 (`make soak`)."""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Case = TypeVar("Case")

LONG = os.environ.get("CASINO_LONG") == "1"


def length(given: str, short: float, long: float) -> float:
    return float(given or (long if LONG else short))


EXAMPLES = int(length(os.environ.get("CASINO_EXAMPLES") or "", 25, 2000))
"""Examples of a property without a number of its own."""
NIGHTS = int(length(os.environ.get("CASINO_NIGHTS") or "", 6, 200))
"""Random nights of each kind whose fees are compared with a model."""
KILLS = int(length(os.environ.get("CASINO_KILLS") or "", 10, 400))
"""Processes killed while they post and seal."""
DOCUMENT_NUMBERS = int(length(os.environ.get("CASINO_DOCUMENT_NUMBERS") or "", 20, 500))
"""Numbers of each series that are given while processes are killed."""
SERIES_NUMBERS = int(length(os.environ.get("CASINO_SERIES_NUMBERS") or "", 10, 500))
"""Numbers of every series that two processes take while they are killed."""
NIGHT_HOURS = length(os.environ.get("CASINO_NIGHT_HOURS") or "", 2, 8)
"""Hours of the simulated night, at six tables in long and three in short."""
WEEK_HOURS = length(os.environ.get("CASINO_WEEK_HOURS") or "", 0.25, 1)
"""Hours of each night of the week whose papers are compared, at two tables in long and one in short."""
SOAKED_NIGHTS = int(length(os.environ.get("CASINO_SOAKED_NIGHTS") or "", 1, 60))
"""Seeds of nights at two tables played to the end."""
SOAKED_HOURS = length("", 0.4, 4)
"""Hours of each of them."""
CORRECTED_NIGHTS = int(length(os.environ.get("CASINO_CORRECTED_NIGHTS") or "", 11, 100))
"""Nights with corrections at any later moment, of each game in turn."""
CORRECTED_ACTS = int(length("", 20, 60))
CLOSED_NIGHTS = int(length(os.environ.get("CASINO_CLOSED_NIGHTS") or "", 1, 60))
"""Nights of two gaming days that are closed, and exported day by day."""
ROUNDS = int(length(os.environ.get("CASINO_ROUNDS") or "", 10_000, 200_000))
"""Random rounds scored by the batch form and by the plain engine."""
TABLET_ROUNDS = 10_000 if LONG else 5
"""Random rounds of each game that a browser works out as the house does."""
OUTAGE_SECONDS = length("", 0, 600)
"""Seconds without the network over three rounds, by the clock."""
HOUSE_ROUNDS = 3000 if LONG else 1500
"""Random rounds of each changed sheet of a house, scored by both."""
ENTRIES = 3000 if LONG else 900
"""Entries of an account whose statement is read page by page."""
REPLAYED_ROUNDS = 20_000 if LONG else 40
"""Rounds of a period that is played again by both engines."""

BUSY_MACHINE = 4.0
"""Seconds by which a busy machine may be late with what takes no time; what hangs is later by far."""


def tries(number: int, short: int | None = None) -> int:
    """Return the examples of a costly property: this many in short (or `short`, where that takes too long),
    scaled in long."""
    return max((number if LONG or short is None else short) * EXAMPLES // 50, 1)


def one_of_each(cases: Iterable[Case], kind: Callable[[Case], Hashable]) -> Iterator[Case]:
    """Yield all cases in long, in short the first of each kind."""
    seen: set[Hashable] = set()
    for case in cases:
        if LONG or kind(case) not in seen:
            seen.add(kind(case))
            yield case
