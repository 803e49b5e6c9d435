"""A hundred boards open on a real server while twenty tables play: how long after a settlement the last screen shows it, what a
dealer waits for meanwhile, and how much processor time the server takes.

Everything goes over HTTP: `manage.py serve` in a process of its own, a stream for each board, and for each playing table a
dealer who starts a round and settles it. Against the same play with no board open.
"""

import asyncio
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

from _house import MEASURE, House, dealt, on_databases
from _measure import tell
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from ledger.journal.acts import Act
from tables.rounds import pushes

BOARDS, TABLES, PLAYING = 100, 100, 20
ROUND_SECONDS, SECONDS = 5.0, 10.0
ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """`manage.py serve` on the database of this process, until the block ends."""

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        own = {"PORT": str(self.port), "ACCESS_LOG": "0", "SECURE": "0"}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env=dict(os.environ, **own),
            stdout=subprocess.DEVNULL,
        )
        while socket.socket().connect_ex(("127.0.0.1", self.port)):
            assert self.process.poll() is None
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)

    def cpu_seconds(self):
        """Processor time that it has taken so far."""
        numbers = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(numbers[11]) + int(numbers[12])) / TICKS


class Link:
    """One connection that is kept, with the cookies of somebody who is signed in."""

    def __init__(self, port, person):
        client = Client()
        client.force_login(person)
        self.port, self.session = port, client.cookies[settings.SESSION_COOKIE_NAME].value
        self.reader = self.writer = None

    async def send(self, method, path, body=None):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**20)
        sent = json.dumps(body).encode() if body is not None else b""
        token = "a" * 32
        self.writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: localhost:{self.port}\r\nContent-Type: application/json\r\n"
            f"Cookie: {settings.SESSION_COOKIE_NAME}={self.session}; csrftoken={token}\r\nX-CSRFToken: {token}\r\n"
            f"Content-Length: {len(sent)}\r\n\r\n".encode()
            + sent
        )
        head = await self.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 20"), head
        return head

    async def ask(self, method, path, body=None):
        """The answer's body as it was sent."""
        head = (await self.send(method, path, body)).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return await self.reader.readexactly(length)


class Board:
    """A screen: when it showed which table between rounds, and how many bytes it heard."""

    def __init__(self, link):
        self.link, self.shows, self.bytes = link, {}, 0

    async def listen(self):
        await self.link.send("GET", "/live/?page=board")
        event = ""
        while line := await self.link.reader.readline():
            self.bytes += len(line)
            if line.startswith(b"event: card-"):
                event = int(line[12:])
            elif line.startswith(b"data: ") and event and b"Between rounds" in line:
                self.shows.setdefault(event, []).append(time.perf_counter())
            elif line == b"\r\n":
                continue
            elif not line.strip():
                event = ""


async def play(link, session, rng, settled, waits):
    """Rounds at one table until it is enough, each settled half-way to the next; notes when each was settled."""
    await asyncio.sleep(rng.random() * ROUND_SECONDS)
    for number in range(int(SECONDS / ROUND_SECONDS)):
        began = time.perf_counter()
        key = f"spread-{session.pk}-{number}-{rng.random()}"
        started = json.loads(await link.ask("POST", f"/api/sessions/{session.pk}/rounds", {"key": key}))
        await asyncio.sleep(ROUND_SECONDS / 2)
        hands = dealt(rng, [hand["seat"] for hand in started["hands"]])
        asked = time.perf_counter()
        await link.ask(
            "POST", f"/api/rounds/{started['id']}/settle", {"key": f"{key}-s", "hands": list(hands)}
        )
        answered = time.perf_counter()
        waits.append(answered - asked)
        settled.append((session.pk, asked, answered))
        await asyncio.sleep(max(0, began + ROUND_SECONDS - time.perf_counter()))


async def evening(server, dealers, boards):
    """Play with these boards open; the server's processor time, how long dealers waited, and when who saw it."""
    rng = random.Random(len(boards))
    screens = [asyncio.create_task(board.listen()) for board in boards]
    await asyncio.sleep(3)
    before, settled, waits = server.cpu_seconds(), [], []
    await asyncio.gather(*(play(link, session, rng, settled, waits) for link, session in dealers))
    cpu = server.cpu_seconds() - before
    await asyncio.sleep(3)
    for screen in screens:
        screen.cancel()
    await asyncio.gather(*screens, return_exceptions=True)
    last = []
    for pk, asked, answered in settled:
        arrivals = [next((at for at in board.shows.get(pk, ()) if at >= asked), None) for board in boards]
        assert None not in arrivals, f"table {pk}: {arrivals.count(None)} boards never showed it"
        last.append(max(0.0, max(arrivals, default=0) - answered))
    return cpu, waits, last


def measure():
    house = House(TABLES)
    now, playing = timezone.now(), house.sessions[:PLAYING]
    for session in playing:
        act = Act(key=house.key(), actor=house.people["floor"], now=now)
        pushes.push_dealer(session_id=session.pk, dealer=house.dealers[session.pk], act=act)
    with Server() as server:
        dealers = [(Link(server.port, house.dealers[session.pk]), session) for session in playing]
        boards = [Board(Link(server.port, house.people["floor"])) for _ in range(BOARDS)]
        connection.close()
        alone, alone_waits, _ = asyncio.run(evening(server, dealers, []))
        for link, _ in dealers:
            link.reader = link.writer = None  # it belonged to the loop that is gone
        cpu, waits, last = asyncio.run(evening(server, dealers, boards))
    tell(
        f"live.spread.{connection.vendor}",
        "the same play with no board open: what a dealer waits for a settlement",
        statistics.median(waits) * 1e3,
        statistics.median(alone_waits) * 1e3,
        unit="ms",
        n=len(waits),
        repeats=1,
        boards=BOARDS,
        last_screen_median_s=round(statistics.median(last), 2),
        last_screen_worst_s=round(max(last), 2),
        server_cpu_s=round(cpu, 1),
        server_cpu_alone_s=round(alone, 1),
        kilobytes_each=boards[0].bytes // 1000,
    )


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
