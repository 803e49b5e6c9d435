"""The web server of a witness: `POST /add-checkpoint`, nothing else. TLS is a proxy's."""

import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ledger.proof.audit.tree.note import MOST_BYTES
from ledger.proof.witness.answering import TEXT, WitnessAnswer, answer
from ledger.proof.witness.book import Book

SECONDS = 10
_MOST_DIGITS = 20
"""Digits of a length that is parsed: Python refuses to read thousands of them."""


class WitnessServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, book: Book, host: str, port: int) -> None:
        self.book = book
        super().__init__((host, port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = SECONDS
    server: WitnessServer

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        is_number = length.isascii() and length.isdecimal()
        if self.path.rstrip("/").rpartition("/")[2] != "add-checkpoint":
            self._refuse(HTTPStatus.NOT_FOUND)
        elif not is_number:
            self._refuse(HTTPStatus.LENGTH_REQUIRED)
        elif len(length) > _MOST_DIGITS or int(length) > MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self._send(answer(self.server.book, self.rfile.read(int(length)), now=time.time))

    def _refuse(self, status: HTTPStatus) -> None:
        """Answer without reading the body, and close the connection for that reason."""
        self._send(WitnessAnswer(status, f"{status.phrase}\n", TEXT), "close")

    def _send(self, answered: WitnessAnswer, connection: str = "keep-alive") -> None:
        data = answered.text.encode()
        self.send_response(answered.status)
        self.send_header("Connection", connection)
        self.send_header("Content-Type", answered.kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
