"""Which entries were written while something was done: for the line that a request leaves in the program's own log."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_written: ContextVar[list[int] | None] = ContextVar("written", default=None)


@contextmanager
def traced() -> Iterator[list[int]]:
    """Collect the ids of the entries that are written within the block; of an act that was refused, none was kept."""
    ids: list[int] = []
    token = _written.set(ids)
    try:
        yield ids
    finally:
        _written.reset(token)


def wrote(ids: Iterable[int]) -> None:
    """Note that these entries were written, if anybody asks."""
    collected = _written.get()
    if collected is not None:
        collected.extend(ids)
