"""Tells every screen that has its stream open in this process what has changed: the pieces of its page, as they are now.

A piece is made once for all who see the same of it (`Viewer`) and laid into each screen's box. A screen that is slow to
take what is in its box finds the newest piece there, not all that came before. Streams have no thread each: one task wakes
for all of them, asks the rights of their people again at every heartbeat, and has pieces made in a thread.

No change is lost on the way to a screen. When each table changed last is remembered from the moment of the commit, also while
nobody listens, and a page says when it was asked for: whatever changed after that is sent to it when its stream opens, and one
that this process cannot know so much about is told to fetch everything (`BEHIND`). So is every screen once the process hears
the others again. At each heartbeat the rows are compared with what was last sent of them, so a message that never came, from a
process that was killed, costs seconds.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
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

# Proxies cut a stream that is silent for long, and a page must learn within seconds that it is no longer live.
HEARTBEAT_SECONDS = 10.0
HEARTBEAT, AWAY = "event: heartbeat\ndata: here\n\n", "event: away\ndata: silent\n\n"
# The page fetches everything; and the stream is over because its reader may hear no more, so the page does not ask again.
BEHIND, OVER = "event: behind\ndata: fetch\n\n", "event: over\ndata: over\n\n"
# What happens within this time is one message, or a burst of verbs makes the same card many times.
INTERVAL_SECONDS = 0.2
# What is made of the whole house is made this seldom: it costs much, and nobody deals from it.
HOUSE_SECONDS = 2.0
# What could not be made is tried again after this time.
AGAIN_SECONDS = 1.0
# So long it is remembered when a table changed; a page that was made before fetches everything.
LATELY_SECONDS = 3600.0
# By so much the clocks of two web servers may differ.
SKEW_SECONDS = 1.0
# So many screens may one session have open, which is one browser, and one person in all of theirs.
OF_ONE_SESSION, OF_ONE_PERSON = 20, 120
# A Redis that is silent for so long is asked whether it is there, and has so long to answer.
SILENCE_SECONDS = 1.0
ANSWER_SECONDS = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Viewer:
    """What page a screen shows and what its reader may do: whoever has the same is told the same.

    `session` is the table whose page it is. `dealer` is set for somebody who may see only the table where they deal.
    """

    page: str
    session: int | None = None
    rights: frozenset[str] = frozenset()
    dealer: int | None = None

    def has_perm(self, right: str) -> bool:
        """Whether this reader has a right, as of a person."""
        return right in self.rights


Told = Mapping[int, Mapping[str, str]]
"""The messages about each changed table, or the house: whole events of the stream by their names."""
Make = Callable[[Collection[int], Collection[Viewer], bool], Mapping[Viewer, Told]]
Overlooked = Callable[[], set[int]]
AskAgain = Callable[[Mapping[str, Collection[Viewer]]], Mapping[tuple[str, Viewer], Viewer | None]]


class Listener:
    """One screen: who reads it, by which session, when its page was asked for, and the box of what it has not taken yet."""

    def __init__(
        self, reader: Viewer, session_key: str, since: float = 0.0, *, person: int | None = None
    ) -> None:
        self.reader, self.session_key, self.since, self.person = reader, session_key, since, person
        self.late: set[int] = set()
        self._box: dict[str, str] = {}
        self._filled = asyncio.Event()
        self._ended = False

    def tell(self, messages: Mapping[str, str]) -> None:
        """Lay messages into the box, each in the place of the last of its name."""
        if messages:
            self._box.update(messages)
            self._filled.set()

    def end(self) -> None:
        """Let the stream end once it has said what is in the box."""
        self._ended = True
        self._filled.set()

    async def said(self) -> AsyncIterator[str]:
        """What is to be sent, whenever there is something, until the end."""
        while not self._ended or self._box:
            await self._filled.wait()
            self._filled.clear()
            text, self._box = "".join(self._box.values()), {}
            if text:
                yield text


def readers(listeners: Iterable[Listener]) -> set[Viewer]:
    """Return who reads these screens, each kind once."""
    return {listener.reader for listener in listeners}


def channel() -> str:
    """Return the channel of this house: another one on the same Redis has another mark."""
    return f"{settings.HOUSE_MARK}:tables"


class Hub:
    """The screens of this process. `make` makes the pieces of changed tables, or those of the house, `ask_again` reads rights,
    `overlooked` finds tables that are other than was last sent; they are called in a thread.
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
        """Whether as many screens listen as this process may have."""
        return len(self.listeners) >= settings.LIVE_SCREENS

    def has_enough(self, session_key: str, person: int | None) -> bool:
        """Whether this session, or this person in all sessions, has as many screens open as anybody needs."""
        listeners = self.listeners.copy()
        return (
            sum(one.session_key == session_key for one in listeners) >= OF_ONE_SESSION
            or sum(one.person == person for one in listeners) >= OF_ONE_PERSON
        )

    def join(self, listener: Listener) -> None:
        """Begin to tell a screen. Called in the loop of its stream, which ends it with `leave`."""
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
        """Tell it nothing more."""
        self.listeners.discard(listener)
        if not self.listeners and (work := self._tasks.pop("work", None)):
            work.cancel()

    def _run(self, name: str, work: Callable[[], Any]) -> None:
        task, loop = self._tasks.get(name), asyncio.get_running_loop()
        if task is None or task.done() or task.get_loop() is not loop:
            self._tasks[name] = loop.create_task(work())

    def changed(self, session_id: int) -> None:
        """Report, from any thread and after the commit, that the session changed; or HOUSE, or RIGHTS."""
        if session_id != RIGHTS:
            self._lately[session_id] = time.time()
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._collect, session_id)

    def _collect(self, session_id: int) -> None:
        self._pending.add(session_id)
        self._wake.set()

    def now_hears(self, hears: bool) -> None:
        """Tell every screen at once that it is not live any more, or is again and has to fetch everything."""
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
        """Wake for what has changed and for heartbeats; what failed is tried again, and screens are not live meanwhile."""
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
                    if looked:  # at first it is only seen how they are
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
        """Have the pieces made that the open screens need, and lay them into their boxes."""
        late = {one: one.late for one in self.listeners}
        wanted = set(changed).union(*late.values()) - {HOUSE}
        if self.make is None or not wanted:
            return
        told = await asyncio.to_thread(self.make, wanted, readers(late), False)
        for one, missed in late.items():
            for pk, messages in told.get(one.reader, {}).items():
                # Besides those that have changed since, a main game whose next player comes from one of them.
                if (
                    pk not in wanted
                    or pk in missed
                    or (pk in changed and self._lately.get(pk, one.since) >= one.since)
                ):
                    one.tell(messages)
            one.late = one.late - missed

    async def _tell_of_house(self) -> None:
        changed, self._for_house = self._for_house, set()  # what joins meanwhile is told the next time
        screens = list(self.listeners)
        if self.make is not None and screens:
            told = await asyncio.to_thread(self.make, changed, readers(screens), True)
            for one in screens:
                one.tell(told.get(one.reader, {}).get(HOUSE, {}))

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
    """Whether this task has to end. The client of Redis may take a cancellation for the end of its own waiting, and go on."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _answer(pubsub: Any) -> dict[str, Any]:
    """Ask Redis whether it is there; return what it says next. Raises TimeoutError if it is silent."""
    await pubsub.ping()
    async with asyncio.timeout(ANSWER_SECONDS):
        while True:
            message: dict[str, Any] | None = await pubsub.get_message(timeout=ANSWER_SECONDS)
            if message is not None:
                return message


def event(name: str, lines: Iterable[str], number: str = "") -> str:
    """Return an event of the stream with this data, and with a number where it has one."""
    data = "".join(f"data: {line}\n" for line in lines)
    numbered = f"id: {number}\n" if number else ""
    return f"event: {name}\n{numbered}{data}\n"


hub = Hub()
