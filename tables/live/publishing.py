"""Tell all processes that a table has changed: after the commit, and never in the thread of the act.

A message that cannot be sent is dropped: screens that hear again fetch everything.
"""

import contextlib
import os
import queue
import threading

import redis
from django.conf import settings
from django.db import transaction

from tables.live.breaker import breaker, call_options
from tables.live.hub import channel, hub

HOUSE = 0
"""Sent in place of a session id: something changed that concerns no table, or all of them."""
MOST_WAITING = 1000


class Publisher:
    """Sends in a thread of its own, which begins with the first message; a process that was forked begins another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun_in = 0
        self._waiting: queue.Queue[int] = queue.Queue(MOST_WAITING)

    def send(self, session_id: int) -> None:
        """Have it sent, and return at once."""
        with self._lock:
            if self._begun_in != os.getpid():
                self._begun_in, self._waiting = os.getpid(), queue.Queue(MOST_WAITING)
                args = (self._waiting, channel())
                threading.Thread(target=_send_all, args=args, name="publisher", daemon=True).start()
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait(session_id)


def _send_all(waiting: queue.Queue[int], to: str) -> None:
    client = redis.from_url(settings.REDIS_URL, **call_options())
    while True:
        session_ids = {waiting.get()}
        with contextlib.suppress(queue.Empty):
            while True:
                session_ids.add(waiting.get_nowait())
        with contextlib.suppress(redis.RedisError), breaker.call():
            for session_id in session_ids:
                client.publish(to, session_id)


publisher = Publisher()


def announce(session_id: int) -> None:
    """Notify the screens at once; for callers outside a transaction."""
    if settings.REDIS_URL:
        publisher.send(session_id)
    else:
        hub.changed(session_id)


def publish(session_id: int) -> None:
    """Notify the screens once the current transaction has committed; nothing waits for it, and nothing breaks."""
    transaction.on_commit(lambda: announce(session_id), robust=True)
