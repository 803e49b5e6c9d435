"""The folder outside the database where every checkpoint is written at once: what is deleted here is still there."""

import fcntl
import os
from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import chain
from pathlib import Path

from django.conf import settings

from ledger.audit.errors import BadCheckpoint, BadNote
from ledger.audit.kept import files_in, folder_of, line_of, note_in, tree_in
from ledger.errors import CheckpointNotKept, CheckpointsUnreadable
from ledger.models import AuditLog

_TAIL = 1 << 16  # bytes at the end of a file: many checkpoints


class Folder:
    """A folder with a file for each day, one line for each checkpoint: `ledger.audit.kept` reads them. It is only added to."""

    def __init__(self, root: Path, origin: str) -> None:
        self._path, self._origin = folder_of(root, origin), origin

    def newest(self) -> str | None:
        """Return the last checkpoint of this log in the last file that has one. Whatever else is there is passed over.

        Raises CheckpointsUnreadable.
        """
        try:
            found = (self._last_in(path) for path in reversed(files_in(self._path)))
            return next((text for text in found if text is not None), None)
        except OSError as error:
            raise CheckpointsUnreadable(
                f"Checkpoints cannot be read in {self._path}: {error.strerror or error}. Nothing is signed until they can."
            ) from error

    def write(self, unwritten: Callable[[str | None], Iterable[str]], *, now: datetime) -> None:
        """Write the notes that follow the newest one here; `unwritten(newest)` returns them. Lasting once it returns.

        They go behind whatever a power cut may have torn; one process at a time. Raises CheckpointNotKept.
        """
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

    def _last_in(self, path: Path) -> str | None:
        with path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            for start in dict.fromkeys((max(0, end - _TAIL), 0)):  # all of it if the end has nothing but junk
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
        """Add to today's file, or to a later one that a clock ahead began: files are in the order of signing."""
        path = max([self._path / today, *files_in(self._path)])
        with path.open("a+b") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
            if file.read(1) not in (b"", b"\n"):
                file.write(b"\n")
            file.writelines(map(line_of, notes))
            file.flush()
            os.fsync(file.fileno())


def folder(log: AuditLog) -> Folder:
    """Return where this log's checkpoints are kept."""
    return Folder(Path(settings.CHECKPOINTS), log.origin)
