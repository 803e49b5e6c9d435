"""A hundred boards on a real server while tables play: the delay until the last screen shows a settlement,
what a dealer waits for, and the server's CPU. Each playing table starts a round every five seconds. Goals are
for twenty tables, against no open board; 5 and 100 tables show how it grows."""

import asyncio
import random
import statistics
import sys
import time

from django.db import connection

from benchmarks._house import MEASURE, House, on_databases
from benchmarks._measure import at_most, tell
from benchmarks._serving import Link, Server, pushed_in, quantile

BOARDS, TABLES = 100, 100
PLAYING = (5, 20, 100)
JUDGED = 20  # the number of tables that the goals are for
ROUND_SECONDS, SECONDS = 5.0, 10.0
QUIET_SECONDS = 3  # before play, until all streams are open
PATIENCE_SECONDS = 60  # wait after play for the last screen; what is not shown by then counts as this long
BETWEEN_ROUNDS = b"Between rounds"
GOALS = {
    "last_screen_median_s": at_most(0.5),
    "last_screen_worst_s": at_most(1),
    "settle_p50_ms": at_most(30),
    "server_cpu_s": at_most(3),
}


class Board:
    """An open board: when it showed which table between rounds, and how many bytes it received."""

    def __init__(self, server, person):
        self._stream, self._cards = Link(server, person), Link(server, person)
        self.shows, self.bytes = {}, 0

    async def listen(self):
        """Follow the stream until cancelled: pieces of the page, or names of what has changed."""
        await self._stream.begin("GET", f"/live/?page=board&since={time.time()}")
        event, data = b"", []
        while line := await self._stream.reader.readline():
            self.bytes += len(line)
            name, _, value = line.rstrip(b"\n").partition(b": ")
            if name == b"event":
                event, data = value, []
            elif name == b"data":
                data.append(value)
            elif line == b"\n" and event:
                await self._show(data[0] if event == b"piece" else event, b"\n".join(data[1:]))

    async def _show(self, name, card):
        what, _, session = name.partition(b"-")
        if what not in (b"card", b"table"):
            return
        if what == b"table":
            card = await self._cards.ask("GET", f"/floor/cards/{int(session)}/")
            self.bytes += len(card)
        if BETWEEN_ROUNDS in card:
            self.shows.setdefault(int(session), []).append(time.perf_counter())


async def play(dealer, rng, settled):
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
    """Play with these boards open; return CPU, what was settled, and when the last screen had it."""
    rng = random.Random(len(dealers))
    for board in boards:
        board.shows.clear()
    screens = [asyncio.create_task(board.listen()) for board in boards]
    await asyncio.sleep(QUIET_SECONDS)
    before, settled = server.cpu(), []
    await asyncio.gather(*(play(dealer, rng, settled) for dealer in dealers))
    cpu = [round(end - start, 2) for start, end in zip(before, server.cpu(), strict=True)]
    deadline = time.perf_counter() + PATIENCE_SECONDS
    while boards and None in last_screens(boards, settled) and time.perf_counter() < deadline:
        await asyncio.sleep(0.1)
    for screen in screens:
        screen.cancel()
    await asyncio.gather(*screens, return_exceptions=True)
    return cpu, [answered - asked for _, asked, answered in settled], last_screens(boards, settled)


def last_screens(boards, settled):
    """Return the seconds from each answer until the last board showed it, or None."""
    found = []
    for session, asked, answered in settled:
        shown = [next((at for at in board.shows.get(session, ()) if at >= asked), None) for board in boards]
        found.append(None if None in shown else max(0.0, max(shown, default=answered) - answered))
    return found


def tell_evening(playing, alone, watched, bytes_each):
    (cpu_alone, waits_alone, _), (cpu, waits, last) = alone, watched
    never, last = last.count(None), [PATIENCE_SECONDS if one is None else one for one in last]
    tell(
        f"live.spread.{connection.vendor}.{playing}",
        f"{JUDGED} tables playing with no board open: what a dealer waits for a settlement",
        statistics.median(waits) * 1e3,
        statistics.median(waits_alone) * 1e3,
        unit="ms",
        n=len(waits),
        repeats=1,
        boards=BOARDS,
        last_screen_median_s=round(statistics.median(last), 2),
        last_screen_worst_s=round(max(last), 2),
        never_shown=never,
        settle_p50_ms=round(statistics.median(waits) * 1e3, 1),
        settle_p99_ms=round(quantile(waits, 0.99) * 1e3, 1),
        server_cpu_s=cpu[0],
        server_cpu_alone_s=cpu_alone[0],
        database_cpu_s=cpu[1],
        kilobytes_each=bytes_each // 1000,
        goals=GOALS if playing == JUDGED else None,
    )


def measure():
    house, rng = House(TABLES), random.Random(1)
    with Server() as server:
        dealers = pushed_in(server, house, rng)
        boards = [Board(server, house.people["floor"]) for _ in range(BOARDS)]
        connection.close()
        alone = asyncio.run(evening(server, dealers[:JUDGED], []))
        for playing in PLAYING:
            before = boards[0].bytes
            watched = asyncio.run(evening(server, dealers[:playing], boards))
            tell_evening(playing, alone, watched, boards[0].bytes - before)


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
