"""Django at its ASGI door, with one thread for each request, from the first middleware to the last: acts before pages, and nobody
who is signed in behind strangers.

Django itself goes from its loop to a thread and back for every middleware that is not async, some forty times for each
request, and makes a new thread, with a new connection to the database, for each. Here a request crosses once, into threads
that stay. Each lane has its own (`lanes.py`), so an act finds a free one however many boards are being loaded or strangers
sign in, and a file or `/healthz/alive` finds one while all others wait for a database.
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
from casino.sign_in import hashing, session_keys
from tables.state import locks

PAGES = 4
"""So many pages are made at once. More would not be sooner: they share one interpreter."""
ACTS = 12
"""So many acts at once beside them."""
STRANGERS, STRANGERS_WAIT = 2, 16
"""So many requests of people who are not signed in at once, and so many that wait: some five seconds of signing in."""
LIGHT, LIGHT_WAIT = 2, 500
"""Files and signs of life, which take next to nothing and ask no database."""
HELD_SECONDS = 1.0
"""So long an address from which many come waits for being refused. Others hear at once; these would come again at once, and the
server would do nothing else than refuse them."""
LOOK_SECONDS = 0.25
"""So often whoever waits looks whether the database has gone away meanwhile."""
FIRST = "/api/"
"""What is only read here goes with the acts: a dealer waits for it."""
AT_THE_DOOR = ("/sign-in/", "/set-up/")
"""Here everybody is a stranger: a password, PIN, code or token is judged."""
HEALTH = ("/healthz", "/healthz/ready", "/healthz/well")
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class Answering(ASGIHandler):
    """The handler of all requests of one process."""

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
        """Make the chain of middlewares one of plain calls; Django would have it async here."""
        super().load_middleware(is_async=False)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a request, have it answered in its turn, and send the answer; or one that there is no room, or no database."""
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
        """Where a request is answered, and who sends it as far as that can be told without asking the database."""
        path, client = scope["path"], scope.get("client")
        address = client[0] if client else ""
        if path.startswith(settings.STATIC_URL) or path == "/healthz/alive":
            return self._light, Sender(0, address)
        if path in HEALTH:
            return self._health, Sender(0, address)
        cookies = parse_cookie(dict(scope["headers"]).get(b"cookie", b"").decode("latin-1"))
        key = cookies.get(settings.SESSION_COOKIE_NAME, "")
        if path.startswith(AT_THE_DOOR) or not session_keys.is_of_somebody(key):
            return self._door, self._strangers.sender(cookies, address)
        return self._acts if is_first(scope) else self._pages, Sender(0, key)

    async def _answered(self, lane: Lane, sender: Sender, scope: Scope, body: IO[bytes]) -> Any:
        """Wait for a thread, then for the answer. Raises Full, and DatabaseAway once it is away for longer than the lane bears;
        what is being done then is done all the same, and its answer thrown away."""
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
        """All that Django does for a request, in one thread. What streams is closed by `_stream`."""
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


async def _unless_away(waiting: asyncio.Future[Any], lane: Lane) -> Any:
    """What comes of it, unless the database is away for longer than those in this lane wait (DatabaseAway)."""
    while not (await asyncio.wait((waiting,), timeout=LOOK_SECONDS))[0]:
        if lane.patience is not None and watch.away_seconds > lane.patience:
            raise DatabaseAway
    return waiting.result()


def _thrown_away(answering: asyncio.Future[Any]) -> None:
    """Close an answer that nobody waits for any more."""
    if not answering.cancelled() and answering.exception() is None:
        response: HttpResponse | StreamingHttpResponse = answering.result()
        if response.streaming:
            response.close()


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
