"""How a public board shows people who wait, by initials and for about how long, and what somebody who waits
may say on a page of their own. Pure."""

from collections.abc import Collection
from datetime import timedelta
from statistics import median
from typing import Final

FEWEST: Final = 5
"""From fewer waits than these, nothing can be said about the next one."""
STEP: Final = 5
"""Minutes to which a likely wait is rounded, up."""
PAGE_LASTS: Final = timedelta(hours=12)
"""A waiting player's own page ends so long after it was made, if the place does not end before."""
COMING, MORE, OFF = "coming", "more", "off"
"""What a waiting player says: on my way; more time, please; off the list."""
TAKEN_OFF: Final = "the player took it off"
"""The reason of a place that its player gave up."""


def likely_wait(waits: Collection[timedelta]) -> int | None:
    """Return for about how many minutes a newcomer waits: the median of the others' waits, rounded up to
    STEP; None if there are fewer than FEWEST."""
    if len(waits) < FEWEST:
        return None
    minutes = median(wait.total_seconds() for wait in waits) / 60
    return max(STEP, -int(-minutes // STEP) * STEP)


def initials(name: str) -> str:
    """Return a name as a public board shows it: the first letters of at most three words."""
    words = [letters for word in name.split() if (letters := [one for one in word if one.isalnum()])]
    return "".join(f"{letters[0].upper()}." for letters in words[:3])


def may_say(state: str, *, coming: bool, more: bool) -> tuple[str, ...]:
    """Return what somebody may still say whose place is in this state: each once after an act of the floor,
    more time only while they are called."""
    asks = state == "called" and not more
    return (*(() if coming else (COMING,)), *((MORE,) if asks else ()), OFF)
