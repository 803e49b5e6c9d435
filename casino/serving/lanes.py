"""Who waits for whom: threads of their own for strangers, for pages and for acts, and in each lane one request of each sender in
turn.

Whoever is not signed in may be anybody, and signing in costs a tenth of a second of processor and 100 MB. So strangers have
two threads and a short line. Where it is full, a request is refused at once, and who is refused first is decided here:

1. terminals that the floor has enrolled go first, whatever comes from elsewhere;
2. then addresses from which few requests came lately;
3. then all others, of which whoever has most in the line makes room.
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
"""Ranks of senders: devices of the house, addresses that ask seldom, and all others."""
FEW = 10
"""So many requests from one address are no more than somebody needs who signs in. Each minute half of them are forgotten, so
whoever sends more than that in every minute stays behind."""
MINUTE = 60.0
MOST_ADDRESSES = 100_000
LIST_SECONDS = 5.0
"""So old the list of terminals may be. Somebody on one that was enrolled since goes with all others meanwhile."""
OF_ONE_HOUSEHOLD = 64
"""The bits of an IPv6 address that one customer is given; behind them are as many addresses as they like."""


class Full(Exception):
    """So many wait already that this request is refused."""


class Sender(NamedTuple):
    """Who sends a request: the lower the rank, the sooner served. Requests of the same sender go one after the other."""

    rank: int
    name: str


class Lane:
    """So many threads, and room for so many requests that wait for one. All but `begin`'s call happens in one loop.

    `patience` is for how many seconds a request waits on for a database that is away; None for what asks no database.
    """

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
        """Return what is done as soon as there is a thread for a request of this sender. Raises Full, or gives it to others
        who wait (Full)."""
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
        """Wait no longer."""
        line = self._waiting.get(sender, deque())
        if place in line:
            line.remove(place)
            self._forget_if_empty(sender)
        elif not place.cancelled() and place.exception() is None:
            self._next()

    def begin(self, call: Callable[..., Any], *given: Any) -> asyncio.Future[Any]:
        """Call this in a thread, for whom there is a place; the next one's turn comes when it has ended."""
        answering = asyncio.ensure_future(
            sync_to_async(call, thread_sensitive=False, executor=self._threads)(*given)
        )
        answering.add_done_callback(lambda _: self._next())
        return answering

    def _next(self) -> None:
        if not self._waiting:
            self._free += 1
            return
        sender = min(self._waiting, key=lambda one: one.rank)  # of equals the one that has waited longest
        line = self._waiting.pop(sender)
        line.popleft().set_result(None)
        if line:
            self._waiting[sender] = line  # behind the others of its rank

    def _make_room_for(self, sender: Sender) -> None:
        """Refuse the last one of whoever is worse than this sender, or has more in the line by two. Raises Full."""
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
    """What is known of somebody who is not signed in: by the cookie of their device, else by their address."""

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
        """Read, in a thread that may wait for the database, which devices are known, unless that was done a moment ago."""
        with self._lock:
            if time.monotonic() - self._read_at < LIST_SECONDS:
                return
            self._read_at = time.monotonic()
        try:
            self._terminals = terminals.hashes()
        except DatabaseError:
            self._read_at = -math.inf  # whoever is answered here meets the same, and is told so


def household_of(address: str) -> str:
    """Return an address, of IPv6 its network; whatever has none is one sender."""
    found = address_in(address)
    if isinstance(found, IPv6Address):
        return str(ip_network((found, OF_ONE_HOUSEHOLD), strict=False))
    return str(found or "")
