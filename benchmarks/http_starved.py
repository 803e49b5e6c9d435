"""What a signed-in dealer waits for while 200 strangers sign in without end, against the same play without
them.

Each stranger sends an unknown name and a wrong password from an address of its own, and again as soon as it
is answered, whatever wait it was told. Strangers are a separate process, so that their work is not counted as
the dealer's waiting; on a busy machine only the ratio is telling.

- `http.starved`: five tables play a round a second; the time of each settlement.
- `http.starved.right`: somebody signs in meanwhile from an address of their own, trying again when told to;
  the time until they are in.
"""

import asyncio
import random
import statistics
import subprocess
import sys
import time
from urllib.parse import urlencode

from django.db import connection

from benchmarks._house import MEASURE, ROOT, House, on_databases
from benchmarks._measure import at_most, tell
from benchmarks._serving import SECRET, Server, pushed_in
from benchmarks.http import PLAYING, at_leisure, in_ms

STRANGERS, WARM_SECONDS, TRIES, MOST_TRIES = 200, 10, 3, 30
STRANGER = "stranger"
PASSWORD = "a password that is right"
STARVED_MS = at_most(50)
RIGHT_MS = at_most(10_000)


def sign_in_form(port, name, password, address):
    """Return a browser's sign-in request from this address, as forwarded by a trusted proxy."""
    body = urlencode({"username": name, "password": password, "csrfmiddlewaretoken": SECRET}).encode()
    head = (
        f"POST /sign-in/ HTTP/1.1\r\nHost: localhost:{port}\r\nCookie: csrftoken={SECRET}\r\n"
        f"X-Forwarded-For: {address}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def answered(port, request):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        return await reader.readuntil(b"\r\n\r\n")
    finally:
        writer.close()


async def stranger(port, number):
    rng, address = random.Random(number), f"198.51.{100 + number // 100}.{number % 100 + 1}"
    while True:
        try:
            await answered(port, sign_in_form(port, f"nobody-{rng.random()}", "wrong", address))
        except (OSError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.1)


async def strangers(port):
    await asyncio.gather(*(stranger(port, number) for number in range(STRANGERS)))


async def signed_in(port, name):
    """Return the seconds until somebody is in, trying again each second while there is no room."""
    start, tries = time.perf_counter(), 1
    request = sign_in_form(port, name, PASSWORD, "203.0.113.7")
    while not (head := await answered(port, request)).startswith(b"HTTP/1.1 302"):
        assert head.startswith(b"HTTP/1.1 503"), head
        assert tries < MOST_TRIES
        tries += 1
        await asyncio.sleep(1)
    return time.perf_counter() - start


async def under_attack(server, dealers, person):
    """Return the times of settlements and of sign-ins while strangers come."""
    command = [sys.executable, "-m", "benchmarks.http_starved", STRANGER, str(server.port)]
    attack = subprocess.Popen(command, cwd=ROOT)
    try:
        await asyncio.sleep(WARM_SECONDS)
        settled = await at_leisure(dealers)
        came_in = [await signed_in(server.port, person) for _ in range(TRIES)]
    finally:
        attack.kill()
        attack.wait()
    return settled, came_in


def measure():
    house, rng, vendor = House(PLAYING), random.Random(1), connection.vendor
    person = house.people["floor"]
    person.set_password(PASSWORD)
    person.save()
    with Server() as server:
        dealers = pushed_in(server, house, rng)
        connection.close()
        asyncio.run(at_leisure(dealers))  # the first rounds pay for what is built at first use
        quiet = asyncio.run(at_leisure(dealers))
        alone = asyncio.run(signed_in(server.port, person.username))
        settled, came_in = asyncio.run(under_attack(server, dealers, person.username))
    figures = in_ms(settled)
    tell(
        f"http.starved.{vendor}.{STRANGERS}",
        "the same play with nobody else there",
        figures["p50_ms"],
        in_ms(quiet)["p50_ms"],
        unit="ms",
        n=len(settled),
        repeats=1,
        p99_ms=figures["p99_ms"],
        most_ms=round(max(settled) * 1e3, 1),
        quiet_p99_ms=in_ms(quiet)["p99_ms"],
        goals={"ours": STARVED_MS},
    )
    tell(
        f"http.starved.right.{vendor}.{STRANGERS}",
        "the same sign-in with nobody else there",
        statistics.median(came_in) * 1e3,
        alone * 1e3,
        unit="ms",
        n=TRIES,
        repeats=1,
        most_ms=round(max(came_in) * 1e3, 1),
        goals={"ours": RIGHT_MS},
    )


if __name__ == "__main__":
    if STRANGER in sys.argv:
        asyncio.run(strangers(int(sys.argv[-1])))
    elif MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, *(sys.argv[1:] or ("postgresql", "sqlite")))
