"""A real `manage.py serve` in a process of its own, HTTP clients, and their processor time."""

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
    """`manage.py serve` on this process's database, with the product's settings, until the block ends."""

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
        """Return the processor seconds so far of the server, and of PostgreSQL."""
        return _taken(self._process.pid), _of_postgres()


def _taken(pid):
    """Return the processor time of a process and of its children that have ended."""
    numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, numbers[11:15])) / TICKS


def _of_postgres():
    """Return the processor time of the PostgreSQL started by tools/servers.py; 0 on SQLite."""
    if connection.vendor == "sqlite":
        return 0.0
    folder = Path(settings.DATABASES["default"]["OPTIONS"]["host"])
    first = int((folder / "db" / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    return _taken(first) + sum(_taken(child) for child in children)


class Link:
    """A kept connection of somebody signed in, with the cookies and the token that the tablet sends."""

    def __init__(self, server, person):
        client = Client()
        client.force_login(person)
        self._port, self._session = server.port, client.cookies[settings.SESSION_COOKIE_NAME].value
        self._loop = None

    async def begin(self, method, path, body=None):
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
        """Send on the open connection; if the server has closed it for silence, on a new one."""
        if self._loop is asyncio.get_running_loop():
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                self._writer.write(request)
                return await self.reader.readuntil(b"\r\n\r\n")
        self._loop = asyncio.get_running_loop()
        self.reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        self._writer.write(request)
        return await self.reader.readuntil(b"\r\n\r\n")

    async def _rest(self, head):
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        return await self.reader.readexactly(length)

    async def ask(self, method, path, body=None):
        return await self._rest(await self.begin(method, path, body))

    async def timed(self, method, path, body=None):
        start = time.perf_counter()
        answer = await self.ask(method, path, body)
        return answer, time.perf_counter() - start


class Dealer:
    """Deals at one table over a link; `rounds` counts the settled ones."""

    def __init__(self, link, session, rng):
        self.link, self.session, self._rng, self.rounds = link, session, rng, 0
        self.started, self.settled = [], []  # how long each took, in seconds

    async def start(self):
        """Start a round; return the path and the body that settle it."""
        key = f"{self.session.pk}-{self.rounds}-{self._rng.random()}"
        path = f"/api/sessions/{self.session.pk}/rounds"
        answer, took = await self.link.timed("POST", path, {"key": key})
        self.started.append(took)
        round_ = json.loads(answer)
        hands = list(dealt(self._rng, [hand["seat"] for hand in round_["hands"]]))
        return f"/api/rounds/{round_['id']}/settle", {"key": f"{key}-s", "hands": hands}

    async def settle(self, started):
        _, took = await self.link.timed("POST", *started)
        self.settled.append(took)
        self.rounds += 1

    async def play(self):
        await self.settle(await self.start())


def pushed_in(server, house, rng):
    dealers = []
    for session in house.sessions:
        act = Act(key=house.key(), actor=house.people["floor"], now=timezone.now())
        pushes.push_dealer(session_id=session.pk, dealer=house.dealers[session.pk], act=act)
        dealers.append(Dealer(Link(server, house.dealers[session.pk]), session, rng))
    return dealers


def quantile(seconds, share):
    ordered = sorted(seconds)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
