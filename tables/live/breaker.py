"""Redis may be away or silent: no call waits long, and after a failure calls pause.

An outage is two log lines: its beginning and its end.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

TIMEOUT_SECONDS = 0.2
PAUSE_SECONDS = 1.0

log = logging.getLogger(__name__)


def call_options() -> dict[str, Any]:
    """Return the options of every Redis connection that an act or a page could wait for."""
    retry = Retry(NoBackoff(), 0)
    return {"socket_timeout": TIMEOUT_SECONDS, "socket_connect_timeout": TIMEOUT_SECONDS, "retry": retry}


class Breaker:
    """Says whether Redis may be called; one for each process, since an outage affects all its callers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._away = False
        self._next_try = 0.0

    @property
    def away(self) -> bool:
        """Whether the last call to Redis failed."""
        return self._away

    def may_call(self) -> bool:
        """Return whether to call now: during an outage, one caller in each pause tries."""
        with self._lock:
            now = time.monotonic()
            if self._away and now < self._next_try:
                return False
            self._next_try = now + PAUSE_SECONDS
            return True

    def failed(self) -> None:
        with self._lock:
            began, self._away = not self._away, True
            self._next_try = time.monotonic() + PAUSE_SECONDS
        if began:
            log.warning("Redis does not answer: play goes on and is recorded, screens are told late")

    def worked(self) -> None:
        with self._lock:
            ended, self._away = self._away, False
        if ended:
            log.warning("Redis answers again")

    @contextlib.contextmanager
    def call(self) -> Iterator[None]:
        """Call Redis inside the block. Raises `redis.RedisError` on failure, and at once in an outage."""
        if not self.may_call():
            raise redis.ConnectionError("Redis did not answer a moment ago.")
        try:
            yield
        except (redis.RedisError, OSError) as error:
            self.failed()
            raise redis.ConnectionError(str(error)) from error
        self.worked()


breaker = Breaker()
