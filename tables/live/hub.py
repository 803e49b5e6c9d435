"""Passes on, in one process, which tables have changed: to every screen that has its stream open here."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import redis
import redis.asyncio
from django.conf import settings

from tables.live.breaker import breaker, call_options

QUEUE_LENGTH = 100
STATE = -1
"""In place of a session id: whether this process hears the others has changed (`Hub.hears`)."""
# One event per table and interval, or a burst of verbs makes every screen fetch the same card many times.
INTERVAL_SECONDS = 0.25
# A Redis that is silent for so long is asked whether it is there, and has so long to answer.
SILENCE_SECONDS = 1.0
ANSWER_SECONDS = 1.0


def channel() -> str:
    """Return the channel of this house: another one on the same Redis has another mark."""
    return f"{settings.HOUSE_MARK}:tables"


class Hub:
    """Passes the ids of changed sessions to every screen that this process serves."""

    def __init__(self) -> None:
        self.hears = True
        self._loop: asyncio.AbstractEventLoop | None = None
        self._queues: set[asyncio.Queue[int]] = set()
        self._pending: set[int] = set()
        self._reader: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def listen(self) -> AsyncIterator[asyncio.Queue[int]]:
        """Yield a queue that receives the ids of changed sessions while the screen is open."""
        loop = asyncio.get_running_loop()
        # What waited on another loop, which has ended, would hold back its table for ever.
        if loop is not self._loop:
            self._loop, self._pending = loop, set()
        if settings.REDIS_URL and (self._reader is None or self._reader.done()):
            self._reader = loop.create_task(self._read_redis())
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

    def _now_hears(self, hears: bool) -> None:
        """Tell every screen at once that it is not live any more, or is again and has to fetch everything."""
        if hears != self.hears:
            self.hears = hears
            self._fan_out(STATE)

    async def _read_redis(self) -> None:
        while True:
            client = redis.asyncio.from_url(settings.REDIS_URL, **call_options())
            try:
                async with client, client.pubsub(ignore_subscribe_messages=True) as pubsub:
                    await pubsub.subscribe(channel())
                    message = await _answer(pubsub)
                    breaker.worked()
                    self._now_hears(True)
                    while True:
                        if message["type"] == "message":
                            self._collect(int(message["data"]))
                        message = await pubsub.get_message(timeout=SILENCE_SECONDS) or await _answer(pubsub)
            except (redis.RedisError, OSError, TimeoutError):
                breaker.failed()
                self._now_hears(False)
                await asyncio.sleep(1)


async def _answer(pubsub: Any) -> dict[str, Any]:
    """Ask Redis whether it is there; return what it says next. Raises TimeoutError if it is silent."""
    await pubsub.ping()
    async with asyncio.timeout(ANSWER_SECONDS):
        while True:
            message: dict[str, Any] | None = await pubsub.get_message(timeout=ANSWER_SECONDS)
            if message is not None:
                return message


hub = Hub()
