"""Django at its ASGI door, with one thread for each request, from the first middleware to the last: acts before pages.

Django itself goes from its loop to a thread and back for every middleware that is not async, some forty times for each
request, and makes a new thread, with a new connection to the database, for each. Here a request crosses once, into threads
that stay. Only so many of them show pages, so that an act finds a free one however many boards are being loaded.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from asgiref.sync import sync_to_async
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import close_old_connections, connections
from django.http import FileResponse
from django.http.response import StreamingHttpResponse
from django.urls import set_script_prefix

PAGES = 4
"""So many pages are made at once. More would not be sooner: they share one interpreter."""
ACTS = 12
"""So many acts at once beside them. The pool of connections is larger than both together (DATABASES)."""
FIRST = ("/api/", "/healthz", "/static/")
"""What is only read here goes with the acts: a dealer waits for it, or it takes next to nothing."""
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class Answering(ASGIHandler):
    """The handler of all requests of one process."""

    def __init__(self) -> None:
        super().__init__()
        threads = ThreadPoolExecutor(ACTS + PAGES, thread_name_prefix="request")
        self._in_thread = sync_to_async(self._answer, thread_sensitive=False, executor=threads)
        self._pages = asyncio.Semaphore(PAGES)

    def load_middleware(self, is_async: bool = False) -> None:
        """Make the chain of middlewares one of plain calls; Django would have it async here."""
        super().load_middleware(is_async=False)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a request, have it answered in its turn, and send the answer."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        async with contextlib.nullcontext() if is_first(scope) else self._pages:
            response = await self._in_thread(scope, body)
        if response.streaming:
            await self._stream(response, receive, send)
        else:
            await self.send_response(response, send)

    def _answer(self, scope: Scope, body: IO[bytes]) -> Any:
        """All that Django does for a request, in one thread. What streams is closed by `_stream`."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=type(self), scope=scope)
        with body:
            request, refused = self.create_request(scope, body)
            response: Any = refused if request is None else self.get_response(request)
        response._handler_class = type(self)
        if not response.streaming:
            response.close()
        else:
            close_old_connections()  # what it still reads, it reads in a thread of its own
            if isinstance(response, FileResponse):
                response.block_size = self.chunk_size
        return response

    async def _stream(self, response: StreamingHttpResponse, receive: Receive, send: Send) -> None:
        """Send what comes, to its end or until nobody hears it any more; Django's context has a thread for it."""
        if not response.is_async:  # Django would gather all of it before it sends any
            response.streaming_content = _piece_by_piece(response.streaming_content)
        sending = asyncio.create_task(self.send_response(response, send))
        leaving = asyncio.create_task(self.listen_for_disconnect(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            leaving.cancel()
            sent, _ = await asyncio.gather(sending, leaving, return_exceptions=True)
            await sync_to_async(_end)(response)
        if isinstance(sent, Exception):
            raise sent


async def _piece_by_piece(pieces: Any) -> AsyncIterator[bytes]:
    """The same pieces, each made in the thread where the response is closed as well, whoever ends it."""
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece


def _end(response: StreamingHttpResponse) -> None:
    """Close a stream, and the connections of its thread, which ends with it."""
    try:
        response.close()
    finally:
        connections.close_all()


def is_first(scope: Scope) -> bool:
    """Whether a request waits for no page."""
    return scope["method"] not in ("GET", "HEAD", "OPTIONS") or scope["path"].startswith(FIRST)
