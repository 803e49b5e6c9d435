"""The dashboard: the board of 100 tables through the whole server, against a view that answers nothing."""

import sys
from datetime import timedelta
from unittest import mock

from _house import MEASURE, OPENING, House, on_databases
from _measure import medians, tell
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings
from django.urls import path
from django.utils import timezone

from casino import urls
from tables import rounds

TABLES, REPEATS = 100, 15


def nothing(_request):
    """A view that answers nothing, behind the same middleware."""
    return HttpResponse()


urlpatterns = [path("nothing/", nothing), *urls.urlpatterns]


def board(client, queries=None):
    with CaptureQueriesContext(connection) as asked:
        answer = client.get("/floor/")
    assert answer.status_code == 200
    if queries is not None:
        queries.append(len(asked))
    return answer


def play(house, sessions):
    for session in sessions:
        rounds.start_round(
            session_id=session.pk, key=house.key(), actor=house.dealers[session.pk], now=OPENING
        )


def measure():
    house = House(TABLES)
    play(house, house.sessions)
    client = Client()
    client.force_login(house.people["floor"])
    now = OPENING + timedelta(minutes=30)
    with (
        override_settings(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["testserver"]),
        mock.patch.object(timezone, "now", return_value=now),
    ):
        queries = []
        size = len(board(client, queries).content)
        assert client.get("/nothing/").status_code == 200
        seconds = medians(
            REPEATS,
            {
                "board": lambda _repeat: client.get("/floor/"),
                "nothing": lambda _repeat: client.get("/nothing/"),
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
        queries=queries[0],
        kilobytes=size // 1000,
        times=round(seconds["board"] / seconds["nothing"], 1),
    )


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
