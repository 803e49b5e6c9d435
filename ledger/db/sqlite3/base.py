"""Writers of one process wait for each other in turn, instead of trying again and again.

SQLite lets one transaction write at a time. A writer that finds the file locked sleeps and retries, longer
each time, so of sixteen dealers the unlucky one waits for seconds. Threads of one process wait here for a
lock, which wakes the next at once; for other processes SQLite's own waiting applies.

The turn does not include the disk. A commit writes to the WAL and gives up the turn; then it waits until the
disk has the WAL, and only then returns, so several commits wait for the disk together. The WAL is one file,
so everything before a durable commit is durable. A write outside a transaction waits for the disk as SQLite
does it (`synchronous=FULL`). Why: decision 24."""

from __future__ import annotations  # at run time a Lock is not a type

import os
import threading
from collections import defaultdict
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)  # by the database's file
_FULL = 2  # as PRAGMA synchronous returns it
_to_disk = getattr(os, "fdatasync", os.fsync)

_Theirs: Any = base.DatabaseWrapper  # the stubs know nothing of transactions


class DatabaseWrapper(_Theirs):  # type: ignore[misc]
    """A connection that has its file's turn from the beginning of a writing transaction to its end."""

    _turn: threading.Lock | None = None
    _log: str | None = None
    """The file to sync before a commit returns; None if SQLite syncs it, or nobody needs that."""

    def get_new_connection(self, conn_params: Any) -> Any:
        connection = super().get_new_connection(conn_params)
        ((mode,), (safety,)) = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("journal_mode", "synchronous")
        )
        (_, _, path) = connection.execute("PRAGMA database_list").fetchone()
        self._log = f"{path}-wal" if (mode, safety) == ("wal", _FULL) else None
        return connection

    def _start_transaction_under_autocommit(self) -> None:
        if self.transaction_mode != "IMMEDIATE":
            super()._start_transaction_under_autocommit()
            return
        turn = _turns[str(self.settings_dict["NAME"])]
        if not turn.acquire(timeout=self.settings_dict["OPTIONS"]["timeout"]):
            raise OperationalError("database is locked")
        self._turn = turn
        try:
            self._wait_for_disk(by_sqlite=False)
            super()._start_transaction_under_autocommit()
        except BaseException:
            self._give_turn()
            raise

    def _commit(self) -> Any:
        super()._commit()
        if self._turn is not None:
            self._give_turn()
            if self._log is not None:
                _have_on_disk(self._log)

    def _rollback(self) -> Any:
        try:
            super()._rollback()
        finally:
            self._give_turn()

    def _close(self) -> Any:
        try:
            super()._close()
        finally:
            self._release()

    def _wait_for_disk(self, *, by_sqlite: bool) -> None:
        if self._log is not None:
            self.connection.execute(f"PRAGMA synchronous={'FULL' if by_sqlite else 'NORMAL'}")

    def _give_turn(self) -> None:
        try:
            if self._turn is not None:
                self._wait_for_disk(by_sqlite=True)
        finally:
            self._release()

    def _release(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.release()


def _have_on_disk(path: str) -> None:
    try:
        file = os.open(path, os.O_RDONLY)
        try:
            _to_disk(file)
        finally:
            os.close(file)
    except OSError as error:
        raise OperationalError("disk I/O error") from error
