"""The dashboard of 100 tables, and one change on its way to 100 screens, through the whole server but for the network.

Against a view that answers nothing behind the same middleware. The board is loaded after one table has changed; besides, when
none has, and by a process that has never shown it. A change is a verb; told are the bytes that each screen gets for it (the
event and the card that it fetches), and the time from the commit until the last of them has the card.
"""

import asyncio
import sys
import time
from datetime import timedelta
from unittest import mock

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpResponse
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext, override_settings
from django.urls import path
from django.utils import timezone

from benchmarks._house import MEASURE, OPENING, House, on_databases
from benchmarks._measure import medians, tell
from casino import urls
from ledger.journal.acts import Act
from tables import live
from tables.models import Sitting
from tables.rounds import starting
from tables.seats import sitting as seats_sitting
from tables.state.table_state import sessions, state_of
from tables.views.floor import board_cache

TABLES, LISTENERS, REPEATS = 100, 100, 9
MOST_BYTES = 4096
NOW = OPENING + timedelta(minutes=30)


def nothing(_request):
    """A view that answers nothing, behind the same middleware."""
    return HttpResponse()


urlpatterns = [path("nothing/", nothing), *urls.urlpatterns]


class Floor:
    """A house with a round at every table but the first, where somebody sits out and in again."""

    def __init__(self):
        self.house = House(TABLES)
        for session in self.house.sessions[1:]:
            starting.start_round(
                session_id=session.pk,
                act=Act(key=self.house.key(), actor=self.house.dealers[session.pk], now=OPENING),
            )
        self.session = self.house.sessions[0]
        self.client = Client()
        self.client.force_login(self.house.people["floor"])

    def change(self, _repeat=0):
        sitting = Sitting.objects.filter(session=self.session).first()
        seats_sitting.sit_out(
            sitting_id=sitting.pk,
            out=not sitting.sitting_out,
            act=Act(key=self.house.key(), actor=self.house.people["floor"], now=NOW),
        )

    def get(self, address):
        answer = self.client.get(address)
        assert answer.status_code == 200
        return answer


def board(floor):
    floor.get("/floor/")
    with CaptureQueriesContext(connection) as asked:
        size = len(floor.get("/floor/").content)
        queries = len(asked)
    shown = sessions().get(pk=floor.session.pk)
    seconds = medians(
        REPEATS,
        {
            "change": floor.change,
            "board": lambda _: floor.get("/floor/"),
            "unchanged": lambda _: floor.get("/floor/"),
            "forget": lambda _: board_cache.forget(),
            "first": lambda _: floor.get("/floor/"),
            "state": lambda _: state_of(shown),
            "nothing": lambda _: floor.get("/nothing/"),
        },
    )
    tell(
        f"live.dashboard.{connection.vendor}",
        "an empty Django view behind the same middleware",
        seconds["board"] * 1e3,
        seconds["nothing"] * 1e3,
        unit="ms",
        n=TABLES,
        repeats=REPEATS,
        queries=queries,
        kilobytes=size // 1000,
        times=round(seconds["board"] / seconds["nothing"], 1),
        times_unchanged=round(seconds["unchanged"] / seconds["nothing"], 1),
        times_first=round(seconds["first"] / seconds["nothing"], 1),
        state_ms=round(seconds["state"] * 1e3, 2),
    )


class Listener:
    """A screen with the board open: what the stream tells it, and how many bytes it takes to follow."""

    def __init__(self, cookies):
        self.client = AsyncClient()
        self.client.cookies = cookies
        self.followed = asyncio.Event()
        self.bytes = 0

    async def listen(self, event, address):
        """Fetch what has changed when told, until the screen is closed."""
        async for heard in (await self.client.get("/live/")).streaming_content:
            if heard.startswith(b"event: table-"):
                assert heard.startswith(event), heard
                assert not self.bytes, heard  # told once
                answer = await self.client.get(address)
                assert answer.status_code == 200
                self.bytes = len(heard) + len(answer.content)
                self.followed.set()


async def spread(floor, address):
    """One change to every listener; seconds until the last one has followed it, and the bytes for each."""
    listeners = [Listener(floor.client.cookies) for _ in range(LISTENERS)]
    event = f"event: table-{floor.session.pk}\n".encode()
    screens = [asyncio.create_task(one.listen(event, address)) for one in listeners]
    while len(live.hub._queues) < LISTENERS:
        await asyncio.sleep(0.01)
    await sync_to_async(floor.change)()
    start = time.perf_counter()
    await asyncio.gather(*(one.followed.wait() for one in listeners))
    seconds = time.perf_counter() - start
    for screen in screens:
        screen.cancel()
    await asyncio.gather(*screens, return_exceptions=True)
    return seconds, listeners[0].bytes


def change(floor):
    told = {"card": f"/floor/cards/{floor.session.pk}/", "nothing": "/nothing/"}
    taken, sizes = {name: [] for name in told}, set()
    for _ in range(REPEATS // 3):
        for name, address in told.items():
            seconds, size = asyncio.run(spread(floor, address))
            taken[name].append(seconds)
            if name == "card":
                sizes.add(size)
    assert max(sizes) <= MOST_BYTES, sizes
    ours, theirs = (sorted(some)[len(some) // 2] for some in taken.values())
    tell(
        f"live.change.{connection.vendor}",
        "the same event, and an empty view for each listener",
        ours * 1e3,
        theirs * 1e3,
        unit="ms",
        n=LISTENERS,
        repeats=REPEATS // 3,
        bytes_each=max(sizes),
    )


def measure():
    floor = Floor()
    with (
        override_settings(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["testserver"]),
        mock.patch.object(timezone, "now", return_value=NOW),
    ):
        board(floor)
        change(floor)


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
