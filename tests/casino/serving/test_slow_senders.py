"""Connections whose request head does not arrive are cut."""

import asyncio
import contextlib
import resource

import pytest
import uvicorn

from casino.serving import slow_senders
from casino.serving.slow_senders import Connection
from tests.support.loops import finished

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


async def answers(scope, receive, send):
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def serving(app):
    config = uvicorn.Config(app, http=Connection, lifespan="off", log_config=None, ws="none")
    config.load()
    state = uvicorn.server.ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(config, state, {}), "127.0.0.1")
    return server, server.sockets[0].getsockname(), state.connections


async def heard(*sent):
    """Return the server's answer to these pieces before it hangs up, or None if it waits on."""
    server, address, _ = await serving(answers)
    reader, writer = await asyncio.open_connection(*address)
    try:
        for piece in sent:
            writer.write(piece)
            await asyncio.sleep(0.02)
        with contextlib.suppress(ConnectionError):
            return await asyncio.wait_for(reader.read(), 30)
        return b""
    except TimeoutError:
        return None
    finally:
        writer.close()
        server.close()


@pytest.fixture(autouse=True)
def _a_short_time(monkeypatch):
    monkeypatch.setattr(slow_senders, "HEAD_SECONDS", 0.2)


@pytest.mark.parametrize("sent", [(), (b"GET",), (HEAD,), (HEAD + b"\r\n", HEAD)])
def test_a_head_that_does_not_end_is_cut_off(sent):
    said = finished(heard(*sent))
    assert said is not None
    assert said.count(b"HTTP/1.1 204") == (1 if len(sent) == 2 else 0)


def test_a_head_that_comes_in_time_is_answered_and_so_is_the_next(monkeypatch):
    monkeypatch.setattr(slow_senders, "HEAD_SECONDS", 30)
    said = finished(heard(HEAD, b"\r\n", HEAD, b"Connection: close\r\n\r\n"))
    assert said.count(b"HTTP/1.1 204") == 2


# -- more connections than there is room for -------------------------------------------------------


class Door:
    """A server whose application answers once it may; `begun` tells what it has read."""

    def __init__(self):
        self.may_answer, self.begun, self.writers = asyncio.Event(), asyncio.Queue(), []

    async def __call__(self, scope, receive, send):
        self.begun.put_nowait(scope["path"])
        while (await receive()).get("more_body"):
            pass
        await self.may_answer.wait()
        await answers(scope, receive, send)

    async def __aenter__(self):
        self.server, self.address, self.connections = await serving(self)
        return self

    async def __aexit__(self, *_):
        self.server.close()
        for writer in self.writers:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
        while self.connections:
            await asyncio.sleep(0)

    async def come(self, sent=b""):
        reader, writer = await asyncio.open_connection(*self.address)
        if sent:
            writer.write(sent)
            await self.begun.get()
        self.writers.append(writer)
        return reader


async def line(reader):
    """Return the first line, or nothing from a connection that was cut."""
    try:
        return await asyncio.wait_for(reader.readline(), 30)
    except ConnectionError:
        return b""


WHOLE, HALF = HEAD + b"\r\n", HEAD + b"Content-Length: 5\r\n\r\nab"
ANSWER = b"HTTP/1.1 204 No Content\r\n"


@pytest.fixture
def _room_for_three(monkeypatch):
    monkeypatch.setattr(slow_senders, "MOST_CONNECTIONS", 3)
    monkeypatch.setattr(slow_senders, "HEAD_SECONDS", 60)


@pytest.mark.usefixtures("_room_for_three")
def test_of_too_many_connections_the_one_that_has_said_nothing_for_longest_is_cut():
    async def crowd():
        async with Door() as door:
            asked = await door.come(WHOLE)
            silent = [await door.come() for _ in range(5)]
            late = await door.come(WHOLE)
            door.may_answer.set()
            cut = [await line(each) for each in silent[:4]]
            return await line(asked), await line(late), cut

    assert finished(crowd()) == (ANSWER, ANSWER, [b""] * 4)


@pytest.mark.usefixtures("_room_for_three")
def test_half_a_request_makes_room_like_none_and_an_answered_one_does_too():
    async def crowd():
        async with Door() as door:
            half = await door.come(HALF)
            door.may_answer.set()
            answered = await door.come(WHOLE)
            first = await line(answered)
            later = [await door.come(WHOLE) for _ in range(3)]
            said = [await line(each) for each in later]
            return await line(half), first, await answered.read(), said

    assert finished(crowd()) == (b"", ANSWER, b"\r\n", [ANSWER] * 3)


@pytest.mark.usefixtures("_room_for_three")
def test_where_all_have_an_answer_to_come_the_next_one_is_cut_and_none_of_them():
    async def crowd():
        async with Door() as door:
            asked = [await door.come(WHOLE) for _ in range(3)]
            turned_away = await line(await door.come())
            door.may_answer.set()
            return [await line(each) for each in asked], turned_away

    assert finished(crowd()) == ([ANSWER] * 3, b"")


def test_there_is_room_for_half_the_files_at_least_and_the_rest_is_left_for_the_database():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        for files, most in ((300, 150), (1024, 768), (8192, 4000)):
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, limits[1]))
            assert slow_senders.most_connections() == most
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
