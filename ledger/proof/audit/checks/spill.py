"""Facts stored by key and read back grouped by key: in memory, beyond some number in a temporary file. Pure
but for it.

Uniqueness in a log is known only at its end. A set of a million keys needs a hundred megabytes; here a fact
takes 33 bytes of a file. As many as fit into memory are sorted at a time, and each of these runs notes where
each part of the keys begins, so that at the end one part of all runs is in memory at a time."""

import os
import struct
import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b
from itertools import groupby, pairwise
from typing import Any, NamedTuple

IN_MEMORY = 1 << 15  # facts
PARTS = 1 << 8

_FACT = struct.Struct(">QBQQQ")
_KEY_BYTES, _SORT_BYTES = 8, 1
_MASK = (1 << 64) - 1
# Multiplication by an odd number scatters consecutive keys, so that the parts are of similar size.
_SCATTER = 0x9E3779B97F4A7C15
_GATHER = pow(_SCATTER, -1, 1 << 64)
_BEGINS = [part.to_bytes(1) for part in range(PARTS)]


class Fact(NamedTuple):
    key: int
    sort: int
    value: int
    leaf: int
    number: int


def short_hash(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest())


class Spill:
    """Facts to be read back by key. Call `close`, or read all of them. Facts of the `lasting` sorts, and no
    others, are frozen with it for resuming (`__getstate__`)."""

    def __init__(self, lasting: Iterable[int] = ()) -> None:
        self._lasting = frozenset(lasting)
        self._few: list[bytes] = []
        self._file: Any = None
        self._runs: list[tuple[int, array[int]]] = []  # where each begins in the file, and in it its parts

    def put(self, key: int, sort: int, value: int, leaf: int, number: int) -> None:
        """Store a fact of 64-bit numbers and an 8-bit `sort`. Larger or negative keys are cut to 64 bits."""
        self._few.append(_FACT.pack(key * _SCATTER & _MASK, sort, value, leaf, number & _MASK))
        if len(self._few) >= IN_MEMORY:
            self._put_away()

    def groups(self, sorts: Collection[int]) -> Iterator[list[Fact]]:
        """Yield the facts of each key that has one of these sorts, or two of one sort, as one group, ordered
        by sort, value and leaf. Can be called once."""
        wanted = {sort.to_bytes(1) for sort in sorts}
        for facts in self._parts():
            yield from _groups(facts, wanted)
        self.close()

    def __getstate__(self) -> tuple[frozenset[int], list[Fact]]:
        found = [
            _read(fact) for facts in self._parts() for fact in facts if fact[_KEY_BYTES] in self._lasting
        ]
        if self._file is not None:
            self._file.seek(0, os.SEEK_END)
        return self._lasting, found

    def __setstate__(self, state: tuple[frozenset[int], list[Fact]]) -> None:
        self.__init__(state[0])  # type: ignore[misc]
        for fact in state[1]:
            self.put(*fact)

    def close(self) -> None:
        self._few.clear()
        self._runs.clear()
        if self._file is not None:
            self._file.close()

    def _put_away(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - this object's own, and it closes it
        run = sorted(self._few)
        parts = array("I", (bisect_left(run, begin) * _FACT.size for begin in _BEGINS))
        parts.append(len(run) * _FACT.size)
        self._runs.append((self._file.tell(), parts))
        self._file.write(b"".join(run))
        self._few.clear()

    def _parts(self) -> Iterator[list[bytes]]:
        """Yield all facts, sorted, a part of the keys at a time."""
        if not self._runs:
            yield sorted(self._few)
            return
        if self._few:
            self._put_away()
        for part in range(PARTS):
            facts: list[bytes] = []
            for begin, parts in self._runs:
                self._file.seek(begin + parts[part])
                data = self._file.read(parts[part + 1] - parts[part])
                facts += [data[at : at + _FACT.size] for at in range(0, len(data), _FACT.size)]
            facts.sort()
            yield facts


def _groups(facts: list[bytes], wanted: Collection[bytes]) -> Iterator[list[Fact]]:
    """Yield the groups of these sorted facts. Nearly every key has nothing to judge."""
    keys = {fact[:_KEY_BYTES] for fact in facts if fact[_KEY_BYTES : _KEY_BYTES + _SORT_BYTES] in wanted}
    heads = [fact[: _KEY_BYTES + _SORT_BYTES] for fact in facts]
    if len(set(heads)) < len(heads):
        keys |= {one[:_KEY_BYTES] for one, other in pairwise(heads) if one == other}
    if keys:
        some = (fact for fact in facts if fact[:_KEY_BYTES] in keys)
        for _, alike in groupby(some, key=lambda fact: fact[:_KEY_BYTES]):
            yield [_read(fact) for fact in alike]


def _read(data: bytes) -> Fact:
    key, *others = _FACT.unpack(data)
    return Fact(key * _GATHER & _MASK, *others)
