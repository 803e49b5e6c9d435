"""The board of 100 tables, through all of Django, against an empty view behind the same middleware. It is
loaded after one table has changed, after none has, and by a process that has never shown it."""

import sys
from datetime import timedelta
from unittest import mock

from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings
from django.urls import path
from django.utils import timezone

from benchmarks._house import MEASURE, OPENING, House, on_databases
from benchmarks._measure import medians, tell
from casino import urls
from ledger.journal.acts import Act
from tables.models import Sitting
from tables.rounds import starting
from tables.seats import sitting as seats_sitting
from tables.state.table_state import sessions, state_of
from tables.views.floor import board_cache

TABLES, REPEATS = 100, 9
NOW = OPENING + timedelta(minutes=30)


def nothing(_request):
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
        f"live.board.{connection.vendor}",
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


def measure():
    floor = Floor()
    with (
        override_settings(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["testserver"]),
        mock.patch.object(timezone, "now", return_value=NOW),
    ):
        board(floor)


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
