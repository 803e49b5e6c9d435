"""uvicorn's connection, cut off where the head of a request does not come, and bounded in number: each takes a file of the process,
and one that opens no file any more answers nobody. How long a body may take is held by the edge (`edge.py`)."""

import asyncio
import resource
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 10.0
"""From the connection, or the first byte of another request on it, to the end of the head."""
MOST_CONNECTIONS = 4000
"""That a process keeps at once: live pages of a house, and some thousands that say nothing, at a few kilobytes each."""
OTHER_FILES = 256
"""Left for database, logs and static files, and for connections that come between two looks at how many there are."""
BACKLOG = 128
"""How many may come between two such looks; more wait in the system, which costs no file."""


def most_connections() -> int:
    """Return how many connections this process keeps, by the files that it may open (`ulimit -n`)."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(files - OTHER_FILES, files // 2))


class Connection(HttpToolsProtocol):
    """One connection; it waits for no head longer than that. Where there are too many, the one that has waited longest for its other
    side to send something is cut: whoever comes with a request is answered, however many say nothing.
    """

    waiting: ClassVar[dict["Connection", None]] = {}
    """Those that wait for a request or for the rest of one, longest first. Nobody is cut whom the house still owes an answer."""

    _cutting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head, in the place of another where there is none left."""
        super().connection_made(transport)
        self.waiting[self] = None
        self._wait_for_head()
        if len(self.connections) > most_connections():
            longest = next(iter(self.waiting))
            del self.waiting[longest]
            longest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self.waiting.pop(self, None)
        self._stop_waiting()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Wait for the head of a request that has begun."""
        if self._cutting is None:
            self._wait_for_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Here it is."""
        self._stop_waiting()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Here is all of it: now the other side waits, unless it was answered before."""
        super().on_message_complete()
        if not self.cycle.response_complete:
            self.waiting.pop(self, None)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if self.cycle.response_complete and self in self.connections:
            self.waiting[self] = None

    def _wait_for_head(self) -> None:
        self._cutting = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._cutting is not None:
            self._cutting.cancel()
            self._cutting = None
