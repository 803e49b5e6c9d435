"""Sends every screen with an open stream in this process the changed pieces of its page.

A piece is made once for all with the same `Viewer` and put into each screen's box, where a newer one replaces
it. One task serves all streams, reads rights again at every heartbeat, and has pieces made in a thread.

No change is lost: the time of each table's last change is remembered from its commit, and a page says when it
was rendered, so later changes are sent when its stream opens. A screen the process cannot know enough about
is told to fetch everything (`BEHIND`). At each heartbeat rows are compared with what was last sent.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

import redis
import redis.asyncio
from django.conf import settings

from tables.live.breaker import breaker, call_options

HOUSE = 0
"""In place of a session id: something changed that concerns no table, or all of them."""
RIGHTS = -1
"""The same for people: somebody signed out, was let go or has other roles."""

# Proxies cut a silent stream, and a page must learn within seconds that it is not live.
HEARTBEAT_SECONDS = 10.0
HEARTBEAT, AWAY = "event: heartbeat\ndata: here\n\n", "event: away\ndata: silent\n\n"
# The page fetches everything; the stream ends because its reader's rights did, and is not reopened.
BEHIND, OVER = "event: behind\ndata: fetch\n\n", "event: over\ndata: over\n\n"
# Changes within this time are one message: a burst of verbs would make the same card many times.
INTERVAL_SECONDS = 0.2
# Pieces of the whole house are expensive, and nobody deals from them.
HOUSE_SECONDS = 2.0
# Failed pieces are tried again after this time.
AGAIN_SECONDS = 1.0
# Changes are remembered for this long; a page rendered earlier fetches everything.
LATELY_SECONDS = 3600.0
# How much the clocks of two web servers may differ.
SKEW_SECONDS = 1.0
# Open screens allowed for one session (a browser), and for one person.
OF_ONE_SESSION, OF_ONE_PERSON = 20, 120
# A Redis that is silent for this long is pinged, and has this long to answer.
SILENCE_SECONDS = 1.0
ANSWER_SECONDS = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Viewer:
    """A screen's page, reader and rights: equal ones get the same pieces.

    `session` is the page's table; `dealer` is set for a person who sees only their own table; `pk` for the
    reader of a page on which somebody may find what they asked for themselves; `language` is the page's.
    """

    page: str
    session: int | None = None
    rights: frozenset[str] = frozenset()
    dealer: int | None = None
    pk: int | None = None
    language: str = "en"

    def has_perm(self, right: str) -> bool:
        return right in self.rights


Told = Mapping[int, Mapping[str, str]]
"""The messages about each changed table, or the house: whole events of the stream by their names."""
Make = Callable[[Collection[int], Collection[Viewer], bool], Mapping[Viewer, Told]]
Overlooked = Callable[[], set[int]]
AskAgain = Callable[[Mapping[str, Collection[Viewer]]], Mapping[tuple[str, Viewer], Viewer | None]]


class Listener:
    """One screen: its reader, session, time of rendering, and box of messages."""

    def __init__(
        self, reader: Viewer, session_key: str, since: float = 0.0, *, person: int | None = None
    ) -> None:
        self.reader, self.session_key, self.since, self.person = reader, session_key, since, person
        self.late: set[int] = set()
        self._box: dict[str, str] = {}
        self._filled = asyncio.Event()
        self._ended = False

    def tell(self, messages: Mapping[str, str]) -> None:
        if messages:
            self._box.update(messages)
            self._filled.set()

    def end(self) -> None:
        self._ended = True
        self._filled.set()

    async def said(self) -> AsyncIterator[str]:
        while not self._ended or self._box:
            await self._filled.wait()
            self._filled.clear()
            text, self._box = "".join(self._box.values()), {}
            if text:
                yield text


def readers(listeners: Iterable[Listener]) -> set[Viewer]:
    return {listener.reader for listener in listeners}


def channel() -> str:
    """Return the channel of this house; another house on the same Redis has another mark."""
    return f"{settings.HOUSE_MARK}:tables"


class Hub:
    """The screens of this process.

    `make` makes pieces, `ask_again` reads rights, `overlooked` finds tables that differ from what was sent;
    they are called in a thread.
    """

    def __init__(
        self,
        make: Make | None = None,
        ask_again: AskAgain | None = None,
        overlooked: Overlooked | None = None,
    ) -> None:
        self.make, self.ask_again, self.overlooked = make, ask_again, overlooked
        self.hears = True
        self._hears_since = time.time()
        self.listeners: set[Listener] = set()
        self._works = True
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._pending: set[int] = set()
        self._for_house: set[int] = set()
        self._lately: dict[int, float] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def is_full(self) -> bool:
        return len(self.listeners) >= settings.LIVE_SCREENS

    def has_enough(self, session_key: str, person: int | None) -> bool:
        """Return whether this session, or this person, has as many screens open as allowed."""
        listeners = self.listeners.copy()
        return (
            sum(one.session_key == session_key for one in listeners) >= OF_ONE_SESSION
            or sum(one.person == person for one in listeners) >= OF_ONE_PERSON
        )

    def join(self, listener: Listener) -> None:
        """Add a screen, in the loop of its stream, which ends with `leave`."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._wake = loop, asyncio.Event()
        self.listeners.add(listener)
        if not self.hears or not self._works:
            listener.tell({"state": AWAY})
        if settings.REDIS_URL:
            listener.since -= SKEW_SECONDS
            self._run("redis", self._read_redis)
        oldest = time.time() - LATELY_SECONDS
        lately = self._lately = {pk: at for pk, at in self._lately.copy().items() if at > oldest}
        if listener.since < max(oldest, self._hears_since):
            listener.tell({"behind": BEHIND})
        else:
            listener.late = {pk for pk, at in lately.items() if at >= listener.since}
        if listener.late:
            self._for_house.add(HOUSE)
        if listener.late or not self._works:
            self._wake.set()
        self._run("work", self._work)

    def leave(self, listener: Listener) -> None:
        self.listeners.discard(listener)
        if not self.listeners and (work := self._tasks.pop("work", None)):
            work.cancel()

    def _run(self, name: str, work: Callable[[], Any]) -> None:
        task, loop = self._tasks.get(name), asyncio.get_running_loop()
        if task is None or task.done() or task.get_loop() is not loop:
            self._tasks[name] = loop.create_task(work())

    def changed(self, session_id: int) -> None:
        """Report, from any thread after the commit, a changed session, or HOUSE, or RIGHTS."""
        if session_id != RIGHTS:
            self._lately[session_id] = time.time()
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._collect, session_id)

    def _collect(self, session_id: int) -> None:
        self._pending.add(session_id)
        self._wake.set()

    def now_hears(self, hears: bool) -> None:
        """Tell every screen that it is not live, or is again and must fetch everything."""
        if hears:
            self._hears_since = time.time()
            for listener in self.listeners:
                listener.tell({"behind": BEHIND})
        if hears != self.hears:
            self.hears = hears
            self._say_state()

    def _say_state(self) -> None:
        state = {"state": HEARTBEAT if self.hears and self._works else AWAY}
        for listener in self.listeners:
            listener.tell(state)

    async def _work(self) -> None:
        """Wake for changes and heartbeats; failures are tried again, and screens are not live meanwhile."""
        clock = asyncio.get_running_loop().time
        beat, house, looked = clock() + HEARTBEAT_SECONDS, clock(), False
        self._wake.set()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(min(beat, house) if self._for_house else beat):
                    await self._wake.wait()
            if self._pending - {RIGHTS}:
                await asyncio.sleep(INTERVAL_SECONDS)
            self._wake.clear()
            pending, self._pending = self._pending, set()
            beats = clock() >= beat
            try:
                if beats or RIGHTS in pending:
                    await self._ask_rights()
                if self.overlooked is not None and (beats or not looked):
                    other = await asyncio.to_thread(self.overlooked)
                    if looked:  # the first look only records
                        pending |= other
                        self._lately |= dict.fromkeys(other, time.time())
                    looked = True
                await self._tell_of_tables(pending - {RIGHTS, HOUSE})
                self._for_house |= pending - {RIGHTS}
                if self._for_house and clock() >= house:
                    await self._tell_of_house()
                    house = clock() + HOUSE_SECONDS
            except Exception as error:
                self._pending |= pending | {RIGHTS, HOUSE}
                await self._failed(error)
                continue
            if beats or not self._works:
                self._works, beat = True, clock() + HEARTBEAT_SECONDS
                self._say_state()

    async def _failed(self, error: Exception) -> None:
        if self._works:
            log.warning("Screens are not told what happens: %s: %s", type(error).__name__, error)
        self._works = False
        self._say_state()
        self._wake.set()
        await asyncio.sleep(AGAIN_SECONDS)

    async def _ask_rights(self) -> None:
        by_key: dict[str, set[Viewer]] = {}
        for listener in self.listeners:
            by_key.setdefault(listener.session_key, set()).add(listener.reader)
        if self.ask_again is None or not by_key:
            return
        now = await asyncio.to_thread(self.ask_again, by_key)
        for listener in list(self.listeners):
            reader = now.get((listener.session_key, listener.reader), listener.reader)
            if reader is None:
                listener.tell({"state": OVER})
                listener.end()
                self.leave(listener)
            elif reader != listener.reader:
                listener.reader = reader
                listener.tell({"behind": BEHIND})

    async def _tell_of_tables(self, changed: Collection[int]) -> None:
        """Have the pieces made that open screens need, and put them into their boxes."""
        late = {one: one.late for one in self.listeners}
        wanted = set(changed).union(*late.values()) - {HOUSE}
        if self.make is None or not wanted:
            return
        told = await asyncio.to_thread(self.make, wanted, readers(late), False)
        for one, missed in late.items():
            for pk, messages in told.get(one.reader, {}).items():
                # Also the main games whose next player comes from a changed table.
                if (
                    pk not in wanted
                    or pk in missed
                    or (pk in changed and self._lately.get(pk, one.since) >= one.since)
                ):
                    one.tell(messages)
            one.late = one.late - missed

    async def _tell_of_house(self) -> None:
        changed, self._for_house = (
            self._for_house,
            set(),
        )  # screens that join meanwhile are told the next time
        screens = list(self.listeners)
        if self.make is not None and screens:
            messages = await asyncio.to_thread(self.make, changed, readers(screens), True)
            for one in screens:
                one.tell(messages.get(one.reader, {}).get(HOUSE, {}))

    async def _read_redis(self) -> None:
        while not _is_cancelled():
            client = redis.asyncio.from_url(settings.REDIS_URL, **call_options())
            try:
                async with client, client.pubsub(ignore_subscribe_messages=True) as pubsub:
                    await pubsub.subscribe(channel())
                    message = await _answer(pubsub)
                    breaker.worked()
                    self.now_hears(True)
                    while not _is_cancelled():
                        if message["type"] == "message":
                            self.changed(int(message["data"]))
                        message = await pubsub.get_message(timeout=SILENCE_SECONDS) or await _answer(pubsub)
            except (redis.RedisError, OSError, TimeoutError):
                breaker.failed()
                self.now_hears(False)
                await asyncio.sleep(1)


def _is_cancelled() -> bool:
    """Return whether this task must end: the Redis client may swallow a cancellation."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _answer(pubsub: Any) -> dict[str, Any]:
    """Ping Redis, and return its next message. Raises TimeoutError if it is silent."""
    await pubsub.ping()
    async with asyncio.timeout(ANSWER_SECONDS):
        while True:
            message: dict[str, Any] | None = await pubsub.get_message(timeout=ANSWER_SECONDS)
            if message is not None:
                return message


def event(name: str, lines: Iterable[str], number: str = "") -> str:
    """Return an event of the stream with this data, and with its number if given."""
    data = "".join(f"data: {line}\n" for line in lines)
    numbered = f"id: {number}\n" if number else ""
    return f"event: {name}\n{numbered}{data}\n"


hub = Hub()


LISTENER = "tables.live.listener"
"""The key of a scope under which a view leaves the listener that is to join the hub."""
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]


class Streams:
    """The ASGI application around Django's. Django would keep a thread until an answer ends: the view leaves
    its listener in the scope, and this delays the end until the listener ends or its screen is gone."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        async def until_end(message: Message) -> None:
            if LISTENER not in scope or message["type"] != "http.response.body" or message.get("more_body"):
                await send(message)

        try:
            await self.app(scope, receive, until_end)
            if LISTENER in scope:
                hub.join(scope[LISTENER])
                await _go_on(scope[LISTENER], receive, send)
        finally:
            if LISTENER in scope:
                hub.leave(scope[LISTENER])


async def _go_on(listener: Listener, receive: Receive, send: Send) -> None:
    async def until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        listener.end()

    watching = asyncio.create_task(until_gone())
    try:
        async for text in listener.said():
            await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        watching.cancel()
