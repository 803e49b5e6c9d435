"""The ids of entries written during a request, for its line in the program's own log."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_written: ContextVar[list[int] | None] = ContextVar("written", default=None)


@contextmanager
def traced() -> Iterator[list[int]]:
    """Collect the ids of the entries written in the block, also those that are rolled back."""
    ids: list[int] = []
    token = _written.set(ids)
    try:
        yield ids
    finally:
        _written.reset(token)


def wrote(ids: Iterable[int]) -> None:
    collected = _written.get()
    if collected is not None:
        collected.extend(ids)
