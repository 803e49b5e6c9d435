"""Facts put aside by a key, and met again at the end with all others of their key: in memory while they are few, in
temporary files beyond that. Pure but for those files.

What is to be once in a whole log cannot be known before its end. Kept in a set, a million keys need a hundred megabytes;
here each fact is 33 bytes of a file, and at the end a 64th of them is in memory at a time.
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
    """64 bits of a hash: a key for what is longer than that."""
    return int.from_bytes(blake2b(data, digest_size=8).digest())


class Spill:
    """Facts, to be read back by key. `close` it, or use it in a `with`."""

    def __init__(self) -> None:
        # The files are this object's own, and it closes them all.
        self._parts: list[Any] = [
            tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
            for _ in range(PARTS)
        ]

    def put(self, key: int, sort: int, value: int, place: int, number: int) -> None:
        """Put a fact aside: numbers of 64 bits, `sort` of 8. A key that is larger, or negative, is cut to 64 bits."""
        key &= _MASK
        self._parts[key % PARTS].write(_FACT.pack(key, sort, value, place, number & _MASK))

    def groups(self) -> Iterator[list[Fact]]:
        """All facts of a key together, in the order of sort, value and place; key by key. Once."""
        for part in self._parts:
            part.seek(0)
            facts: list[Fact] = []
            while data := part.read(_READ):
                facts += _FACT.iter_unpack(data)
            part.close()
            facts.sort()
            yield from _alike(facts)

    def close(self) -> None:
        """Give the files back."""
        for part in self._parts:
            part.close()


def _alike(facts: list[Fact]) -> Iterator[list[Fact]]:
    start = 0
    for at in range(1, len(facts) + 1):
        if at == len(facts) or facts[at][0] != facts[start][0]:
            yield facts[start:at]
            start = at
