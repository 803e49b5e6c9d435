"""Watch the database: a thread keeps asking it, so that each request need not find out by itself. A frozen
PostgreSQL neither answers nor refuses, and a query waits until it is back. Requests are therefore refused at
once (`database_away`)."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator

from django.db import DatabaseError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

EACH_SECONDS = 0.5
PATIENCE_SECONDS = 1.2
"""A database that takes longer than this for `SELECT 1` is away."""

log = logging.getLogger(__name__)


class DatabaseAway(Exception): ...


class DatabaseWatch:
    """Assumes that the database is there while nothing watches it."""

    def __init__(self) -> None:
        self._asked_at: float | None = None
        self._refused_at: float | None = None

    @property
    def away_seconds(self) -> float:
        """Seconds since the database stopped answering; 0 while it answers."""
        now, asked_at, refused_at = time.monotonic(), self._asked_at, self._refused_at
        if refused_at is not None:
            return now - refused_at
        return max(0.0, now - asked_at - PATIENCE_SECONDS) if asked_at is not None else 0.0

    @property
    def away(self) -> bool:
        return self.away_seconds > 0

    def ask(self, asked: Callable[[], None]) -> None:
        """Ask once, however long it takes."""
        self._asked_at = time.monotonic()
        try:
            asked()
        except DatabaseError as error:
            if self._refused_at is None:
                self._refused_at = self._asked_at
                log.warning("The database does not answer: %s", " ".join(str(error).split()))
        else:
            if self._refused_at is not None:
                log.warning("The database answers again")
            self._refused_at = None
        finally:
            self._asked_at = None

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Keep asking while the block lasts. SQLite is never away."""
        if connection.vendor == "sqlite":
            yield
            return
        over = threading.Event()

        def watch() -> None:
            own = connections.create_connection("reading")  # this thread's alone
            while not over.wait(EACH_SECONDS):
                self.ask(lambda: _ask(own))
            own.close()

        threading.Thread(target=watch, name="database-watch", daemon=True).start()
        try:
            yield
        finally:
            over.set()


def _ask(own: BaseDatabaseWrapper) -> None:
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        own.close()  # the next one reconnects
        raise


watch = DatabaseWatch()
