"""Django's ASGI handler with one thread per request: acts before pages, and signed-in people before
strangers.

Django itself switches between loop and thread some forty times a request, once for each synchronous
middleware, and makes a new thread with a new database connection each time. Here a request enters one of a
fixed set of threads once. Each lane (`lanes.py`) has its own threads, so an act finds a free one however many
boards are loading or strangers sign in, and a file or `/healthz/alive` while others wait for the database.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import IO, Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import close_old_connections, connections
from django.http import FileResponse, HttpResponse, parse_cookie
from django.http.response import StreamingHttpResponse
from django.urls import set_script_prefix

from casino.serving import faults
from casino.serving.database_watch import DatabaseAway, watch
from casino.serving.lanes import HAMMERS, Full, Lane, Sender, Strangers
from casino.sign_in import asking, hashing
from tables.state import locks

PAGES = 4
"""Pages made at once. More would not be faster: they share one interpreter."""
ACTS = 12
STRANGERS, STRANGERS_WAIT = 2, 16
"""Strangers' requests served at once, and waiting: some five seconds of sign-ins."""
LIGHT, LIGHT_WAIT = 2, 500
"""Files and liveness checks: cheap, and without database."""
HELD_SECONDS = 1.0
"""Delay of refusals to addresses that send many requests; refused at once, they would retry faster."""
LOOK_SECONDS = 0.25
"""Interval at which a waiting request checks whether the database went away."""
FIRST = "/api/"
"""Reads here go with the acts: dealers wait for them."""
AT_THE_DOOR = ("/sign-in/", "/set-up/")
"""Requests here are strangers', with or without a session: they check a password, PIN, code or token."""
HEALTH = ("/healthz", "/healthz/ready", "/healthz/well")
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class Answering(ASGIHandler):
    def __init__(self) -> None:
        super().__init__()
        self._light = Lane("light", LIGHT, room=LIGHT_WAIT)
        self._health = Lane("health", 1, room=LIGHT_WAIT)
        self._door = Lane(
            "stranger", STRANGERS, room=STRANGERS_WAIT, patience=0, in_thread=hashing.serve_strangers
        )
        self._pages = Lane("page", PAGES, patience=0)
        self._acts = Lane(
            "act", ACTS, patience=settings.BUSY_SECONDS, in_thread=locks.limit_waiting_at_one_table
        )
        self._strangers = Strangers()

    def load_middleware(self, is_async: bool = False) -> None:
        """Load all middleware as plain calls; Django would adapt it to async here."""
        super().load_middleware(is_async=False)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request in its turn, or refuse it if there is no room or no database."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        lane, sender = self._lane_of(scope)
        try:
            response = await self._answered(lane, sender, scope, body)
        except Full:
            if sender.rank == HAMMERS:
                await asyncio.sleep(HELD_SECONDS)
            response = faults.refusal(scope["path"], faults.CROWDED)
        except DatabaseAway:
            response = faults.refusal(scope["path"], faults.AWAY)
        if response.streaming:
            await self._stream(response, receive, send)
        else:
            await self.send_response(response, send)

    def _lane_of(self, scope: Scope) -> tuple[Lane, Sender]:
        """Return the lane of a request, and its sender as far as known without asking the database."""
        path, client = scope["path"], scope.get("client")
        address = client[0] if client else ""
        if path.startswith(settings.STATIC_URL) or path == "/healthz/alive":
            return self._light, Sender(0, address)
        if path in HEALTH:
            return self._health, Sender(0, address)
        cookies = parse_cookie(dict(scope["headers"]).get(b"cookie", b"").decode("latin-1"))
        key = cookies.get(settings.SESSION_COOKIE_NAME, "")
        if path.startswith(AT_THE_DOOR) or not asking.is_of_somebody(key):
            return self._door, self._strangers.sender(cookies, address)
        return self._acts if is_first(scope) else self._pages, Sender(0, key)

    async def _answered(self, lane: Lane, sender: Sender, scope: Scope, body: IO[bytes]) -> Any:
        """Wait for a thread, then for the answer; what has begun completes. Raises Full, DatabaseAway."""
        if lane.patience is not None and watch.away:
            raise DatabaseAway
        place = lane.place(sender)
        try:
            await _unless_away(place, lane)
        except DatabaseAway:
            lane.leave(sender, place)
            raise
        answering = lane.begin(self._answer, scope, body, lane is self._door)
        try:
            return await _unless_away(answering, lane)
        except DatabaseAway:
            answering.add_done_callback(_thrown_away)
            raise

    def _answer(self, scope: Scope, body: IO[bytes], from_stranger: bool) -> Any:
        """Run all of Django for a request in one thread. `_stream` closes streaming responses."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=type(self), scope=scope)
        if from_stranger:
            self._strangers.read_terminals()
        with body:
            request, refused = self.create_request(scope, body)
            response: Any = refused if request is None else self.get_response(request)
        if not response.streaming:
            response.close()
        else:
            close_old_connections()  # the stream reads in a thread of its own
            if isinstance(response, FileResponse):
                response.block_size = self.chunk_size
        return response

    async def _stream(self, response: StreamingHttpResponse, receive: Receive, send: Send) -> None:
        """Send a stream until it ends or the client leaves, in a thread of its own."""
        if not response.is_async:  # Django would collect all of it before sending
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


async def _unless_away(waiting: asyncio.Future[Any], lane: Lane) -> Any:
    """Return the result, or raise DatabaseAway once the database is away longer than this lane waits."""
    while not (await asyncio.wait((waiting,), timeout=LOOK_SECONDS))[0]:
        if lane.patience is not None and watch.away_seconds > lane.patience:
            raise DatabaseAway
    return waiting.result()


def _thrown_away(answering: asyncio.Future[Any]) -> None:
    if not answering.cancelled() and answering.exception() is None:
        response: HttpResponse | StreamingHttpResponse = answering.result()
        if response.streaming:
            response.close()


async def _piece_by_piece(pieces: Any) -> AsyncIterator[bytes]:
    """Make each piece in the thread that also closes the response."""
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece


def _end(response: StreamingHttpResponse) -> None:
    try:
        response.close()
    finally:
        connections.close_all()


def is_first(scope: Scope) -> bool:
    return scope["method"] not in ("GET", "HEAD", "OPTIONS") or scope["path"].startswith(FIRST)
