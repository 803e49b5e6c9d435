"""The ASGI application around Django's that continues a stream begun by a view.

Django would keep a thread until the answer ends, and a screen's stream lasts all night: the view leaves its
listener in the request's scope, and the loop sends the rest.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from tables.live.hub import Listener, hub

LISTENER = "tables.live.listener"
"""The key of a scope under which a view leaves the listener that is to join the hub."""
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]


class Streams:
    """Delay the end of a streamed response until its listener ends or its screen is gone."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        async def until_end(message: Message) -> None:
            if LISTENER not in scope or message["type"] != "http.response.body" or message.get("more_body"):
                await send(message)

        try:
            await self.app(scope, receive, until_end)
            if LISTENER in scope:
                hub.join(scope[LISTENER])
                await _go_on(scope[LISTENER], receive, send)
        finally:
            if LISTENER in scope:
                hub.leave(scope[LISTENER])


async def _go_on(listener: Listener, receive: Receive, send: Send) -> None:
    async def until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        listener.end()

    watching = asyncio.create_task(until_gone())
    try:
        async for text in listener.said():
            await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        watching.cancel()
