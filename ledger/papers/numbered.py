"""One series of numbers, and which of them are missing from the records. Pure."""

from __future__ import annotations

MOST_GAPS = 1000
"""The most missing numbers that get a line: a forged number must not make us write one for every number below
it."""


class Numbered:
    """A series from 1 where the records are `whole`, else from the first that comes. Numbers may come out of
    order, until `gaps` is asked."""

    def __init__(self, whole: bool) -> None:
        self._next = 1 if whole else None
        self._ahead: set[int] = set()

    def take(self, number: int) -> None:
        if self._next is None:
            self._next = number
        if number < self._next:
            return
        self._ahead.add(number)
        while self._next in self._ahead:
            self._ahead.discard(self._next)
            self._next += 1

    def gaps(self) -> list[int]:
        """Return the numbers that are missing below the last one that came, and await the one after it."""
        if self._next is None or not self._ahead:
            return []
        last = max(self._ahead)
        missing = [one for one in range(self._next, min(last, self._next + MOST_GAPS))
                   if one not in self._ahead]  # fmt: skip
        self._next, self._ahead = last + 1, set()
        return missing
