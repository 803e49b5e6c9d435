"""A real `manage.py serve` in a process of its own, people who speak HTTP with it, and the processor time that it all takes."""

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from benchmarks._house import ROOT, dealt
from ledger.journal.acts import Act
from tables.rounds import pushes

SECRET = "a" * 32
TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 60


class Server:
    """`manage.py serve` on the database of this process, with the product's own settings, until the block ends."""

    def __enter__(self):
        self._said = tempfile.TemporaryFile("w+")
        own = {"PORT": "0", "ACCESS_LOG": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env=dict(os.environ, **own),
            stdout=self._said,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_SECONDS
        while not (found := re.search(r"http://localhost:(\d+)/", self._text())):
            assert self._process.poll() is None, self._text()
            assert time.monotonic() < deadline, self._text()
            time.sleep(0.1)
        self.port = int(found[1])
        return self

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)
        self._said.close()

    def _text(self):
        self._said.seek(0)
        return self._said.read()

    def cpu(self):
        """Seconds of processor time so far: of the server, and of the database where that is a program of its own."""
        return _taken(self._process.pid), _of_postgres()


def _taken(pid):
    """User and system time of a process and of the children that it has seen end."""
    numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, numbers[11:15])) / TICKS


def _of_postgres():
    """What all processes of the PostgreSQL have taken that tools/servers.py has started for us; 0 on SQLite."""
    if connection.vendor == "sqlite":
        return 0.0
    folder = Path(settings.DATABASES["default"]["OPTIONS"]["host"])
    first = int((folder / "db" / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    return _taken(first) + sum(_taken(child) for child in children)


class Link:
    """One connection that is kept, of somebody who is signed in, with the cookies and the token that the tablet sends."""

    def __init__(self, server, person):
        client = Client()
        client.force_login(person)
        self._port, self._session = server.port, client.cookies[settings.SESSION_COOKIE_NAME].value
        self._loop = None

    async def begin(self, method, path, body=None):
        """Send a request and read the head of its answer."""
        sent = json.dumps(body).encode() if body is not None else b""
        request = (
            f"{method} {path} HTTP/1.1\r\nHost: localhost:{self._port}\r\nContent-Type: application/json\r\n"
            f"Cookie: {settings.SESSION_COOKIE_NAME}={self._session}; csrftoken={SECRET}\r\n"
            f"X-CSRFToken: {SECRET}\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        head = await self._head_of(request.encode() + sent)
        assert head.startswith(b"HTTP/1.1 20"), (method, path, head, await self._rest(head))
        return head

    async def _head_of(self, request):
        """Send it on the connection that there is; where the server hangs up on it, as on any that was silent, on another."""
        if self._loop is asyncio.get_running_loop():
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                self._writer.write(request)
                return await self.reader.readuntil(b"\r\n\r\n")
        self._loop = asyncio.get_running_loop()
        self.reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        self._writer.write(request)
        return await self.reader.readuntil(b"\r\n\r\n")

    async def _rest(self, head):
        """The body of an answer."""
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        return await self.reader.readexactly(length)

    async def ask(self, method, path, body=None):
        """The body of the answer, as it was sent."""
        return await self._rest(await self.begin(method, path, body))

    async def timed(self, method, path, body=None):
        """The same, and the seconds until it was there."""
        start = time.perf_counter()
        answer = await self.ask(method, path, body)
        return answer, time.perf_counter() - start


class Dealer:
    """Who deals at one table, over a link: each round is started and settled; `rounds` counts those that are settled."""

    def __init__(self, link, session, rng):
        self.link, self.session, self._rng, self.rounds = link, session, rng, 0
        self.started, self.settled = [], []  # how long each took, in seconds

    async def start(self):
        """Start a round; what settles it: the address, and what is sent there."""
        key = f"{self.session.pk}-{self.rounds}-{self._rng.random()}"
        path = f"/api/sessions/{self.session.pk}/rounds"
        answer, took = await self.link.timed("POST", path, {"key": key})
        self.started.append(took)
        round_ = json.loads(answer)
        hands = list(dealt(self._rng, [hand["seat"] for hand in round_["hands"]]))
        return f"/api/rounds/{round_['id']}/settle", {"key": f"{key}-s", "hands": hands}

    async def settle(self, started):
        """Settle the round that was started."""
        _, took = await self.link.timed("POST", *started)
        self.settled.append(took)
        self.rounds += 1

    async def play(self):
        await self.settle(await self.start())


def pushed_in(server, house, rng):
    """A dealer for each table of the house, pushed in there and signed in."""
    dealers = []
    for session in house.sessions:
        act = Act(key=house.key(), actor=house.people["floor"], now=timezone.now())
        pushes.push_dealer(session_id=session.pk, dealer=house.dealers[session.pk], act=act)
        dealers.append(Dealer(Link(server, house.dealers[session.pk]), session, rng))
    return dealers


def quantile(seconds, share):
    """The time within which this share of all was done."""
    ordered = sorted(seconds)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
