"""The folder outside the database that gets every checkpoint, so that a deleted one is noticed."""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from ledger.errors import CheckpointNotKept, CheckpointsUnreadable
from ledger.models import AuditLog
from ledger.proof.audit.errors import BadCheckpoint, BadNote
from ledger.proof.audit.kept import files_in, folder_of, line_of, note_in, tree_in

_TAIL = 1 << 16  # bytes at the end of a file: many checkpoints


class _Line(NamedTuple):
    note: str
    size: int
    path: Path
    begin: int


class Folder:
    """An append-only folder: one file for each day, one line for each checkpoint, as in
    `ledger.proof.audit.kept`."""

    def __init__(self, root: Path, origin: str) -> None:
        self._path, self._origin = folder_of(root, origin), origin

    def newest(self, *, within: int | None = None) -> str | None:
        """Return the last checkpoint, over at most `within` leaves if given. Raises CheckpointsUnreadable."""
        try:
            if within is not None:
                older = [line.note for line in self._lines() if line.size <= within]
                return older[-1] if older else None
            found = (self._last_in(path) for path in reversed(files_in(self._path)))
            return next((text for text in found if text is not None), None)
        except OSError as error:
            raise CheckpointsUnreadable(
                f"Checkpoints cannot be read in {self._path}: {error.strerror or error}. Nothing is signed"
                " until they can."
            ) from error

    def write(self, unwritten: Callable[[str | None], Iterable[str]], *, now: datetime) -> None:
        """Append the notes that follow the newest one here, which `unwritten(newest)` returns, and sync them
        to disk. A line torn by a power cut stays before them; one process at a time. Raises
        CheckpointNotKept."""
        try:
            self._path.mkdir(parents=True, exist_ok=True)
            with (self._path / "lock").open("ab") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                notes = iter(unwritten(self.newest()))
                if (first := next(notes, None)) is not None:
                    self._add(chain([first], notes), f"{now:%Y-%m-%d}.jsonl")
        except OSError as error:
            raise CheckpointNotKept(
                f"Checkpoints cannot be kept in {self._path}: {error.strerror or error}."
            ) from error

    def set_aside(self, size: int, name: str, why: str) -> list[str]:
        """Move all lines from the first checkpoint over more than `size` leaves into the file `name`, below
        `why`; return those checkpoints. That file is complete before a line is deleted. Raises
        CheckpointNotKept."""
        try:
            with (self._path / "lock").open("ab") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                newer = [line for line in self._lines() if line.size > size]
                if newer:
                    _, _, first, begin = newer[0]
                    files = [path for path in files_in(self._path) if path >= first]
                    moved = b"".join(path.read_bytes()[begin if path == first else 0 :] for path in files)
                    _write_whole(self._path / name, f"{why}\n".encode() + moved)
                    for path in reversed(files):
                        os.truncate(path, begin if path == first else 0)
                return [line.note for line in newer]
        except OSError as error:
            raise CheckpointNotKept(
                f"Checkpoints in {self._path} cannot be set aside: {error.strerror or error}. Do it as the"
                " owner of the folder."
            ) from error

    def _lines(self) -> Iterator[_Line]:
        for path in files_in(self._path):
            begin = 0
            for line in path.read_bytes().splitlines(keepends=True):
                text = note_in(line)
                if text is not None and self._is_ours(text):
                    yield _Line(text, tree_in(text, self._origin).size, path, begin)
                begin += len(line)

    def _last_in(self, path: Path) -> str | None:
        with path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            for start in dict.fromkeys((max(0, end - _TAIL), 0)):  # the whole file if its end is only junk
                file.seek(start)
                lines = file.read().split(b"\n")[:-1]
                notes = (text for line in reversed(lines) if (text := note_in(line)) is not None)
                if (newest := next(filter(self._is_ours, notes), None)) is not None:
                    return newest
        return None

    def _is_ours(self, text: str) -> bool:
        try:
            tree_in(text, self._origin)
        except (BadNote, BadCheckpoint):
            return False
        return True

    def _add(self, notes: Iterable[str], today: str) -> None:
        """Add to today's file, or to a later one that a clock ahead began, to keep the order of signing."""
        path = max([self._path / today, *files_in(self._path)])
        with path.open("a+b") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
            if file.read(1) not in (b"", b"\n"):
                file.write(b"\n")
            file.writelines(map(line_of, notes))
            file.flush()
            os.fsync(file.fileno())


def _write_whole(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def folder(log: AuditLog) -> Folder:
    return Folder(Path(settings.CHECKPOINTS), log.origin)
