"""Requests at the ASGI door: one thread for each from the first middleware to the last, and no act behind pages."""

import asyncio
import threading

import pytest
from django.db import connections
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.urls import path

from casino.serving.answering import PAGES, Answering
from tests.support.loops import finished


class House:
    """What the views below have seen and wait for."""

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
    """A file of many pieces."""

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


urlpatterns = [
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


async def ask(app, method, address, body=b"", leave_after=None):
    """Send one request; what was answered. Whoever leaves does so after so many pieces."""
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

    headers = [(b"host", b"localhost")]
    scope = {"type": "http", "method": method, "path": address, "query_string": b"", "headers": headers}
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
