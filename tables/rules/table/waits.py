"""How a public board shows people who wait: by initials, and for about how long. Pure."""

from collections.abc import Collection
from datetime import timedelta
from statistics import median
from typing import Final

FEWEST: Final = 5
"""From fewer waits than these, nothing can be said about the next one."""
STEP: Final = 5
"""Minutes to which a likely wait is rounded, up."""


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
