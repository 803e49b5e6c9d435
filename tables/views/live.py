"""The stream that tells a page which tables have changed, so that it fetches those cards again."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from asgiref.sync import sync_to_async
from django.contrib.auth import get_user
from django.db import close_old_connections, connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from ledger.errors import NotAllowed
from ledger.rights import require
from tables.live.hub import STATE, hub
from tables.live.idle import is_over
from tables.rights import READ_TABLES
from tables.rounds.pushes import only_deals, own_tables

# Proxies cut a stream that is silent for long, and a page must learn within seconds that it is no longer live.
HEARTBEAT_SECONDS = 10
HEARTBEAT, AWAY = "event: heartbeat\ndata: here\n\n", "event: away\ndata: silent\n\n"


def _may_hear(request: HttpRequest) -> set[int] | None:
    """The tables whose changes this person is told: all (None), or of a dealer the own one. Raises NotAllowed."""
    with _given_back():
        require(request.user, READ_TABLES)
        own = only_deals(request.user)
        return {session.pk for session in own_tables(request.user)} if own else None


def _still_hears(request: HttpRequest) -> bool:
    """Whether whoever opened the stream is still signed in, not idle for too long, works here and may read tables: read
    afresh, not remembered. That the stream is open is nothing that they do."""
    with _given_back():
        session = type(request.session)(request.session.session_key)
        if is_over(session, time.time()):
            return False
        asked = HttpRequest()
        asked.session = session
        person = get_user(asked)
        return person.is_active and person.has_perm(READ_TABLES)


@contextmanager
def _given_back() -> Iterator[None]:
    """Give the database connection back: the page may stay open all night."""
    try:
        yield
    finally:
        close_old_connections()
        connections.close_all()


async def stream(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Answer `event: table-7` for every change at table session 7, and a heartbeat every ten seconds.

    At each heartbeat the rights are read again, and the stream ends for somebody who was let go, signed out (also elsewhere),
    lost the role or has been idle for too long.
    While this process hears nothing from the others, `event: away` comes at once and in place of the heartbeats.

    A dealer hears of the table that was theirs when the page was loaded, also that they are pushed out of it.
    """
    try:
        heard = await sync_to_async(_may_hear)(request)
    except NotAllowed as refusal:
        return HttpResponse(status=refusal.status)

    async def events() -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        async with hub.listen() as queue:
            if not hub.hears:
                yield AWAY
            clock = asyncio.get_running_loop().time
            due = clock() + HEARTBEAT_SECONDS
            while True:
                try:
                    async with asyncio.timeout_at(due):
                        session_id = await queue.get()
                except TimeoutError:
                    session_id, due = STATE, clock() + HEARTBEAT_SECONDS
                    if not await sync_to_async(_still_hears)(request):
                        return
                if session_id == STATE:
                    yield HEARTBEAT if hub.hears else AWAY
                elif heard is None or session_id in heard:
                    yield f"event: table-{session_id}\ndata: changed\n\n"

    response = StreamingHttpResponse(events(), content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response
