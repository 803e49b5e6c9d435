"""The exact bytes around the members of an export's zip. Pure.

Members follow each other from the first byte of the file, each deflated, with a header that has only its name
and a descriptor with its checksum and sizes. The central directory ends the file. The members decide every
one of these bytes: the verifier writes them again and compares, so nothing can be hidden between members."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ledger.proof.audit.errors import BadBundle

END_BYTES = 22
MOST_OF_A_DIRECTORY = 1 << 20

_LOCAL, _ENTRY = struct.Struct("<4s5H3L2H"), struct.Struct("<4s6H3L5H2L")
_END, _LOCATOR, _END_64 = struct.Struct("<4s4H2LH"), struct.Struct("<4sLQL"), struct.Struct("<4sQ2H2L4Q")
_DESCRIPTOR = struct.Struct("<4sL2Q")
_EXTRA = struct.Struct("<2H")
_UNIX, _VERSION, _LATER, _DEFLATED = 3 << 8, 45, 1 << 3, 8
_READ_BY_ALL = 0o644 << 16
_NO_TIME, _FIRST_DAY = 0, (1 << 5) + 1  # midnight of 1980-01-01, the earliest time in a zip
_MOST, _MOST_OF_16, _MOST_OF_32 = (1 << 31) - 1, (1 << 16) - 1, (1 << 32) - 1
_LOCAL_EXTRA = struct.pack("<2H2Q", 1, 16, 0, 0)  # sizes of eight bytes; the values are in the descriptor


@dataclass(frozen=True)
class Packed:
    """A member in the directory: offset of its header, checksum, sizes packed and unpacked."""

    name: str
    begin: int
    crc: int
    packed: int
    size: int

    @property
    def header(self) -> bytes:
        name = self.name.encode()
        start = (b"PK\3\4", _VERSION, _LATER, _DEFLATED, _NO_TIME, _FIRST_DAY)
        fixed = _LOCAL.pack(*start, 0, _MOST_OF_32, _MOST_OF_32, len(name), len(_LOCAL_EXTRA))
        return fixed + name + _LOCAL_EXTRA

    @property
    def descriptor(self) -> bytes:
        return _DESCRIPTOR.pack(b"PK\7\x08", self.crc, self.packed, self.size)

    @property
    def end(self) -> int:
        return self.begin + len(self.header) + self.packed + len(self.descriptor)

    @property
    def entry(self) -> bytes:
        """Its bytes in the directory. Numbers of more than 31 bits are in an extra field."""
        sizes = (self.size, self.packed) if max(self.size, self.packed) > _MOST else ()
        large = (*sizes, *((self.begin,) if self.begin > _MOST else ()))
        extra = _EXTRA.pack(1, 8 * len(large)) + struct.pack(f"<{len(large)}Q", *large) if large else b""
        packed, size = (_MOST_OF_32, _MOST_OF_32) if sizes else (self.packed, self.size)
        begin, name = min(self.begin, _MOST_OF_32) if self.begin <= _MOST else _MOST_OF_32, self.name.encode()
        start = (b"PK\1\2", _UNIX | _VERSION, _VERSION, _LATER, _DEFLATED, _NO_TIME, _FIRST_DAY)
        lengths = (len(name), len(extra), 0)
        fixed = _ENTRY.pack(*start, self.crc, packed, size, *lengths, 0, 0, _READ_BY_ALL, begin)
        return fixed + name + extra


class Directory(NamedTuple):
    begin: int
    size: int
    members: int

    @property
    def end(self) -> bytes:
        count, size, begin = self.members, self.size, self.begin
        larger = b""
        if count > _MOST_OF_16 or max(begin, size) > _MOST:
            larger = _END_64.pack(b"PK\6\6", 44, _VERSION, _VERSION, 0, 0, count, count, size, begin)
            larger += _LOCATOR.pack(b"PK\6\7", 0, begin + size, 1)
            count, size, begin = min(count, _MOST_OF_16), min(size, _MOST_OF_32), min(begin, _MOST_OF_32)
        return larger + _END.pack(b"PK\5\6", 0, 0, count, count, size, begin, 0)


def directory_in(tail: bytes, file_size: int) -> Directory:
    """Find the directory by the last bytes of a file. Raises BadBundle if they are not a zip's end."""
    if len(tail) < END_BYTES:
        raise BadBundle("This is no zip file.")
    mark, _, _, count, _, size, begin, _ = _END.unpack(tail[-END_BYTES:])
    large = tail[-END_BYTES - _LOCATOR.size - _END_64.size : -END_BYTES]
    if len(large) == _LOCATOR.size + _END_64.size and large.startswith(b"PK\6\6"):
        *_, count, size, begin = _END_64.unpack(large[: _END_64.size])
    found = Directory(begin, size, count)
    if mark != b"PK\5\6" or not tail.endswith(found.end) or begin + size + len(found.end) != file_size:
        raise BadBundle("This is no zip file, or it holds something beside its members.")
    if size > MOST_OF_A_DIRECTORY:
        raise BadBundle("The directory of this zip file is too large.")
    return found


TAIL_BYTES = _END_64.size + _LOCATOR.size + END_BYTES
"""The number of last bytes that `directory_in` needs."""


def members_in(directory: bytes) -> Iterator[Packed]:
    at = 0
    while at < len(directory):
        try:
            fields = _ENTRY.unpack_from(directory, at)
        except struct.error as error:
            raise BadBundle("The directory of this zip file is broken.") from error
        crc, packed, size, name_bytes, extra_bytes, comment_bytes = fields[7:13]
        name_at = at + _ENTRY.size
        extra_at = name_at + name_bytes
        name = directory[name_at:extra_at].decode(errors="backslashreplace")
        large = _large_numbers(directory[extra_at : extra_at + extra_bytes])
        if _MOST_OF_32 in (packed, size):
            size, packed = next(large, size), next(large, packed)
        begin = next(large, fields[-1]) if fields[-1] == _MOST_OF_32 else fields[-1]
        yield Packed(name, begin, crc, packed, size)
        at = extra_at + extra_bytes + comment_bytes


def data_begins(header: bytes) -> int:
    """Return the length of a member's header. Raises BadBundle if these bytes are not the start of one."""
    if len(header) < _LOCAL.size or not header.startswith(b"PK\3\4"):
        raise BadBundle("no member begins there")
    *_, name_bytes, extra_bytes = _LOCAL.unpack(header[: _LOCAL.size])
    return int(_LOCAL.size + name_bytes + extra_bytes)


HEADER_BYTES = _LOCAL.size
"""The number of a member's first bytes that `data_begins` needs."""


def directory_of(members: Iterable[Packed]) -> bytes:
    return b"".join(member.entry for member in members)


def _large_numbers(extra: bytes) -> Iterator[int]:
    if len(extra) >= _EXTRA.size and extra[:2] == b"\1\0":
        whole = (len(extra) - _EXTRA.size) // 8
        yield from struct.unpack_from(f"<{whole}Q", extra, _EXTRA.size)
