"""The edge before Django: limits of requests, and which proxies are believed."""

import asyncio
import http.client
import json
import socket
from urllib.parse import urlsplit

import pytest

from casino.serving import edge
from casino.serving.edge import LARGEST_BODIES, LONGEST_ADDRESS, REFUSED, Edge, address_in, most_bytes
from tests.support.loops import finished

PROXIES = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"]


def through(path="/floor/", pieces=(b"",), client=("127.0.0.1", 4000), headers=(), query=b"", left=False):
    """Return what Django would get of a request: its scope, the body it reads, and the answer's headers."""
    seen, sent, coming = {}, [], []
    for number, piece in enumerate(pieces, start=1):
        coming.append({"type": "http.request", "body": piece, "more_body": number < len(pieces) or left})
    coming.append({"type": "http.disconnect"})
    read = []

    async def receive():
        if coming[0].get("body", b"") is None:
            await asyncio.Future()
        read.append(len(coming[0].get("body", b"")))
        return coming.pop(0)

    async def send(message):
        sent.append(message)

    async def django(scope, receive, send):
        seen["scope"], seen["body"], more = scope, b"", True
        while more:
            message = await receive()
            seen["left"] = message["type"] == "http.disconnect"
            seen["body"] += message.get("body", b"")
            more = message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    scope = {"type": "http", "path": path, "query_string": query, "scheme": "http", "client": client}
    scope["headers"] = [(name.lower().encode(), value.encode()) for name, value in headers]
    finished(Edge(django, PROXIES)(scope, receive, send))
    return {**seen, "refused": seen["scope"].get(REFUSED), "read": sum(read), "sent": sent}


def from_proxies(*headers, client="127.0.0.1"):
    scope = through(headers=headers, client=(client, 4000))["scope"]
    return scope["client"][0], scope["scheme"]


CHUNKED = [("Transfer-Encoding", "chunked")]


@pytest.mark.parametrize("path", [beginning for beginning, _ in LARGEST_BODIES])
def test_a_body_may_be_as_long_as_its_address_allows_and_no_longer(path):
    most = most_bytes(path)
    for headers in ([("Content-Length", str(most))], CHUNKED):
        passed = through(path, [b"x" * most], headers=headers)
        assert (passed["refused"], len(passed["body"])) == (None, most)
    for headers in ([("Content-Length", str(most + 1))], CHUNKED):
        refused = through(path, [b"x" * (most + 1)], headers=headers)
        assert refused["refused"][0] == 413
        assert f"{most:,} bytes" in refused["refused"][1]
        assert refused["body"] == b""
        assert (b"connection", b"close") in refused["sent"][0]["headers"]


def test_nobody_unsigned_sends_more_than_a_page_of_text():
    assert max(most_bytes("/sign-in/"), most_bytes("/set-up/?token=x")) <= 16 * 1024


def test_a_stream_without_end_is_read_no_further_than_its_limit():
    refused = through("/api/rounds/1/settle", [b"x" * 10_000] * 1_000, headers=CHUNKED)
    assert refused["refused"][0] == 413
    assert refused["read"] <= most_bytes("/api/") + 10_000


@pytest.mark.parametrize("length", ["-1", "1e3", "9" * 30, "", "١"])
def test_a_length_that_is_no_number_is_too_long(length):
    assert through(headers=[("Content-Length", length)])["refused"][0] == 413


@pytest.mark.parametrize("headers", [[("Content-Length", "100")], CHUNKED])
def test_a_body_that_does_not_come_is_waited_for_no_longer_than_it_may_take(monkeypatch, headers):
    monkeypatch.setattr(edge, "BODY_SECONDS", 0.05)
    refused = through(pieces=[b"a", None], headers=headers)
    assert refused["refused"] == (408, "This took too long to arrive: send it again.", "body_too_slow")
    assert refused["body"] == b""
    assert (b"connection", b"close") in refused["sent"][0]["headers"]


def test_a_body_in_pieces_arrives_whole():
    assert through(pieces=[b"a", b"b", b"c"], headers=CHUNKED)["body"] == b"abc"


def test_django_hears_that_whoever_sent_it_has_gone():
    assert through(pieces=[b"a"], headers=CHUNKED, left=True)["left"]


def test_an_address_that_is_too_long_is_not_read():
    assert through("/" + "x" * (LONGEST_ADDRESS - 1))["refused"] is None
    refused = through("/players/", query=b"q=" + b"x" * 60_000)["refused"]
    assert refused[0] == 414
    assert "8,000 characters" in refused[1]


# -- proxies -------------------------------------------------------------------------------------------------


def test_a_proxy_of_ours_says_who_asks_and_how():
    said = [("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-Proto", "https")]
    assert from_proxies(*said) == ("198.51.100.7", "https")


def test_nobody_else_is_believed():
    said = [("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-Proto", "https")]
    assert from_proxies(*said, client="203.0.113.9") == ("203.0.113.9", "http")


def test_of_a_row_of_proxies_the_first_stranger_is_the_sender():
    assert from_proxies(("X-Forwarded-For", "1.1.1.1, 198.51.100.7, 10.1.2.3"))[0] == "198.51.100.7"
    assert from_proxies(("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-For", "10.1.2.3"))[0] == (
        "198.51.100.7"
    )
    assert from_proxies(("X-Forwarded-For", "10.9.9.9, 10.1.2.3"))[0] == "10.9.9.9"


@pytest.mark.parametrize("said", ["<script>", "unknown", "", "fe80::1%<b>", "1.2.3.4.5", "198.51.100.7;drop"])
def test_what_is_no_address_is_nobody_s(said):
    assert from_proxies(("X-Forwarded-For", said))[0] == "127.0.0.1"
    assert from_proxies(("X-Forwarded-For", f"{said}, 10.1.2.3"))[0] == "10.1.2.3"


@pytest.mark.parametrize("proto", ["ftp", "HTTPS", "http, gopher", ""])
def test_what_is_no_scheme_is_nobody_s(proto):
    assert from_proxies(("X-Forwarded-Proto", proto))[1] == "http"


def test_the_word_of_the_nearest_proxy_counts_for_the_scheme():
    assert from_proxies(("X-Forwarded-Proto", "https, http"))[1] == "http"
    assert from_proxies(("X-Forwarded-Proto", "https"), ("X-Forwarded-Proto", "http"))[1] == "http"


def test_an_address_may_come_with_its_port():
    assert [str(address_in(text)) for text in ("1.2.3.4:80", "[2001:db8::1]:80", "2001:db8::1")] == [
        "1.2.3.4",
        "2001:db8::1",
        "2001:db8::1",
    ]
    assert str(address_in("::ffff:127.0.0.1")) == "127.0.0.1"


def test_none_of_these_headers_reaches_django_and_the_host_is_never_a_proxy_s_word():
    names = ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Real-IP"]
    said = [(name, "evil.example") for name in (*names, "Forwarded")]
    for client in ("127.0.0.1", "203.0.113.9"):
        scope = through(headers=[*said, ("Host", "tables.example")], client=(client, 1))["scope"]
        assert scope["headers"] == [(b"host", b"tables.example")]


@pytest.mark.parametrize("proxies", [["*"], ["0.0.0.0/0"], ["::/0"], ["localhost"]])
def test_proxies_are_named_by_their_addresses_and_never_everybody(proxies):
    with pytest.raises(ValueError, match=r"."):
        Edge(None, proxies)


# -- a real server -------------------------------------------------------------------------------------------


def said_of(asgi, method, path, headers=(), body=None):
    there = http.client.HTTPConnection(urlsplit(asgi).netloc, timeout=30)
    there.request(method, path, body=body, headers=dict(headers), encode_chunked=False)
    answer = there.getresponse()
    found = answer.status, answer.headers["Content-Type"], answer.read().decode()
    there.close()
    return found


@pytest.mark.django_db(transaction=True)
def test_300_mb_of_nobody_are_refused_unread_in_the_form_of_the_door(asgi):
    long = [("Content-Length", str(300 * 2**20))]
    status, kind, text = said_of(asgi, "POST", "/api/rounds/1/settle", long)
    assert (status, kind) == (413, "application/json")
    assert json.loads(text) == {
        "code": "body_too_long",
        "error": "This is too long: at most 32,768 bytes may be sent here.",
        "field": None,
    }
    status, kind, text = said_of(asgi, "POST", "/sign-in/", long)
    assert (status, kind) == (413, "text/html; charset=utf-8")
    assert "This is too long: at most 8,192 bytes may be sent here." in text
    status, _, text = said_of(asgi, "GET", "/players/?q=" + "x" * 60_000)
    assert status == 414
    assert "This address is too long" in text


@pytest.mark.django_db(transaction=True)
def test_a_stream_of_nobody_ends_at_its_limit(asgi):
    host = urlsplit(asgi)
    with (
        socket.create_connection((host.hostname, host.port), timeout=30) as there,
        there.makefile("rb") as answer,
    ):
        there.sendall(b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        piece = b"1000\r\n" + b"x" * 0x1000 + b"\r\n"
        there.sendall(piece * 3)  # and no end
        # the reason phrase depends on the Python version
        assert answer.readline().startswith(b"HTTP/1.1 413 ")
        assert b"\r\nconnection: close\r\n" in answer.read().lower()
