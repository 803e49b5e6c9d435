"""A witness's SQLite file: its key, the logs it knows, and every checkpoint it has cosigned."""

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.audit.tree.mldsa import SEED_BYTES, SigningKey
from ledger.proof.audit.tree.note import COSIGNED_BY_MLDSA, VerifierKey

BUSY_SECONDS = 5.0
PRIVATE = 0o600

_TABLES = """
CREATE TABLE witness (name TEXT NOT NULL, seed BLOB NOT NULL);
CREATE TABLE log (origin TEXT NOT NULL, key TEXT NOT NULL UNIQUE);
CREATE TABLE checkpoint (
    origin TEXT NOT NULL, size INTEGER NOT NULL, root BLOB NOT NULL, note BLOB NOT NULL,
    seconds INTEGER NOT NULL
);
CREATE INDEX newest ON checkpoint (origin, size);
"""


class CosignedTree(NamedTuple):
    size: int
    root: bytes
    note: bytes
    seconds: int


class Book:
    """The file of a witness. Raises OSError if it is missing, sqlite3.Error if it is damaged."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise FileNotFoundError(f"{path}: no witness was made here")
        self._path = path
        with self._open() as book:
            self.name, self._seed = book.execute("SELECT name, seed FROM witness").fetchone()

    @classmethod
    def make(cls, path: Path, name: str) -> "Book":
        """Create a witness with a new key. Raises BadVerifierKey for a bad name, OSError for a taken file."""
        seed = secrets.token_bytes(SEED_BYTES)
        VerifierKey(name, SigningKey(seed).public, COSIGNED_BY_MLDSA)
        path.touch(PRIVATE, exist_ok=False)
        with sqlite3.connect(path) as book:
            book.executescript(_TABLES)
            book.execute("INSERT INTO witness VALUES (?, ?)", (name, seed))
        book.close()
        return cls(path)

    @property
    def signing_key(self) -> SigningKey:
        return SigningKey(self._seed)

    @property
    def key(self) -> VerifierKey:
        return VerifierKey(self.name, self.signing_key.public, COSIGNED_BY_MLDSA)

    def trust(self, key: LogKey) -> None:
        with self._open() as book:
            book.execute("INSERT OR IGNORE INTO log VALUES (?, ?)", (key.name, key.text))

    def keys_of(self, origin: str) -> list[LogKey]:
        with self._open() as book:
            found = book.execute("SELECT key FROM log WHERE origin = ?", (origin,)).fetchall()
        return [LogKey.parse(text) for (text,) in found]

    def origins(self) -> list[str]:
        with self._open() as book:
            return [origin for (origin,) in book.execute("SELECT DISTINCT origin FROM log ORDER BY origin")]

    def newest(self, origin: str) -> CosignedTree | None:
        with self._open() as book:
            return _newest(book, origin)

    @contextmanager
    def turn(self, origin: str) -> Iterator["LogTurn"]:
        """Lock the file, from reading the newest checkpoint of a log to keeping the next one."""
        with self._open() as book:
            yield LogTurn(book, origin)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction, which is on the disk once this ends."""
        book = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            book.execute("PRAGMA synchronous = FULL")
            book.execute("BEGIN IMMEDIATE")
            yield book
            book.execute("COMMIT")
        finally:
            book.close()


class LogTurn:
    def __init__(self, book: sqlite3.Connection, origin: str) -> None:
        self._book = book
        self.newest = _newest(book, origin)

    def keep(self, tree: TreeHead, note: bytes, seconds: int) -> None:
        row = (tree.origin, tree.size, tree.root, note, seconds)
        self._book.execute("INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?)", row)


def _newest(book: sqlite3.Connection, origin: str) -> CosignedTree | None:
    found = book.execute(
        "SELECT size, root, note, seconds FROM checkpoint WHERE origin = ? ORDER BY size DESC, seconds DESC"
        " LIMIT 1",
        (origin,),
    ).fetchone()
    return None if found is None else CosignedTree(*found)
