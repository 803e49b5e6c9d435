"""A hundred boards open on a real server while twenty tables play: how long after a settlement the last screen shows it, what a
dealer waits for meanwhile, and how much processor time the server takes. Against the same play with no board open.

Everything goes over HTTP (`_serving.py`): a stream for each board, and for each playing table a dealer who starts a round and
settles it half-way to the next.
"""

import asyncio
import random
import statistics
import sys
import time

from django.db import connection

from benchmarks._house import MEASURE, House, on_databases
from benchmarks._measure import at_most, tell
from benchmarks._serving import Link, Server, pushed_in

BOARDS, TABLES, PLAYING = 100, 100, 20
ROUND_SECONDS, SECONDS = 5.0, 10.0
GOALS = {
    "last_screen_median_s": at_most(0.5),
    "last_screen_worst_s": at_most(1),
    "ours": at_most(30),
    "server_cpu_s": at_most(3),
}


class Board:
    """A screen: when it showed which table between rounds, and how many bytes it heard."""

    def __init__(self, link):
        self.link, self.shows, self.bytes = link, {}, 0

    async def listen(self):
        await self.link.begin("GET", f"/live/?page=board&since={time.time()}")
        card = 0
        while line := await self.link.reader.readline():
            self.bytes += len(line)
            if line.startswith(b"data: card-"):
                card = int(line[11:])
            elif card and b"Between rounds" in line:
                self.shows.setdefault(card, []).append(time.perf_counter())
            elif line == b"\n":
                card = 0


async def play(dealer, rng, settled):
    """Rounds at one table until it is enough; notes when each was asked to be settled, and when it was."""
    await asyncio.sleep(rng.random() * ROUND_SECONDS)
    for _ in range(int(SECONDS / ROUND_SECONDS)):
        began = time.perf_counter()
        started = await dealer.start()
        await asyncio.sleep(ROUND_SECONDS / 2)
        asked = time.perf_counter()
        await dealer.settle(started)
        settled.append((dealer.session.pk, asked, time.perf_counter()))
        await asyncio.sleep(max(0, began + ROUND_SECONDS - time.perf_counter()))


async def evening(server, dealers, boards):
    """Play with these boards open; the server's processor time, how long dealers waited, and after how long the last screen
    showed each round."""
    rng, settled = random.Random(len(boards)), []
    screens = [asyncio.create_task(board.listen()) for board in boards]
    await asyncio.sleep(3)
    before, _ = server.cpu()
    await asyncio.gather(*(play(dealer, rng, settled) for dealer in dealers))
    after, _ = server.cpu()
    await asyncio.sleep(3)
    for screen in screens:
        screen.cancel()
    await asyncio.gather(*screens, return_exceptions=True)
    last = []
    for pk, asked, answered in settled:
        arrivals = [next((at for at in board.shows.get(pk, ()) if at >= asked), None) for board in boards]
        assert None not in arrivals, f"table {pk}: {arrivals.count(None)} boards never showed it"
        last.append(max(0.0, max(arrivals, default=0) - answered))
    return after - before, [answered - asked for _, asked, answered in settled], last


def measure():
    house = House(TABLES)
    with Server() as server:
        dealers = pushed_in(server, house, random.Random(1))[:PLAYING]
        boards = [Board(Link(server, house.people["floor"])) for _ in range(BOARDS)]
        connection.close()
        alone, alone_waits, _ = asyncio.run(evening(server, dealers, []))
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
        goals=GOALS,
    )


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
