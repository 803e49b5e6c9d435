"""Rows that have no record of their own, held against the records that say what they have to be.

A comparison is given the records of its kinds as the log is read, once, and what it keeps of them does not grow with the
log: it asks the database for a few hundred rows at a time, or puts what it is told aside in temporary files until the end.
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from ledger.audit.findings import Finding

IN_MEMORY = 1 << 16  # bytes of the records of one kind that are not in a file yet
_CHUNK_BITS = 15

Kind = tuple[str, str]
"""A kind of record, and of the event or entry that it is of: `table_event`, `opened`."""


class RowCheck(Protocol):
    """Rows of one sort against the records of these kinds, in the order of the log."""

    @property
    def kinds(self) -> Iterable[Kind]:
        """The kinds of record that it is told."""

    def take(self, body: Mapping[str, Any]) -> Iterable[Finding]:
        """What is wrong with rows of which this record speaks, as far as it is known by now."""

    def finish(self) -> Iterable[Finding]:
        """All else that is wrong, once the last record was taken."""


class SpooledRecords:
    """Records put aside by their kind as the log is read, and read back in that order as often as somebody asks."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        # The files are this object's own, and it closes them all.
        self._files = {
            kind: tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
            for kind in kinds
        }

    def put(self, body: Mapping[str, Any]) -> None:
        """Put a record aside. One without `data` is named by whoever verifies it."""
        if isinstance(body.get("data"), dict):
            self._files[body["record"], body["kind"]].write(json.dumps(body).encode() + b"\n")

    def of(self, record: str, kind: str) -> Iterator[dict[str, Any]]:
        """The bodies of the records of one kind."""
        file, at = self._files[record, kind], 0
        while True:
            file.seek(at)
            line = file.readline()
            if not line:
                return
            at += len(line)
            yield json.loads(line)

    def close(self) -> None:
        """Give the files back."""
        for file in self._files.values():
            file.close()


class AtEnd:
    """A comparison that asks when the log has been read; if it is of any kinds, with the records of these."""

    def __init__(self, site: Any, ask: Callable[..., Iterable[Finding]], kinds: Iterable[Kind]) -> None:
        self.kinds = tuple(kinds)
        self._told = SpooledRecords(self.kinds)
        self._site, self._ask = site, ask

    def take(self, body: Mapping[str, Any]) -> Iterable[Finding]:
        """Nothing yet."""
        self._told.put(body)
        return ()

    def finish(self) -> Iterator[Finding]:
        """Everything that is wrong. What was told is forgotten then."""
        try:
            yield from self._ask(self._site, self._told) if self.kinds else self._ask(self._site)
        finally:
            self._told.close()


def at_end(ask: Callable[..., Iterable[Finding]], *kinds: Kind) -> Callable[[Any], RowCheck]:
    """Makes, for a site, the comparison that is `ask(site)` at the end, or `ask(site, told)` where it is of any kinds."""
    return lambda site: AtEnd(site, ask, kinds)


class Seen:
    """Ids that were met: a byte for each, however many."""

    def __init__(self) -> None:
        self._chunks: dict[int, bytearray] = {}
        self.count = 0

    def __contains__(self, number: int) -> bool:
        chunk = self._chunks.get(number >> _CHUNK_BITS)
        return chunk is not None and chunk[number & (1 << _CHUNK_BITS) - 1] == 1

    def add(self, number: int) -> None:
        """Meet an id; again it counts no more."""
        if number not in self:
            self._chunks.setdefault(number >> _CHUNK_BITS, bytearray(1 << _CHUNK_BITS))[
                number & (1 << _CHUNK_BITS) - 1
            ] = 1
            self.count += 1
