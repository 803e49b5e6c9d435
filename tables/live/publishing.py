"""Tell all processes that a table has changed: after the commit, never in the act's thread.

What cannot be sent is tried again.
"""

import contextlib
import os
import queue
import threading

import redis
from django.conf import settings
from django.db import transaction

from tables.live.breaker import PAUSE_SECONDS, breaker, call_options
from tables.live.hub import channel, hub


class Publisher:
    """Sends in its own thread, started with the first message, also in a forked process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun_in = 0
        self._waiting: queue.SimpleQueue[int] = queue.SimpleQueue()

    def send(self, session_id: int) -> None:
        with self._lock:
            if self._begun_in != os.getpid():
                self._begun_in, self._waiting = os.getpid(), queue.SimpleQueue()
                args = (self._waiting, channel())
                threading.Thread(target=_send_all, args=args, name="publisher", daemon=True).start()
        self._waiting.put(session_id)


def _send_all(waiting: queue.SimpleQueue[int], to: str) -> None:
    client = redis.from_url(settings.REDIS_URL, **call_options())
    unsent: set[int] = set()
    while True:
        with contextlib.suppress(queue.Empty):
            unsent.add(waiting.get(timeout=PAUSE_SECONDS if unsent else None))
            while True:
                unsent.add(waiting.get_nowait())
        with contextlib.suppress(redis.RedisError), breaker.call():
            for session_id in unsent:
                client.publish(to, session_id)
            unsent.clear()


publisher = Publisher()


def announce(session_id: int) -> None:
    """Notify the screens at once; for callers outside a transaction."""
    if settings.REDIS_URL:
        publisher.send(session_id)
    else:
        hub.changed(session_id)


def publish(session_id: int) -> None:
    """Notify the screens after the commit; nothing waits for it, and nothing fails with it."""
    transaction.on_commit(lambda: announce(session_id), robust=True)
