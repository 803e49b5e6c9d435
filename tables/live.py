"""Notify open screens that a table has changed. The message never says what changed, so nothing depends on it.

`publish` is called inside a transaction and sends after the commit; this process's screens listen to `hub`.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator

import redis
import redis.asyncio
from django.conf import settings
from django.db import transaction

CHANNEL = "casino:tables"
QUEUE_LENGTH = 100
HOUSE = 0
"""Sent in place of a session id: something changed that concerns no table, or all of them."""
# One event per table and interval, or a burst of verbs makes every screen fetch the same card many times.
INTERVAL_SECONDS = 0.25

log = logging.getLogger(__name__)


class Hub:
    """Passes the ids of changed sessions to every screen that this process serves."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._queues: set[asyncio.Queue[int]] = set()
        self._pending: set[int] = set()
        self._reader: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def listen(self) -> AsyncIterator[asyncio.Queue[int]]:
        """Yield a queue that receives the ids of changed sessions while the screen is open."""
        self._loop = asyncio.get_running_loop()
        if settings.REDIS_URL and (self._reader is None or self._reader.done()):
            self._reader = self._loop.create_task(self._read_redis())
        queue: asyncio.Queue[int] = asyncio.Queue(QUEUE_LENGTH)
        self._queues.add(queue)
        try:
            yield queue
        finally:
            self._queues.discard(queue)

    def changed(self, session_id: int) -> None:
        """Report, from any thread, that the session changed."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._collect, session_id)

    def _collect(self, session_id: int) -> None:
        if session_id not in self._pending:
            self._pending.add(session_id)
            asyncio.get_running_loop().call_later(INTERVAL_SECONDS, self._fan_out, session_id)

    def _fan_out(self, session_id: int) -> None:
        self._pending.discard(session_id)
        for queue in self._queues:
            # A screen too slow to read a hundred messages will fetch everything at its next poll.
            with contextlib.suppress(asyncio.QueueFull):
                queue.put_nowait(session_id)

    async def _read_redis(self) -> None:
        while True:
            try:
                client = redis.asyncio.from_url(settings.REDIS_URL)
                async with client, client.pubsub(ignore_subscribe_messages=True) as pubsub:
                    await pubsub.subscribe(CHANNEL)
                    async for message in pubsub.listen():
                        self._collect(json.loads(message["data"])["session"])
            except (redis.RedisError, OSError):
                log.warning("Redis is unreachable; screens poll until it is back")
                await asyncio.sleep(1)


hub = Hub()


def announce(session_id: int) -> None:
    """Notify the screens at once; for callers outside a transaction."""
    if settings.REDIS_URL:
        with redis.from_url(settings.REDIS_URL) as client:
            client.publish(CHANNEL, json.dumps({"session": session_id}))
    else:
        hub.changed(session_id)


def publish(session_id: int) -> None:
    """Notify the screens once the current transaction has committed. If Redis is unreachable, nothing breaks."""
    transaction.on_commit(lambda: announce(session_id), robust=True)
