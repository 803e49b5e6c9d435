"""The web server of a witness: `POST /add-checkpoint` (C2SP tlog-witness), nothing else. The answer is its
cosignature, or why not. TLS is a proxy's."""

import secrets
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from ledger.proof.audit.errors import BadCheckpoint, BadNote, BadProof, BadSignature, BadVerifierKey
from ledger.proof.audit.tree import cosignatures, log_keys, note
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.cosignatures import SIZE_TYPE, Submission
from ledger.proof.audit.tree.merkle import EMPTY_ROOT, verify_consistency
from ledger.proof.audit.tree.note import MOST_BYTES
from ledger.proof.witness.book import Book, CosignedTree, LogTurn

TEXT = "text/plain; charset=utf-8"


class WitnessAnswer(NamedTuple):
    status: HTTPStatus
    text: str
    kind: str = TEXT


_NOTHING = CosignedTree(0, EMPTY_ROOT, b"", 0)


def answer(book: Book, body: bytes, *, now: Callable[[], float]) -> WitnessAnswer:
    """Answer a submission: keep its checkpoint and cosign it, if it continues the newest one of its log."""
    try:
        asked = Submission.parse(body)
        tree = TreeHead.parse(note.parse(asked.checkpoint).text)
    except (BadProof, BadNote, BadCheckpoint) as error:
        return WitnessAnswer(HTTPStatus.BAD_REQUEST, f"{error}\n")
    known = book.keys_of(tree.origin)
    if not known:
        return WitnessAnswer(HTTPStatus.NOT_FOUND, f"This witness does not know the log {tree.origin}.\n")
    try:
        log_keys.opened(asked.checkpoint, origin=tree.origin, known=known)
    except (BadSignature, BadVerifierKey) as error:
        return WitnessAnswer(HTTPStatus.FORBIDDEN, f"{error}\n")
    if asked.old > tree.size:
        return WitnessAnswer(HTTPStatus.BAD_REQUEST, "The old size is larger than the checkpoint's.\n")
    with book.turn(tree.origin) as turn:
        refused = _refused(turn, asked, tree)
        if refused is None:
            seconds = int(now())
            turn.keep(tree, asked.checkpoint, seconds)
    return refused or WitnessAnswer(HTTPStatus.OK, _cosignature(book, tree, seconds))


def _refused(turn: LogTurn, asked: Submission, tree: TreeHead) -> WitnessAnswer | None:
    newest = turn.newest or _NOTHING
    if asked.old != newest.size or (tree.size == newest.size and tree.root != newest.root):
        return WitnessAnswer(HTTPStatus.CONFLICT, f"{newest.size}\n", SIZE_TYPE)
    try:
        verify_consistency(
            old_size=newest.size,
            old_root=newest.root,
            new_size=tree.size,
            new_root=tree.root,
            proof=asked.proof,
        )
    except BadProof as error:
        return WitnessAnswer(HTTPStatus.UNPROCESSABLE_ENTITY, f"{error}\n")
    return None


def _cosignature(book: Book, tree: TreeHead, seconds: int) -> str:
    message = cosignatures.message(book.key, tree, seconds)
    signature = book.signing_key.sign(message, secrets.token_bytes(32))
    line = note.Signature(book.name, book.key.key_id, cosignatures.stamped(seconds, signature)).line
    return f"{line}\n"


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
