"""The stream that tells a page which tables have changed, so that it fetches those cards again."""

import asyncio
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.db import close_old_connections, connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from ledger.errors import NotAllowed
from ledger.rights import require
from tables.live import hub

# Proxies cut a stream that is silent for long, and a page must learn within seconds that it is no longer live.
HEARTBEAT_SECONDS = 10


def _may_listen(request: HttpRequest) -> bool:
    try:
        require(request.user, "tables.read_tables")
    except NotAllowed:
        return False
    finally:
        # The page may stay open all night: its database connection goes back before the stream begins.
        close_old_connections()
        connections.close_all()
    return True


async def stream(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Answer `event: table-7` for every change at table session 7, and a comment every ten seconds."""
    if not await sync_to_async(_may_listen)(request):
        return HttpResponse(status=403)

    async def events() -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        async with hub.listen() as queue:
            while True:
                try:
                    session_id = await asyncio.wait_for(queue.get(), HEARTBEAT_SECONDS)
                    yield f"event: table-{session_id}\ndata: changed\n\n"
                except TimeoutError:
                    yield "event: heartbeat\ndata: here\n\n"

    response = StreamingHttpResponse(events(), content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response
