"""Read the members of an export's zip, which may have been tampered with. Pure; memory is constant."""

import io
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from ledger.audit.errors import BadBundle
from ledger.audit.export.manifest import Member
from ledger.audit.findings import Finding

MOST_BYTES = 1 << 26
"""Of a member that is read whole."""
MOST_OF_A_LINE = 1 << 26

DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
)
"""What reading a broken zip raises."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BUFFER = 1 << 16
_END, _END_BYTES = b"PK\x05\x06", 22
"""How a zip ends, if nothing follows it."""


class Members:
    """An open zip. Raises BadBundle if the file is not a zip."""

    def __init__(self, path: Path | str) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
            with Path(path).open("rb") as file:
                file.seek(-_END_BYTES, io.SEEK_END)
                self._ends = file.read(len(_END)) == _END
        except DAMAGE as error:
            raise BadBundle(f"This is no zip file, or a broken one: {error}") from error

    def close(self) -> None:
        """Close the zip."""
        self._zip.close()

    def unlike(self, expected: Iterable[str]) -> Iterator[Finding]:
        """Return members that are missing, repeated or foreign, and anything else a zip can hide."""
        wanted = set(expected)
        there = Counter(self._zip.namelist())
        for name in sorted(wanted - there.keys()):
            yield Finding("member_missing", f"{name} is missing.")
        for name, count in sorted(there.items()):
            if name not in wanted:
                yield Finding("member_unknown", f"{name} does not belong to this export.")
            elif count > 1:
                yield Finding("member_twice", f"{name} is there {count} times.")
        for info in self._zip.infolist():
            if info.filename in wanted and (info.compress_type not in _METHODS or info.flag_bits & 1):
                yield Finding("member_damaged", f"{info.filename} is packed in a way that exports are not.")
        if not self._ends or min((info.header_offset for info in self._zip.infolist()), default=0):
            yield Finding("member_unknown", "The zip file holds something beside its members.")

    def has(self, name: str) -> bool:
        """Return whether there is a member of this name."""
        return name in self._zip.NameToInfo

    def whole(self, name: str) -> bytes:
        """Return the bytes of a small member. Raises BadBundle if it is missing, damaged or too large."""
        if not self.has(name):
            raise BadBundle(f"{name} is missing.")
        try:
            with self._zip.open(name) as member:
                data = member.read(MOST_BYTES + 1)
        except DAMAGE as error:
            raise BadBundle(f"{name} cannot be read: {error}") from error
        if len(data) > MOST_BYTES:
            raise BadBundle(f"{name} is too large.")
        return data

    def open(self, name: str) -> BinaryIO:
        """Open a large member, which has to be there, for reading. It may raise DAMAGE, and so may reading."""
        # What reads it closes it, or the zip does.
        return io.BufferedReader(self._zip.open(name), _BUFFER)  # type: ignore[type-var]

    def pieces(self, name: str, damage: list[Finding], size: int | None = None) -> Iterator[bytes]:
        """Yield the lines of a large member, or pieces of this size, as far as it can be read; `damage` then gets a finding.

        A missing one has no pieces, which is told elsewhere.
        """
        if not self.has(name):
            return
        read = 0
        try:
            file = self.open(name)
            while piece := file.read(size) if size else file.readline(MOST_OF_A_LINE):
                read += 1
                yield piece
        except DAMAGE as error:
            where = f" from line {read + 1} on" if name == Member.RECORDS else ""
            damage.append(Finding("member_damaged", f"{name} cannot be read{where}: {error}"))
