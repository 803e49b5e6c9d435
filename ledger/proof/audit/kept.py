"""Checkpoints kept in a folder apart from the books. Pure. Each line of the folder's files is the note of one
checkpoint as a JSON string. A file is named after the day of its first line, so files and lines are in the
order of signing. The folder of a log is named after its origin."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import chain, pairwise
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from ledger.errors import LedgerError
from ledger.proof.audit.errors import NOT_BELIEVED, BadCheckpoint, BadNote
from ledger.proof.audit.tree import log_keys, note
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.records.findings import Finding

_NAME = re.compile(r"[^.\\:\x00-\x1f\ud800-\udfff][^\\:\x00-\x1f\ud800-\udfff]*")
"""Names that are valid for a folder on every system."""
_MOST_OF_A_NAME = 200
_MOST_TIMES = 1000
_MOST_OF_A_LINE = 2 * note.MOST_BYTES


def folder_of(root: Path, origin: str) -> Path:
    """Return the folder of one log within `root`. An origin such as `..` cannot lead out of it."""
    name = origin.replace("/", "-")
    if not _NAME.fullmatch(name) or len(name.encode(errors="replace")) > _MOST_OF_A_NAME:
        name = f"log-{sha256(origin.encode(errors='replace')).hexdigest()}"
    return root / name


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


def line_of(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False).encode() + b"\n"


def note_in(line: bytes) -> str | None:
    try:
        text = json.loads(line)
        return text if isinstance(text, str) and text.encode() else None
    except (ValueError, RecursionError):
        return None


def tree_in(text: str, origin: str) -> TreeHead:
    tree = TreeHead.parse(note.parse(text.encode()).text)
    if tree.origin != origin:
        raise BadCheckpoint(f"This is a checkpoint of {tree.origin}, not of {origin}.")
    return tree


class KeptCheckpoint(NamedTuple):
    """A checkpoint of the folder: its file and line, its note, and the tree head that it states."""

    place: str
    note: str
    tree: TreeHead


class Signed(NamedTuple):
    """A trusted checkpoint from elsewhere: the name to show, its size, and when it was signed."""

    name: str
    size: int
    at: datetime


class ReadFile(NamedTuple):
    """The part of a file that was read: bytes, lines, and their SHA-256 in hex."""

    name: str
    bytes: int
    lines: int
    digest: str


class KeptFolder:
    """The checkpoints of one log in a folder. Lines written after this is created are left out, so the books,
    which are read later, have every checkpoint read here. Raises OSError, also while reading."""

    def __init__(self, root: Path, origin: str) -> None:
        self.origin = origin
        self._files = [(path, path.stat().st_size) for path in files_in(folder_of(root, origin))]
        self._behind: dict[str, ReadFile] = {}

    def read_files(self) -> list[ReadFile]:
        return [_read_file(path, end) for path, end in self._files]

    def go_on(self, read: Sequence[ReadFile]) -> bool:
        """Skip the parts that were read before; return whether they are unchanged. Files that are gone are
        not compared: they may have been moved away."""
        there = {path.name: path for path, _ in self._files}
        for one in read:
            if one.name in there and _read_file(there[one.name], one.bytes) != one:
                return False
        self._behind = {one.name: one for one in read}
        return True

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield each line with its file and number. A line that a power cut tore is left out if the next one
        is the whole of it."""
        for path, end in self._files:
            behind = self._behind.get(path.name)
            begin, before = (behind.bytes, behind.lines) if behind else (0, 0)
            whole = chain(_whole_lines(path, begin, end), [b""])
            for number, (line, following) in enumerate(pairwise(whole), before + 1):
                if note_in(line) is not None or not following.startswith(line.rstrip(b"\n")):
                    yield f"{path.name} line {number}", line


class KeptSeries:
    """The checkpoints of a folder, compared with a tree while it grows.

    Signatures are slow to check in plain Python, so they are checked only where a checkpoint does not follow
    its predecessor or contradicts the tree: one that agrees needs no proof. `newest` is the size of the last
    checkpoint that was read; pass that of the checkpoint before the first one here. `now` is the current
    time; without it, times of signing are not judged. `beside` are checkpoints of the same log from
    elsewhere: larger ones must have been signed later."""

    def __init__(
        self,
        folder: KeptFolder | None,
        known: Sequence[LogKey],
        newest: int = 0,
        *,
        now: datetime | None = None,
        beside: Sequence[Signed] = (),
    ) -> None:
        self._known = known
        self._now = now
        self._beside = beside
        self._later: dict[Signed, tuple[KeptCheckpoint, datetime]] = {}
        self._earlier: dict[Signed, tuple[KeptCheckpoint, datetime]] = {}
        self._times: list[tuple[KeptCheckpoint, datetime | None, datetime | None]] = []
        self._signed_at: datetime | None = None
        self._series = self._read(folder) if folder else iter(())
        self.newest = newest
        self._wrong: dict[Finding, None] = {}
        self._next = next(self._series, None)

    @property
    def wrong(self) -> list[Finding]:
        return list(self._wrong)

    def at(self, size: int) -> KeptCheckpoint | None:
        """Return the checkpoint over `size` leaves, if any. Ask for sizes in ascending order."""
        while self._next is not None and self._next.tree.size < size:
            self._next = next(self._series, None)
        return self._next if self._next is not None and self._next.tree.size == size else None

    def next_size(self, size: int) -> int:
        """Return the size of the next larger checkpoint, signed or not, or sys.maxsize."""
        self.at(size + 1)
        return sys.maxsize if self._next is None else self._next.tree.size

    def after(self, size: int) -> KeptCheckpoint | None:
        self.at(size + 1)
        return self._next if self._next is not None and self.is_signed(self._next) else None

    def beyond(self, size: int) -> KeptCheckpoint | None:
        """Read all checkpoints; return the newest over more than `size` leaves with a known key's
        signature."""
        newest = None
        while self._next is not None:
            if self._next.tree.size > size and self.is_signed(self._next):
                newest = self._next
            self._next = next(self._series, None)
        return newest

    def is_signed(self, checkpoint: KeptCheckpoint) -> bool:
        """Return whether a known key has signed this checkpoint; if not, add a finding to `wrong`."""
        try:
            log_keys.opened(checkpoint.note.encode(), origin=checkpoint.tree.origin, known=self._known)
        except NOT_BELIEVED as error:
            self._note(checkpoint.place, error)
            return False
        return True

    def wrong_times(self, ahead_until: Sequence[datetime]) -> Iterator[Finding]:
        """Yield checkpoints signed before their predecessor or after `now`, and those whose times contradict
        `beside`. Times until `ahead_until` are excused: the house has recorded that its clock was ahead."""
        for checkpoint, at, before in self._times:
            wrong = log_keys.wrong_time(at, before=before, now=self._now, ahead_until=ahead_until)
            if wrong and self.is_signed(checkpoint):
                yield Finding("wrong_time", wrong, None, checkpoint.place)
        for one, (checkpoint, at) in self._later.items():
            wrong = log_keys.wrong_time(one.at, before=at, now=None, ahead_until=ahead_until)
            if wrong and self.is_signed(checkpoint):
                yield Finding("wrong_time", f"{one.name}: {wrong}", None, checkpoint.place)
        for one, (checkpoint, at) in self._earlier.items():
            wrong = log_keys.wrong_time(at, before=one.at, now=None, ahead_until=ahead_until)
            if wrong and self.is_signed(checkpoint):
                yield Finding("wrong_time", f"{wrong} That one is {one.name}.", None, checkpoint.place)

    def _note_time(self, checkpoint: KeptCheckpoint) -> None:
        at, before = log_keys.last_signed_at(checkpoint.note.encode(), self._known), self._signed_at
        self._signed_at = at or before
        if log_keys.wrong_time(at, before=before, now=self._now):
            self._times += [(checkpoint, at, before)] if len(self._times) < _MOST_TIMES else []
        elif at is not None:
            self._note_beside(checkpoint, at)

    def _note_beside(self, checkpoint: KeptCheckpoint, at: datetime) -> None:
        """For each checkpoint of `beside`, remember the last smaller one signed after it and the first larger
        one signed before it: both contradict it."""
        for one in self._beside:
            if checkpoint.tree.size > one.size and log_keys.wrong_time(at, before=one.at, now=None):
                self._earlier.setdefault(one, (checkpoint, at))
            elif checkpoint.tree.size <= one.size and log_keys.wrong_time(one.at, before=at, now=None):
                self._later[one] = max(
                    self._later.get(one, (checkpoint, at)), (checkpoint, at), key=itemgetter(1)
                )

    def _note(self, place: str, error: LedgerError) -> None:
        self._wrong[Finding("bad_checkpoint", f"{error.message} ({error.code})", None, place)] = None

    def _read(self, folder: KeptFolder) -> Iterator[KeptCheckpoint]:
        for place, line in folder.lines():
            text = note_in(line)
            try:
                tree = tree_in(text or "", folder.origin)
            except (BadNote, BadCheckpoint) as error:
                self._note(place, error)
                continue
            checkpoint = KeptCheckpoint(place, text or "", tree)
            if tree.follows != self.newest and not self.is_signed(checkpoint):
                continue
            if tree.size <= self.newest:
                sentence = f"It was signed over {tree.size} leaves, after one over {self.newest}."
                self._wrong[Finding("not_growing", sentence, None, place)] = None
                continue
            self.newest = tree.size
            if self._now is not None:
                self._note_time(checkpoint)
            yield checkpoint


def _read_file(path: Path, end: int) -> ReadFile:
    """Read the whole lines of a file before the byte `end`."""
    found, read, lines = sha256(), 0, 0
    with path.open("rb") as file:
        while read + len(line := file.readline(_MOST_OF_A_LINE)) <= end and line.endswith(b"\n"):
            found.update(line)
            read, lines = read + len(line), lines + 1
    return ReadFile(path.name, read, lines, found.hexdigest())


def _whole_lines(path: Path, begin: int, end: int) -> Iterator[bytes]:
    """Yield the whole lines between these bytes; a line that is too long comes in pieces."""
    with path.open("rb") as file:
        file.seek(begin)
        while file.tell() < end:
            line = file.readline(_MOST_OF_A_LINE)
            if len(line) < _MOST_OF_A_LINE and (not line.endswith(b"\n") or file.tell() > end):
                return  # still being written
            yield line
