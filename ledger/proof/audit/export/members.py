"""Read the members of an export's zip, which may have been tampered with. Pure; constant memory."""

import io
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from ledger.proof.audit.errors import BadBundle
from ledger.proof.audit.export import zip_form
from ledger.proof.audit.export.manifest import MOST_BYTES, MOST_OF_A_LINE, Member
from ledger.proof.audit.export.zip_form import Packed
from ledger.records.findings import Finding

DAMAGE = (BadBundle, zlib.error, OSError)
"""The errors of reading a broken zip."""

_BUFFER = 1 << 16
_TIGHTEST = 250
"""Bytes that one packed byte may become, beyond the first buffer: ten times what real exports need."""
_NAMED = 20
"""Names of foreign members that are reported; the rest is only counted."""


class Members:
    """An open zip. Raises BadBundle unless the whole file is one, from its first byte to its last."""

    def __init__(self, path: Path | str) -> None:
        try:
            self._file = Path(path).open("rb")  # noqa: SIM115 - this object's own, and it closes it
        except OSError as error:
            raise BadBundle(f"The file cannot be read: {error.strerror}") from error
        try:
            size = self._file.seek(0, io.SEEK_END)
            self._file.seek(max(size - zip_form.TAIL_BYTES, 0))
            self._directory = zip_form.directory_in(self._file.read(), size)
            self._file.seek(self._directory.begin)
            self._written = self._file.read(self._directory.size)
            self._listed = list(zip_form.members_in(self._written))
        except (BadBundle, OSError) as error:
            self._file.close()
            raise BadBundle(str(error)) from error
        self._by_name = {one.name: one for one in reversed(self._listed)}

    def close(self) -> None:
        self._file.close()

    def unlike(self, expected: Sequence[str]) -> list[Finding]:
        """Return how the zip differs from one of these members in this order."""
        names = [one.name for one in self._listed]
        findings = [
            Finding("member_missing", f"{name} is missing.") for name in expected if name not in self._by_name
        ]
        foreign = Counter(name for name in names if name not in expected)
        findings += [
            Finding("member_unknown", f"{name} does not belong to this export.")
            for name in list(foreign)[:_NAMED]
        ]
        if len(foreign) > _NAMED:
            findings.append(Finding("member_unknown", f"Nor do {len(foreign) - _NAMED} more members."))
        twice = Counter(name for name in names if name in expected)
        findings += [
            Finding("member_twice", f"{name} is there {count} times.")
            for name, count in twice.items()
            if count > 1
        ]
        if not findings and names != list(expected):
            at = next(
                at for at, (name, wanted) in enumerate(zip(names, expected, strict=True)) if name != wanted
            )
            findings.append(Finding("member_order", f"{names[at]} stands where {expected[at]} has to be."))
        return findings or list(self._hidden())

    def _hidden(self) -> Iterator[Finding]:
        """Yield the first place where the file differs from what an export writes for these members."""
        begin = 0
        for one in self._listed:
            if one.begin != begin or not (
                self._is_at(begin, one.header) and self._is_at(one.end - len(one.descriptor), one.descriptor)
            ):
                yield Finding("member_damaged", f"{one.name} is not packed the way exports are.")
                return
            begin = one.end
        if begin != self._directory.begin or self._written != zip_form.directory_of(self._listed):
            yield Finding("member_unknown", "The zip file holds something beside its members.")

    def _is_at(self, place: int, data: bytes) -> bool:
        self._file.seek(place)
        return self._file.read(len(data)) == data

    def has(self, name: str) -> bool:
        return name in self._by_name

    def size(self, name: str) -> int:
        """Return the size of a member, which limits reading; 0 if it is missing."""
        return self._by_name[name].size if name in self._by_name else 0

    def whole(self, name: str) -> bytes:
        """Return the bytes of a small member. Raises BadBundle if it is missing, damaged or too large."""
        if not self.has(name):
            raise BadBundle(f"{name} is missing.")
        if self.size(name) > MOST_BYTES.get(name, MOST_BYTES[""]):
            raise BadBundle(f"{name} is too large.")
        try:
            return self.open(name).read()
        except DAMAGE as error:
            raise BadBundle(f"{name} cannot be read: {error}") from error

    def open(self, name: str) -> BinaryIO:
        """Open an existing member for reading. Opening and reading may raise DAMAGE."""
        member = self._by_name[name]
        if member.size > _BUFFER + _TIGHTEST * member.packed:
            raise BadBundle("it unpacks to more than any export does")
        return io.BufferedReader(_Unpacking(self._file, member), _BUFFER)

    def pieces(self, name: str, damage: list[Finding], size: int | None = None) -> Iterator[bytes]:
        """Yield the lines of a large member, or pieces of this size, as far as it can be read; then `damage`
        gets a finding. A missing member is reported elsewhere."""
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


class _Unpacking(io.RawIOBase):
    """A member, unpacked while it is read. Its sizes must be those in the directory."""

    def __init__(self, file: BinaryIO, member: Packed) -> None:
        self._file, self._member = file, member
        file.seek(member.begin)
        self._at = member.begin + zip_form.data_begins(file.read(zip_form.HEADER_BYTES))
        self._left, self._crc, self._size = member.packed, 0, 0
        self._inflating = zlib.decompressobj(-zlib.MAX_WBITS)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        """Read some bytes; none at the end. Raises BadBundle if they contradict the directory."""
        while not self._inflating.eof:
            packed = self._inflating.unconsumed_tail or self._next()
            data = self._inflating.decompress(packed, len(buffer))
            if data:
                self._crc, self._size = zlib.crc32(data, self._crc), self._size + len(data)
                self._require(self._size <= self._member.size)
                buffer[: len(data)] = data
                return len(data)
            self._require(bool(packed) or self._inflating.eof)
        self._require(not self._inflating.unused_data and not self._left)
        self._require((self._crc, self._size) == (self._member.crc, self._member.size))
        return 0

    def _next(self) -> bytes:
        self._file.seek(self._at)
        data = self._file.read(min(_BUFFER, self._left))
        self._at, self._left = self._at + len(data), self._left - len(data)
        return data

    def _require(self, right: bool) -> None:
        if not right:
            raise BadBundle("its bytes are not what the directory of the zip says")
