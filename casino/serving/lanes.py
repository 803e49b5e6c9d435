"""Lanes: separate threads for strangers, pages and acts; within a lane, senders take turns.

Anybody can send a sign-in, and each costs 0.1 s of processor time and 100 MB. So strangers have two threads
and a short queue. When it is full, requests are refused in this order of preference:

1. enrolled terminals go first, whatever comes from elsewhere;
2. then addresses with few recent requests;
3. then all others; the one with the most waiting requests makes room.
"""

import asyncio
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv6Address, ip_network
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.db import DatabaseError

from casino.serving.edge import address_in
from casino.sign_in import terminals
from casino.sign_in.hashing import digest

KNOWN, SELDOM, HAMMERS = range(3)
"""Ranks of senders: the house's devices, addresses that ask seldom, all others."""
FEW = 10
"""Requests a minute that one person signing in may send. The count halves every minute."""
MINUTE = 60.0
MOST_ADDRESSES = 100_000
LIST_SECONDS = 5.0
"""Age limit of the list of terminals; until it is read again, a newer one is treated like any address."""
OF_ONE_HOUSEHOLD = 64
"""The bits of an IPv6 address that identify one customer."""


class Full(Exception):
    """The queue is full and this request is refused."""


class Sender(NamedTuple):
    """The lower the rank, the sooner served. Requests of one sender are served in order."""

    rank: int
    name: str


class Lane:
    """A number of threads and a bounded queue for them. All but `begin`'s call runs in one event loop.
    `patience`: seconds that a request waits for a database that is away; None if it needs no database."""

    def __init__(
        self,
        name: str,
        threads: int,
        *,
        room: float = math.inf,
        patience: float | None = None,
        in_thread: Callable[[], None] | None = None,
    ) -> None:
        self.patience = patience
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name, initializer=in_thread)
        self._free, self._room = threads, room
        self._waiting: dict[Sender, deque[asyncio.Future[None]]] = {}

    def place(self, sender: Sender) -> asyncio.Future[None]:
        """Return a future, done once a thread is free. Raises Full; a better sender may still cause that."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self._free > 0:
            self._free -= 1
            place.set_result(None)
            return place
        if sum(map(len, self._waiting.values())) >= self._room:
            self._make_room_for(sender)
        self._waiting.setdefault(sender, deque()).append(place)
        return place

    def leave(self, sender: Sender, place: asyncio.Future[None]) -> None:
        line = self._waiting.get(sender, deque())
        if place in line:
            line.remove(place)
            self._forget_if_empty(sender)
        elif not place.cancelled() and place.exception() is None:
            self._next()

    def begin(self, call: Callable[..., Any], *given: Any) -> asyncio.Future[Any]:
        """Run this in a thread, after `place`; when it ends, it is the next one's turn."""
        answering = asyncio.ensure_future(
            sync_to_async(call, thread_sensitive=False, executor=self._threads)(*given)
        )
        answering.add_done_callback(lambda _: self._next())
        return answering

    def _next(self) -> None:
        if not self._waiting:
            self._free += 1
            return
        sender = min(self._waiting, key=lambda one: one.rank)  # among equals, the one that waited longest
        line = self._waiting.pop(sender)
        line.popleft().set_result(None)
        if line:
            self._waiting[sender] = line  # behind the others of its rank

    def _make_room_for(self, sender: Sender) -> None:
        """Refuse the last request of a sender that ranks worse or has two more waiting, else raise Full."""
        worst = max(self._waiting, key=lambda one: (one.rank, len(self._waiting[one])))
        own = len(self._waiting.get(sender, ()))
        if worst.rank < sender.rank or (worst.rank == sender.rank and len(self._waiting[worst]) < own + 2):
            raise Full
        self._waiting[worst].pop().set_exception(Full())
        self._forget_if_empty(worst)

    def _forget_if_empty(self, sender: Sender) -> None:
        if not self._waiting[sender]:
            del self._waiting[sender]


class Strangers:
    """Tells senders who are not signed in apart by their terminal's cookie, else by their address."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._terminals: frozenset[str] = frozenset()
        self._read_at = self._counted_from = -math.inf
        self._lately: Counter[str] = Counter()

    def sender(self, cookies: dict[str, str], address: str) -> Sender:
        """Return who this is, and count the request at its address."""
        token = cookies.get(terminals.COOKIE)
        if token and (known := digest(token)) in self._terminals:
            return Sender(KNOWN, known)
        now = time.monotonic()
        if now - self._counted_from > MINUTE or len(self._lately) > MOST_ADDRESSES:
            self._counted_from = now
            self._lately = Counter({one: count // 2 for one, count in self._lately.items() if count > 1})
        household = household_of(address)
        self._lately[household] += 1
        return Sender(SELDOM if self._lately[household] <= FEW else HAMMERS, household)

    def read_terminals(self) -> None:
        """Refresh the list of terminals if it is old; may wait for the database."""
        with self._lock:
            if time.monotonic() - self._read_at < LIST_SECONDS:
                return
            self._read_at = time.monotonic()
        try:
            self._terminals = terminals.hashes()
        except DatabaseError:
            self._read_at = -math.inf  # the request being answered here meets the same error and reports it


def household_of(address: str) -> str:
    """Return an IPv4 address, or the network of an IPv6 address; empty for no address."""
    found = address_in(address)
    if isinstance(found, IPv6Address):
        return str(ip_network((found, OF_ONE_HOUSEHOLD), strict=False))
    return str(found or "")
