"""Compare rows that have no record of their own with the records they follow from.

A comparison gets the records of its kinds while the log is read, once, and its memory does not grow with the log: it
queries a few hundred rows at a time, or spools records to temporary files until the end.
"""

import json
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Protocol

from ledger.audit.findings import Finding

IN_MEMORY = 1 << 16  # bytes of records of one kind held before they are spooled to a file
_CHUNK_BITS = 15

Kind = tuple[str, str]
"""A kind of record, and the kind of the event or entry it describes: `table_event`, `opened`."""


Columns = Mapping[str, Collection[str]]
"""Columns by model, `tables.Round`, as the model's fields or their columns are called."""


class RowCheck(Protocol):
    """Compares rows of one sort with the records of these kinds, in the order of the log."""

    @property
    def kinds(self) -> Iterable[Kind]:
        """The kinds of record that it is told."""

    @property
    def holds(self) -> Columns:
        """The columns that it compares."""

    def take(self, body: Mapping[str, Any]) -> Iterable[Finding]:
        """Return what this record shows to be wrong, as far as that is known by now."""

    def finish(self) -> Iterable[Finding]:
        """Return everything else that is wrong, after the last record."""


class SpooledRecords:
    """Records spooled by kind while the log is read; can be read back in that order any number of times."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        # This object owns the files and closes them all.
        self._files = {
            kind: tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
            for kind in kinds
        }

    def put(self, body: Mapping[str, Any]) -> None:
        """Spool a record. One without `data` is skipped: other checks report it."""
        if isinstance(body.get("data"), dict):
            self._files[body["record"], body["kind"]].write(json.dumps(body).encode() + b"\n")

    def of(self, record: str, kind: str) -> Iterator[dict[str, Any]]:
        """Yield the bodies of the records of one kind."""
        file, at = self._files[record, kind], 0
        while True:
            file.seek(at)
            line = file.readline()
            if not line:
                return
            at += len(line)
            yield json.loads(line)

    def close(self) -> None:
        """Close the temporary files."""
        for file in self._files.values():
            file.close()


Question = tuple[str, Callable[[Any], RowCheck]]
"""What is compared, in words, and what makes the comparison for a site."""


class AtEnd:
    """A comparison that runs after the log has been read, with the spooled records of its kinds, if it has any."""

    def __init__(
        self, site: Any, compare: Callable[..., Iterable[Finding]], kinds: Iterable[Kind], holds: Columns
    ) -> None:
        self.kinds, self.holds = tuple(kinds), holds
        self._spooled = SpooledRecords(self.kinds)
        self._site, self._compare = site, compare

    def take(self, body: Mapping[str, Any]) -> Iterable[Finding]:
        """Spool the record; nothing is compared yet."""
        self._spooled.put(body)
        return ()

    def finish(self) -> Iterator[Finding]:
        """Yield everything that is wrong, then close the spooled records."""
        try:
            yield from self._compare(self._site, self._spooled) if self.kinds else self._compare(self._site)
        finally:
            self._spooled.close()


def at_end(
    compare: Callable[..., Iterable[Finding]], *kinds: Kind, holds: Columns
) -> Callable[[Any], RowCheck]:
    """Return a maker of comparisons that call `compare(site)` at the end, or `compare(site, spooled)` if there are kinds.

    `holds` are the columns that it compares.
    """
    return lambda site: AtEnd(site, compare, kinds, holds)


class Seen:
    """A set of ids that needs one byte for each, however many there are."""

    def __init__(self) -> None:
        self._chunks: dict[int, bytearray] = {}
        self.count = 0

    def __contains__(self, number: int) -> bool:
        chunk = self._chunks.get(number >> _CHUNK_BITS)
        return chunk is not None and chunk[number & (1 << _CHUNK_BITS) - 1] == 1

    def add(self, number: int) -> None:
        """Add an id; adding it again does not count twice."""
        if number not in self:
            self._chunks.setdefault(number >> _CHUNK_BITS, bytearray(1 << _CHUNK_BITS))[
                number & (1 << _CHUNK_BITS) - 1
            ] = 1
            self.count += 1
