"""Facts stored by key and read back at the end, grouped by key: in memory while they are few, in
temporary files beyond that. Pure but for those files.

Whether something is unique in a log is known only at its end. A set of a million keys needs a hundred megabytes;
here a fact takes 33 bytes of a file, and at the end a 64th of them is in memory at a time.
"""

import struct
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

PARTS = 64
IN_MEMORY = 1 << 17  # bytes of each part

Fact = tuple[int, int, int, int, int]
"""Key, sort, value, place, id: what is told of what, at which leaf, and by which record."""

_FACT = struct.Struct(">QBQQQ")
_READ = _FACT.size * 4096
_MASK = (1 << 64) - 1


def short_hash(data: bytes) -> int:
    """Return 64 bits of a hash, as a key for anything longer."""
    return int.from_bytes(blake2b(data, digest_size=8).digest())


class Spill:
    """Facts to be read back by key. Call `close`, or use it in a `with` statement."""

    def __init__(self) -> None:
        # The files are this object's own, and it closes them all.
        self._parts: list[Any] = [
            tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
            for _ in range(PARTS)
        ]

    def put(self, key: int, sort: int, value: int, place: int, number: int) -> None:
        """Store a fact of 64-bit numbers and an 8-bit `sort`. Larger or negative keys are cut to 64 bits."""
        key &= _MASK
        self._parts[key % PARTS].write(_FACT.pack(key, sort, value, place, number & _MASK))

    def groups(self) -> Iterator[list[Fact]]:
        """Yield the facts of each key as one group, ordered by sort, value and leaf. Can be called once."""
        for part in self._parts:
            part.seek(0)
            facts: list[Fact] = []
            while data := part.read(_READ):
                facts += _FACT.iter_unpack(data)
            part.close()
            facts.sort()
            yield from _alike(facts)

    def close(self) -> None:
        """Delete the temporary files."""
        for part in self._parts:
            part.close()


def _alike(facts: list[Fact]) -> Iterator[list[Fact]]:
    start = 0
    for at in range(1, len(facts) + 1):
        if at == len(facts) or facts[at][0] != facts[start][0]:
            yield facts[start:at]
            start = at
