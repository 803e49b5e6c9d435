"""Writers of one process wait for each other in turn, instead of trying again and again.

SQLite lets one transaction write at a time. Who finds the file taken sleeps and tries again, longer each time, so of sixteen
dealers the unlucky one waits for seconds while others pass. Threads of one process wait here for a lock, which wakes the next
one at once. A transaction of another process (a command, a worker) is waited for as SQLite does it.
"""

from __future__ import annotations  # a Lock is no type where it runs

import threading
from collections import defaultdict
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)  # by the database's file


_Theirs: Any = base.DatabaseWrapper  # whose stubs know nothing of transactions


class DatabaseWrapper(_Theirs):  # type: ignore[misc]
    """A connection that holds the turn of its file from the beginning of a transaction that writes to its end."""

    _turn: threading.Lock | None = None

    def _start_transaction_under_autocommit(self) -> None:
        if self.transaction_mode != "IMMEDIATE":
            super()._start_transaction_under_autocommit()
            return
        turn = _turns[str(self.settings_dict["NAME"])]
        if not turn.acquire(timeout=self.settings_dict["OPTIONS"]["timeout"]):
            raise OperationalError("database is locked")
        self._turn = turn
        try:
            super()._start_transaction_under_autocommit()
        except BaseException:
            self._give_turn()
            raise

    def _commit(self) -> Any:
        super()._commit()
        self._give_turn()

    def _rollback(self) -> Any:
        try:
            super()._rollback()
        finally:
            self._give_turn()

    def _close(self) -> Any:
        try:
            super()._close()
        finally:
            self._give_turn()

    def _give_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.release()
