"""Connections whose head does not come are cut off."""

import asyncio
import contextlib

import pytest
import uvicorn

from casino.serving import slow_senders
from casino.serving.slow_senders import Connection
from tests.support.loops import finished

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


async def answers(scope, receive, send):
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def heard(*sent):
    """What a server answers to these pieces of a connection before it hangs up, or waits on after twice that time (None)."""
    config = uvicorn.Config(answers, http=Connection, lifespan="off", log_config=None, ws="none")
    config.load()
    state = uvicorn.server.ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(config, state, {}), "127.0.0.1")
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    try:
        for piece in sent:
            writer.write(piece)
            await asyncio.sleep(0.02)
        with contextlib.suppress(ConnectionError):
            return await asyncio.wait_for(reader.read(), 2 * slow_senders.HEAD_SECONDS + 1)
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


def test_a_head_that_comes_in_time_is_answered_and_so_is_the_next():
    said = finished(heard(HEAD, b"\r\n", HEAD, b"Connection: close\r\n\r\n"))
    assert said.count(b"HTTP/1.1 204") == 2
