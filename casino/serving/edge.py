"""The ASGI edge before Django: bounds length and time of requests, and decides which proxies to believe.
Django reads a body to its end, to disk if it is long, before it knows who sends it. So bodies are read here.
One that is too long or too slow is dropped, and `TooLong` (middleware.py) answers."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]
Address = IPv4Address | IPv6Address

REFUSED = "casino.refused"
"""Scope key of a refusal: status, sentence, code."""
LONGEST_ADDRESS = 8_000
"""Bytes of path and query together, more than any form sent by GET needs."""
LARGEST_BODIES = (("/sign-in/", 8 * 1024), ("/set-up/", 16 * 1024), ("/api/", 32 * 1024), ("/", 128 * 1024))
"""Bytes of a body by path prefix, first match. The house accepts no file uploads."""
BODY_SECONDS = 30.0
"""Seconds for a body to arrive, enough for the longest one over a phone line. No thread waits meanwhile."""
FROM_PROXIES = (b"forwarded", b"x-real-ip")


class Edge:
    def __init__(self, app: App, proxies: Iterable[str]) -> None:
        self.app = app
        self.proxies = networks(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, without its body if that is refused."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = list(scope["headers"])
        scope = {**scope, **told_by_proxies(scope.get("client"), scope["scheme"], headers, self.proxies)}
        scope["headers"] = [(name, value) for name, value in headers if not _is_from_proxies(name)]
        refusal = _too_long_an_address(scope)
        if refusal is None:
            most = most_bytes(scope["path"])
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    whole = await _bounded(headers, receive, most)
            except TimeoutError:
                refusal = 408, "This took too long to arrive: send it again.", "body_too_slow"
            else:
                refusal = (
                    413,
                    f"This is too long: at most {most:,} bytes may be sent here.",
                    "body_too_long",
                )
                if whole is not None:
                    refusal, receive = None, _first(whole, receive)
        if refusal is not None:
            scope[REFUSED] = refusal
            receive, send = _first({"type": "http.request"}, _for_ever), _closing(send)
        await self.app(scope, receive, send)


def most_bytes(path: str) -> int:
    return next(most for beginning, most in LARGEST_BODIES if path.startswith(beginning) or beginning == "/")


def _too_long_an_address(scope: Scope) -> tuple[int, str, str] | None:
    length = len(scope["path"]) + len(scope["query_string"])
    if length <= LONGEST_ADDRESS:
        return None
    return (
        414,
        f"This address is too long: at most {LONGEST_ADDRESS:,} characters can be read.",
        "address_too_long",
    )


async def _bounded(headers: Headers, receive: Receive, most: int) -> Message | None:
    """Read the body into one message; None if longer than `most`. Return a disconnect message unchanged."""
    given = {name: value for name, value in headers if name in (b"content-length", b"transfer-encoding")}
    length = given.get(b"content-length", b"0")
    announced = int(length) if length.isdigit() and len(length) < 20 else most + 1
    if b"transfer-encoding" not in given and announced > most:
        return None
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return message
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > most:
            return None
    return {"type": "http.request", "body": bytes(body), "more_body": False}


def _first(message: Message, receive: Receive) -> Receive:
    waiting = [message]

    async def give() -> Message:
        return waiting.pop() if waiting else await receive()

    return give


async def _for_ever() -> Message:
    """Block: leave the rest of the request unread until the server hangs up."""
    return await asyncio.Future()


def _closing(send: Send) -> Send:
    """Have the server close the connection after the answer, so that the client stops sending."""

    async def say(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), (b"connection", b"close")]
        await send(message)

    return say


def networks(proxies: Iterable[str]) -> list[IPv4Network | IPv6Network]:
    """Parse the networks of trusted proxies. ValueError if malformed, or if one contains every address."""
    found = [ip_network(proxy.strip(), strict=False) for proxy in proxies if proxy.strip()]
    if any(network.prefixlen == 0 for network in found):
        raise ValueError("a network of everybody")
    return found


def told_by_proxies(
    client: tuple[str, int] | None,
    scheme: str,
    headers: Headers,
    proxies: Iterable[IPv4Network | IPv6Network],
) -> dict[str, Any]:
    """Return the client and scheme; forwarding headers count only from trusted proxies. Each appends the
    address it saw: the last one that is not a proxy's is the client; a malformed one ends the search."""
    here = address_in(client[0]) if client else None
    if not _is_ours(here, proxies):
        return {"client": client, "scheme": scheme}
    joined = {name: b",".join(v for n, v in headers if n == name) for name in {name for name, _ in headers}}
    for part in reversed(joined.get(b"x-forwarded-for", b"").decode("latin-1").split(",")):
        address = address_in(part.strip())
        if address is None:
            break
        client = (str(address), 0)
        if not _is_ours(address, proxies):
            break
    proto = joined.get(b"x-forwarded-proto", b"").rpartition(b",")[2].strip()
    return {"client": client, "scheme": proto.decode() if proto in (b"http", b"https") else scheme}


def address_in(text: str) -> Address | None:
    """Return the IP address in a text, with or without a port; None for anything else."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return address
    # A scope id after % may be any text; reject it.
    return None if address.scope_id else address.ipv4_mapped or address


def _is_ours(address: Address | None, proxies: Iterable[IPv4Network | IPv6Network]) -> bool:
    return address is not None and any(address in network for network in proxies)


def _is_from_proxies(name: bytes) -> bool:
    return name in FROM_PROXIES or name.startswith(b"x-forwarded-")
