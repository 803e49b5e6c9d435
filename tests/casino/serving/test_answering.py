"""Requests at the ASGI door: one thread for each request, and no act behind pages."""

import asyncio
import threading
import time

import pytest
from django.db import connections
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.urls import path

from casino.serving import answering
from casino.serving.answering import ACTS, PAGES, STRANGERS, STRANGERS_WAIT, Answering
from casino.serving.database_watch import DatabaseWatch
from casino.sign_in import asking
from tests.support.lengths import BUSY_MACHINE
from tests.support.loops import finished

SIGNED_IN, STRANGER = asking.marked_key(), "a" * asking.KEY_LENGTH
NOBODY = ("198.51.100.7", 4000)


class House:
    def __init__(self):
        self.threads, self.shown, self.go, self.closed = [], threading.Semaphore(0), threading.Event(), []
        self.connections = []


house = House()


def noted(get_response):
    def middleware(request):
        house.threads.append(threading.get_ident())
        response = get_response(request)
        house.threads.append(threading.get_ident())
        return response

    return middleware


def act(request):
    house.threads.append(threading.get_ident())
    return HttpResponse(request.body)


async def asked_of_the_loop(_request):
    return HttpResponse("here")


def board(_request):
    house.shown.release()
    assert house.go.wait(30)
    return HttpResponse("board")


def stream(_request):
    async def on_and_on():
        try:
            while True:
                yield b"more"
                await asyncio.sleep(0)
        finally:
            house.closed.append("generator")

    response = StreamingHttpResponse(on_and_on())
    response._resource_closers.append(lambda: house.closed.append("response"))
    return response


PIECES = 100


class Export:
    def __init__(self):
        self.left = PIECES

    def read(self, most=-1):
        self.left = max(self.left - 1, 0)
        return b"x" * most if self.left else b""

    def close(self):
        house.closed.append(self.left)


def export(_request):
    return FileResponse(Export(), content_type="application/zip")


def journal(_request):
    def rows():
        connections["default"].ensure_connection()
        house.connections.append(connections["default"])
        yield b"row"

    return StreamingHttpResponse(rows())


def sign_in(_request):
    house.threads.append(threading.current_thread().name)
    return board(_request)


urlpatterns = [
    path("sign-in/", sign_in),
    path("static/file.css", act),
    path("healthz/alive", act),
    path("healthz", act),
    path("act/", act),
    path("api/plan/", act),
    path("loop/", asked_of_the_loop),
    path("board/", board),
    path("stream/", stream),
    path("export/", export),
    path("journal/", journal),
]


@pytest.fixture(autouse=True)
def _these_addresses_alone(settings):
    global house
    house = House()
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = [f"{__name__}.noted"] * 3


async def ask(app, method, address, body=b"", leave_after=None, *, key=None, headers=(), client=NOBODY):
    """Send one request, signed in unless another `key` is given; leave after `leave_after` pieces."""
    left, sent = asyncio.Event(), []
    begun = iter([{"type": "http.request", "body": body}])

    async def receive():
        for message in begun:
            return message
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)
        if len(sent) == leave_after:
            left.set()

    key = SIGNED_IN if key is None else key
    headers = [(b"host", b"localhost"), (b"cookie", f"sessionid={key}".encode()), *headers]
    scope = {"type": "http", "method": method, "path": address, "query_string": b"", "headers": headers}
    scope["client"] = client
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


def test_a_request_stays_in_one_thread_from_the_first_middleware_to_the_last():
    assert finished(ask(Answering(), "POST", "/act/", b"hands")) == (200, b"hands")
    assert len(house.threads) == 7
    assert len(set(house.threads)) == 1


def test_threads_stay_for_the_next_request():
    app = Answering()

    async def two():
        for _ in range(2):
            await ask(app, "POST", "/act/")

    finished(two())
    assert len(set(house.threads)) == 1


def test_a_view_of_the_loop_is_answered_too():
    assert finished(ask(Answering(), "GET", "/loop/")) == (200, b"here")


@pytest.mark.parametrize(("method", "address"), [("POST", "/act/"), ("GET", "/api/plan/")])
def test_acts_and_what_a_dealer_waits_for_go_past_boards_that_are_being_made(method, address):
    app = Answering()

    async def evening():
        boards = [asyncio.create_task(ask(app, "GET", "/board/")) for _ in range(PAGES + 3)]
        for _ in range(PAGES):
            await asyncio.to_thread(house.shown.acquire)
        assert (await ask(app, method, address))[0] == 200
        assert not house.shown.acquire(blocking=False)  # the other boards wait for their turn
        house.go.set()
        return await asyncio.gather(*boards)

    assert set(finished(evening())) == {(200, b"board")}


def test_a_stream_ends_when_its_screen_is_gone():
    status, _ = finished(ask(Answering(), "GET", "/stream/", leave_after=3))
    assert status == 200
    assert house.closed == ["generator", "response"]


def test_a_file_is_read_as_it_is_sent_and_closed_when_nobody_takes_it_any_more():
    status, _ = finished(ask(Answering(), "GET", "/export/", leave_after=3))
    assert status == 200
    (left,) = house.closed
    assert left > PIECES // 2


def test_a_file_arrives_whole():
    assert finished(ask(Answering(), "GET", "/export/")) == (200, b"x" * Answering.chunk_size * (PIECES - 1))
    assert house.closed == [0]


@pytest.mark.django_db(transaction=True)
def test_a_stream_leaves_no_connection_open_in_its_thread():
    """The thread ends with the stream, and nobody else would close what it opened."""
    assert finished(ask(Answering(), "GET", "/journal/")) == (200, b"row")
    (streamed,) = house.connections
    assert streamed.connection is None


# -- strangers -------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _no_terminal_is_known(monkeypatch):
    monkeypatch.setattr("casino.serving.lanes.terminals.hashes", frozenset)


def from_address(number):
    return (f"203.0.113.{number}", 4000)


async def crowd(app, method="POST", address="/sign-in/", key=""):
    """Send as many strangers' requests as there are threads and room."""
    sent = [
        asyncio.create_task(ask(app, method, address, key=key, client=from_address(number)))
        for number in range(STRANGERS + STRANGERS_WAIT)
    ]
    for _ in range(STRANGERS):
        await asyncio.to_thread(house.shown.acquire)
    return sent


@pytest.mark.parametrize("key", ["", STRANGER, SIGNED_IN], ids=["no key", "a stranger's", "of a session"])
def test_who_is_signed_in_waits_for_nobody_who_signs_in_and_one_more_of_those_is_refused_at_once(key):
    app = Answering()

    async def evening():
        strangers = await crowd(app, key=key)
        for method, address in (("POST", "/act/"), ("GET", "/api/plan/"), ("GET", "/loop/")):
            assert (await ask(app, method, address))[0] == 200
        status, body = await ask(app, "POST", "/sign-in/", key=key, client=from_address(250))
        assert (status, b"Many people sign in at this moment" in body) == (503, True)
        house.go.set()
        return await asyncio.gather(*strangers)

    assert {status for status, _ in finished(evening())} == {200}
    assert all(name.startswith("stranger") for name in house.threads if isinstance(name, str))


def test_an_address_that_comes_again_and_again_waits_for_being_refused(monkeypatch):
    monkeypatch.setattr("casino.serving.lanes.FEW", 1)
    app, held = Answering(), []

    async def hold(seconds):
        held.append(seconds)

    async def evening():
        strangers, told = await crowd(app), []
        with monkeypatch.context() as patched:
            patched.setattr(answering.asyncio, "sleep", hold)
            for _ in range(2):
                assert (await ask(app, "POST", "/sign-in/", key="", client=from_address(250)))[0] == 503
                told.append(list(held))
        house.go.set()
        await asyncio.gather(*strangers)
        return told

    assert finished(evening()) == [[], [answering.HELD_SECONDS]]


def test_a_made_up_session_is_a_stranger_wherever_it_is_sent():
    app = Answering()

    async def evening():
        strangers = await crowd(app, "GET", "/board/", key=STRANGER)
        assert (await ask(app, "POST", "/act/"))[0] == 200
        house.go.set()
        await asyncio.gather(*strangers)

    finished(evening())


def test_files_and_signs_of_life_wait_for_nobody(monkeypatch):
    app = Answering()

    async def evening():
        waiting = await crowd(app)
        waiting += [asyncio.create_task(ask(app, "POST", "/board/")) for _ in range(ACTS)]
        waiting += [asyncio.create_task(ask(app, "GET", "/board/")) for _ in range(PAGES)]
        for _ in range(ACTS + PAGES):
            await asyncio.to_thread(house.shown.acquire)
        for address in ("/static/file.css", "/healthz/alive", "/healthz"):
            for key in (SIGNED_IN, ""):
                assert (await ask(app, "GET", address, key=key))[0] == 200
        house.go.set()
        await asyncio.gather(*waiting)

    finished(evening())


# -- a database that is away -----------------------------------------------------------------------


class Frozen(DatabaseWatch):
    silent_since = None

    @property
    def away_seconds(self):
        return 0.0 if self.silent_since is None else time.monotonic() - self.silent_since


@pytest.fixture
def database(monkeypatch):
    frozen = Frozen()
    monkeypatch.setattr(answering, "watch", frozen)
    return frozen


@pytest.mark.parametrize(
    ("method", "address"), [("GET", "/board/"), ("POST", "/act/"), ("POST", "/sign-in/")]
)
def test_a_database_that_is_away_is_said_at_once_to_all_but_files_and_signs_of_life(
    database, method, address
):
    app, database.silent_since = Answering(), time.monotonic() - 1
    for key in (SIGNED_IN, ""):
        status, body = finished(ask(app, method, address, key=key))
        assert (status, b"database_away" in body) == (503, True)
    for light in ("/static/file.css", "/healthz/alive", "/healthz"):
        assert finished(ask(app, "GET", light))[0] == 200
    database.silent_since = None
    assert finished(ask(app, "POST", "/act/"))[0] == 200


def test_a_board_and_a_sign_in_that_wait_for_a_database_that_freezes_are_told_within_two_seconds(database):
    app = Answering()

    async def evening():
        waiting = [asyncio.create_task(ask(app, "GET", "/board/")) for _ in range(PAGES + 2)]
        waiting += [asyncio.create_task(ask(app, "POST", "/sign-in/", key="")) for _ in range(STRANGERS + 2)]
        for _ in range(PAGES + STRANGERS):
            await asyncio.to_thread(house.shown.acquire)
        act = asyncio.create_task(ask(app, "POST", "/board/"))
        await asyncio.to_thread(house.shown.acquire)
        database.silent_since = began = time.monotonic()
        told = await asyncio.gather(*waiting)
        assert time.monotonic() - began < 2 + BUSY_MACHINE
        assert {(status, b"database_away" in body) for status, body in told} == {(503, True)}
        database.silent_since = None
        house.go.set()
        assert await act == (200, b"board")  # an act is waited for
        return [
            await ask(app, method, address) for method, address in (("GET", "/board/"), ("POST", "/act/"))
        ]

    assert {status for status, _ in finished(evening())} == {200}  # and the threads are free again


def test_an_act_waits_no_longer_than_for_a_lock(database, settings):
    settings.BUSY_SECONDS = 0
    app = Answering()

    async def evening():
        act = asyncio.create_task(ask(app, "POST", "/board/"))
        await asyncio.to_thread(house.shown.acquire)
        database.silent_since = time.monotonic()
        assert (await act)[0] == 503
        house.go.set()

    finished(evening())
