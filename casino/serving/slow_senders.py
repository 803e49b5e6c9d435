"""uvicorn's connection, cut off where the head of a request does not come: it would wait for ever, and each takes a file of the
process. How long a body may take is held by the edge (`edge.py`)."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 10.0
"""From the connection, or the first byte of another request on it, to the end of the head."""


class Connection(HttpToolsProtocol):
    """One connection; it waits for no head longer than that."""

    _cutting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
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

    def _wait_for_head(self) -> None:
        self._cutting = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._cutting is not None:
            self._cutting.cancel()
            self._cutting = None
