"""What a dealer waits for: a round settled over HTTP, with a real `manage.py serve` and clients, on both
databases.

- `http.settle.in_process`: POST settle through all of Django, without server and network, against an empty
  view behind the same middleware.
- `http.settle`: the same over HTTP by one client, against the empty view over HTTP.
- `http.rounds`: sixteen dealers, each playing round after round as quickly as they are answered.
- `http.reloading`: five tables play a round a second while 64 boards are reloaded without a pause.

Beside times stands the processor time of server and database for each round (and each reloaded board), which
is more telling on a busy machine.
"""

import asyncio
import json
import random
import statistics
import sys
import time

from django.db import connection
from django.test import Client

from benchmarks._house import MEASURE, House, dealt, on_databases
from benchmarks._measure import at_least, at_most, tell
from benchmarks._serving import Link, Server, pushed_in, quantile

CLIENTS, ALONE, SECONDS = 16, 60, 8
PLAYING, BOARDS, ROUND_SECONDS = 5, 64, 1.0
EMPTY = "an empty view behind the same middleware"
IN_PROCESS_MS = at_most(10)
ROUNDS_PER_SECOND, P99_MS = at_least(60), at_most(300)
RELOADING_MS = at_most(100)


def in_ms(seconds):
    return {
        "p50_ms": round(statistics.median(seconds) * 1e3, 1),
        "p99_ms": round(quantile(seconds, 0.99) * 1e3, 1),
    }


def cpu_each(before, after, number):
    """Return the milliseconds of processor time for each, of server and database."""
    server, database = ((end - start) / number * 1e3 for start, end in zip(before, after, strict=True))
    return {"server_cpu_ms": round(server, 2), "database_cpu_ms": round(database, 2)}


def posted(client, path, body):
    start = time.perf_counter()
    answer = client.post(path, json.dumps(body), "application/json", headers={"X-CSRFToken": "a" * 32})
    took = time.perf_counter() - start
    assert answer.status_code in (200, 201), answer.content
    return answer, took


def measure_in_process(house, rng):
    client = Client(enforce_csrf_checks=True, SERVER_NAME="localhost")
    session = house.sessions[-1]
    client.force_login(house.dealers[session.pk])
    client.cookies["csrftoken"] = "a" * 32
    settled, empty, cpu = [], [], []
    for number in range(ALONE + 5):
        started, _ = posted(client, f"/api/sessions/{session.pk}/rounds", {"key": f"alone-{number:04d}"})
        hands = list(dealt(rng, [hand["seat"] for hand in started.json()["hands"]]))
        before = time.process_time()
        path = f"/api/rounds/{started.json()['id']}/settle"
        _, took = posted(client, path, {"key": f"alone-{number:04d}-s", "hands": hands})
        cpu.append(time.process_time() - before)
        settled.append(took)
        empty.append(posted(client, "/nothing/", {})[1])
    tell(
        f"http.settle.in_process.{connection.vendor}",
        EMPTY,
        statistics.median(settled[5:]) * 1e3,
        statistics.median(empty[5:]) * 1e3,
        unit="ms",
        n=ALONE,
        repeats=1,
        p99_ms=in_ms(settled[5:])["p99_ms"],
        cpu_ms=round(statistics.median(cpu[5:]) * 1e3, 2),
        goals={"ours": IN_PROCESS_MS},
    )


async def one_alone(server, dealer):
    """Return the times of settlements and of the empty view, and CPU for a round."""
    for _ in range(5):
        await dealer.play()
    dealer.settled.clear()
    before = server.cpu()
    for _ in range(ALONE):
        await dealer.play()
    cpu = cpu_each(before, server.cpu(), ALONE)
    empty = [(await dealer.link.timed("GET", "/nothing/"))[1] for _ in range(ALONE)]
    return dealer.settled, empty, cpu


async def until(deadline, act):
    done = 0
    while time.perf_counter() < deadline:
        await act()
        done += 1
    return done


async def all_at_once(server, dealers):
    """Return rounds a second, CPU for a round, and empty views a second."""
    for dealer in dealers:
        await dealer.play()
    for dealer in dealers:
        dealer.started.clear(), dealer.settled.clear()
    before, start = server.cpu(), time.perf_counter()
    done = sum(await asyncio.gather(*(until(start + SECONDS, dealer.play) for dealer in dealers)))
    seconds, cpu = time.perf_counter() - start, cpu_each(before, server.cpu(), done)
    start = time.perf_counter()
    nothing = [until(start + 2, lambda link=dealer.link: link.ask("GET", "/nothing/")) for dealer in dealers]
    empty = sum(await asyncio.gather(*nothing)) / (time.perf_counter() - start)
    return done / seconds, cpu, empty


async def at_leisure(dealers):
    """Each deals a round a second, until the time is over."""
    rng, end = random.Random(3), time.perf_counter() + SECONDS

    async def rounds(dealer):
        await asyncio.sleep(rng.random() * ROUND_SECONDS)
        while (began := time.perf_counter()) < end:
            await dealer.play()
            await asyncio.sleep(max(0, began + ROUND_SECONDS - time.perf_counter()))

    for dealer in dealers:
        dealer.started.clear(), dealer.settled.clear()
    await asyncio.gather(*(rounds(dealer) for dealer in dealers))
    return [took for dealer in dealers for took in dealer.settled]


async def reloaded(server, dealers, boards):
    """Return settlement times with nobody watching and with boards being reloaded, and boards a second."""
    quiet = await at_leisure(dealers)
    await asyncio.gather(*(board.ask("GET", "/floor/") for board in boards))
    before, start = server.cpu(), time.perf_counter()
    reloading = [until(start + SECONDS, lambda link=board: link.ask("GET", "/floor/")) for board in boards]
    settled, *loaded = await asyncio.gather(at_leisure(dealers), *reloading)
    seconds = time.perf_counter() - start
    return quiet, settled, sum(loaded) / seconds, cpu_each(before, server.cpu(), max(sum(loaded), 1))


def measure():
    house, rng, vendor = House(CLIENTS + 1), random.Random(1), connection.vendor
    with Server() as server:
        *dealers, _ = pushed_in(server, house, rng)
        boards = [Link(server, house.people["floor"]) for _ in range(BOARDS)]
        connection.close()
        settled, empty, cpu = asyncio.run(one_alone(server, dealers[0]))
        alone = {"unit": "ms", "n": ALONE, "repeats": 1, **in_ms(settled), **cpu}
        ours, theirs = statistics.median(settled) * 1e3, statistics.median(empty) * 1e3
        tell(f"http.settle.{vendor}.1", EMPTY, ours, theirs, **alone)
        a_second, cpu, empty = asyncio.run(all_at_once(server, dealers))
        started, settled = (
            [took for one in dealers for took in getattr(one, name)] for name in ("started", "settled")
        )
        tell(
            f"http.rounds.{vendor}.{CLIENTS}",
            f"two requests of {EMPTY}",
            1e3 / a_second,
            2e3 / empty,
            unit="ms a round",
            n=len(settled),
            repeats=1,
            rounds_per_second=round(a_second, 1),
            start_p50_ms=in_ms(started)["p50_ms"],
            settle_p50_ms=in_ms(settled)["p50_ms"],
            p99_ms=in_ms(started + settled)["p99_ms"],
            **cpu,
            goals={"rounds_per_second": ROUNDS_PER_SECOND, "p99_ms": P99_MS},
        )
        quiet, settled, boards_a_second, cpu = asyncio.run(reloaded(server, dealers[:PLAYING], boards))
        tell(
            f"http.reloading.{vendor}.{BOARDS}",
            "the same play with no board open",
            statistics.median(settled) * 1e3,
            statistics.median(quiet) * 1e3,
            unit="ms",
            n=len(settled),
            repeats=1,
            **in_ms(settled),
            boards_per_second=round(boards_a_second, 1),
            **cpu,
            goals={"p50_ms": RELOADING_MS},
        )
    measure_in_process(house, rng)


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
