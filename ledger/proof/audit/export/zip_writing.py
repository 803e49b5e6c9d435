"""Write the zip of an export, front to back, to a stream that need not be seekable. Pure. Its bytes are
those of `zip_form`, whatever the Python: `zipfile` of 3.11.2 writes other headers than that of 3.11.4."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from ledger.proof.audit.export.zip_form import Directory, Packed, directory_of


class ZipWriting:
    """A zip that is written to `out`: member after member, and at the end its directory (`finish`)."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._members: list[Packed] = []

    @contextmanager
    def member(self, name: str) -> Iterator["MemberWriting"]:
        """Write a member within the block. If it is broken off, no reader takes the file for a zip."""
        begin = self._members[-1].end if self._members else 0
        self._out.write(Packed(name, begin, 0, 0, 0).header)
        writing = MemberWriting(self._out)
        yield writing
        packed = writing.finished(name, begin)
        self._out.write(packed.descriptor)
        self._members.append(packed)

    def add(self, name: str, data: bytes) -> None:
        with self.member(name) as member:
            member.write(data)

    def finish(self) -> None:
        directory = directory_of(self._members)
        begin = self._members[-1].end if self._members else 0
        self._out.write(directory + Directory(begin, len(directory), len(self._members)).end)


class MemberWriting:
    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._deflating = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        self._crc = self._packed = self._size = 0

    def write(self, data: bytes) -> None:
        self._crc, self._size = zlib.crc32(data, self._crc), self._size + len(data)
        self._put(self._deflating.compress(data))

    def finished(self, name: str, begin: int) -> Packed:
        """Write what is left, and return the member as the directory has it."""
        self._put(self._deflating.flush())
        return Packed(name, begin, self._crc, self._packed, self._size)

    def _put(self, packed: bytes) -> None:
        if packed:
            self._packed += len(packed)
            self._out.write(packed)
