"""uvicorn's connections, with a time limit for request heads and a limit on their number, since each needs a
file descriptor. The edge (`edge.py`) limits the time for bodies."""

import asyncio
import resource
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 10.0
"""From the connection, or the next request's first byte, to the end of the head."""
MOST_CONNECTIONS = 4000
"""The most connections of one process: live pages, and some thousands of silent ones at a few kB each."""
OTHER_FILES = 256
"""File descriptors left for database, logs, static files and connections accepted between two checks."""
BACKLOG = 128
"""Connections that may queue between two checks; more wait in the kernel, at no file descriptor."""


def most_connections() -> int:
    """Return the limit for this process, from its file limit (`ulimit -n`)."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(files - OTHER_FILES, files // 2))


class Connection(HttpToolsProtocol):
    """One connection. When there are too many, the one that has been silent longest is cut."""

    waiting: ClassVar[dict["Connection", None]] = {}
    """Connections waiting for a request or its rest, longest first; those owed an answer are not in it."""

    _cutting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Cut the longest silent connection if there are too many."""
        super().connection_made(transport)
        self.waiting[self] = None
        self._wait_for_head()
        if len(self.connections) > most_connections():
            longest = next(iter(self.waiting))
            del self.waiting[longest]
            longest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.waiting.pop(self, None)
        self._stop_waiting()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        if self._cutting is None:
            self._wait_for_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The client waits now, unless it was answered early."""
        super().on_message_complete()
        if not self.cycle.response_complete:
            self.waiting.pop(self, None)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and self in self.connections:
            self.waiting[self] = None

    def _wait_for_head(self) -> None:
        self._cutting = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._cutting is not None:
            self._cutting.cancel()
            self._cutting = None
