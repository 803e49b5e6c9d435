"""What a public board says of those who wait: by initials, and about how long. Pure."""

from collections.abc import Collection
from datetime import timedelta
from statistics import median
from typing import Final

FEWEST: Final = 5
"""Fewer waits than these say nothing of the next one."""
STEP: Final = 5
"""Minutes to which a likely wait is rounded, up."""


def likely_wait(waits: Collection[timedelta]) -> int | None:
    """Return about how many minutes somebody waits, by how long others did: their median, rounded up to
    STEP; None if there are fewer than FEWEST."""
    if len(waits) < FEWEST:
        return None
    minutes = median(wait.total_seconds() for wait in waits) / 60
    return max(STEP, -int(-minutes // STEP) * STEP)


def initials(name: str) -> str:
    """Return a name as a public board shows it: the first letters of at most three words."""
    words = [letters for word in name.split() if (letters := [one for one in word if one.isalnum()])]
    return "".join(f"{letters[0].upper()}." for letters in words[:3])
