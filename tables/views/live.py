"""The stream that tells a page which tables have changed, so that it fetches those cards again."""

import asyncio
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.db import close_old_connections, connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from ledger.errors import NotAllowed
from ledger.rights import require
from tables.live.hub import STATE, hub
from tables.rights import READ_TABLES
from tables.rounds.pushes import only_deals, own_tables

# Proxies cut a stream that is silent for long, and a page must learn within seconds that it is no longer live.
HEARTBEAT_SECONDS = 10
HEARTBEAT, AWAY = "event: heartbeat\ndata: here\n\n", "event: away\ndata: silent\n\n"


def _may_hear(request: HttpRequest) -> set[int] | None:
    """The tables whose changes this person is told: all (None), or of a dealer the own one. Raises NotAllowed."""
    try:
        require(request.user, READ_TABLES)
        own = only_deals(request.user)
        return {session.pk for session in own_tables(request.user)} if own else None
    finally:
        # The page may stay open all night: its database connection goes back before the stream begins.
        close_old_connections()
        connections.close_all()


async def stream(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Answer `event: table-7` for every change at table session 7, and a heartbeat every ten seconds.

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
            while True:
                try:
                    session_id = await asyncio.wait_for(queue.get(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    session_id = STATE
                if session_id == STATE:
                    yield HEARTBEAT if hub.hears else AWAY
                elif heard is None or session_id in heard:
                    yield f"event: table-{session_id}\ndata: changed\n\n"

    response = StreamingHttpResponse(events(), content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response
