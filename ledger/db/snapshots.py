"""Long reads of one consistent state of the database, on a connection of their own. Verifying and
exporting read for minutes. Inside `snapshot` every ORM query goes to a second connection with a read-only
transaction, so play never waits for it and later commits are not visible."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

READING = "reading"
_alias: ContextVar[str | None] = ContextVar("reading", default=None)


class Router:
    """Django's database router: sends reads to the open snapshot's connection, if there is one."""

    def db_for_read(self, model: type, **hints: Any) -> str | None:
        return _alias.get()

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        """Allow relations: both connections reach the same rows."""
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db != READING


def alias() -> str:
    return _alias.get() or DEFAULT_DB_ALIAS


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """Read one state of the database inside the block; in a transaction, that transaction's."""
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
    """Like `snapshot`, but only queries on the returned connection use it, so that other code can use the ORM
    between them."""
    if connection.in_atomic_block:
        yield connections[DEFAULT_DB_ALIAS]
    elif _alias.get() is not None:
        yield connections[READING]
    else:
        with _opened():
            yield connections[READING]


@contextlib.contextmanager
def _opened() -> Iterator[None]:
    try:
        with transaction.atomic(using=READING):
            if connections[READING].vendor == "postgresql":
                with connections[READING].cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
    finally:
        if READING in connections:
            connections[READING].close()
