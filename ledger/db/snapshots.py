"""Long reads: one state of the database from the first row to the last, on a connection of its own.

Verifying and exporting read for minutes. Inside of `snapshot` every question of the ORM goes to a second connection whose
transaction only reads, so nobody who plays waits for it, and what is committed meanwhile is not seen half.
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

READING = "reading"
_alias: ContextVar[str | None] = ContextVar("reading", default=None)


class Router:
    """Django's database router: reads go to the connection of the snapshot that is open, if one is."""

    def db_for_read(self, model: type, **hints: Any) -> str | None:
        """The alias of the snapshot, or None for Django's own choice."""
        return _alias.get()

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        """Both connections lead to the same rows."""
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        """Tables are made through the first connection alone."""
        return db != READING


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """Read one state of the database inside of the block. Within a transaction, that one's."""
    if connection.in_atomic_block or _alias.get() is not None:
        yield
        return
    with _opened():
        token = _alias.set(READING)
        try:
            yield
        finally:
            _alias.reset(token)


@contextlib.contextmanager
def connected() -> Iterator[Any]:
    """As `snapshot`, but only whoever speaks to the connection that it gives reads on it, and not the ORM beside it.

    For what is read in pieces: between two of them the ORM goes its own way.
    """
    if connection.in_atomic_block:
        yield connections[DEFAULT_DB_ALIAS]
    elif _alias.get() is not None:
        yield connections[READING]
    else:
        with _opened():
            yield connections[READING]


@contextlib.contextmanager
def _opened() -> Iterator[None]:
    """A transaction on the second connection, which only reads and is closed at the end."""
    try:
        with transaction.atomic(using=READING):
            if connections[READING].vendor == "postgresql":
                with connections[READING].cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
    finally:
        if READING in connections:
            connections[READING].close()
