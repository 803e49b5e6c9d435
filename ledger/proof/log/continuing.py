"""The state that a verification without findings leaves, so that the next one can resume there.

It is a file of two lines beside the checkpoints outside the books: a note signed by the log's key, and the
state that the note has the hash of. A state of another program, another log or another key is not used; then
everything is verified again. Newer records may refer to some before that leaf, which are read again
(`OlderRecords`)."""

import contextlib
import json
import os
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection

from ledger.db.keeping import APPS
from ledger.journal import records
from ledger.models import AuditLog, AuditRecord, JournalEntry, Leaf
from ledger.proof.audit.checks.books import BooksCheck, referred
from ledger.proof.audit.errors import NOT_BELIEVED
from ledger.proof.audit.kept import folder_of, line_of, note_in
from ledger.proof.audit.tree import log_keys
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.audit.tree.tiles import root
from ledger.proof.log import keys, sealing
from ledger.proof.log.following import Kind
from ledger.records.canonical import body_of

FORM = 1
_SOURCES = ("*.py", "*.toml", "*.sql")


@dataclass(frozen=True)
class State:
    """The state after `size` leaves, with no finding up to there."""

    size: int
    root: bytes
    told: Mapping[str, Any]

    @property
    def verified_at(self) -> str:
        return str(self.told["verified_at"])


class NoState(Exception):
    """There is no state to resume from; the sentence says why."""


def state_of(log: AuditLog, size: int, data: Mapping[str, Any]) -> State:
    return State(size, root(size, sealing.reader(log)), {**_marks(log), **data})


def write(folder: Path, log: AuditLog, state: State, signer: keys.Signer, *, now: datetime) -> None:
    """Write a state and keep the one before it, since a power cut may tear the newest. Raises OSError."""
    place = folder_of(folder, log.origin)
    place.mkdir(parents=True, exist_ok=True)
    body = json.dumps(state.told, separators=(",", ":"), ensure_ascii=False).encode()
    head = TreeHead(_name(log), state.size, sha256(body).digest(), (b64encode(state.root).decode(),))
    path = place / f"verified-{state.size:012}.json"
    with path.open("wb") as file:
        file.write(line_of(signer.signed(head, now=now).decode()) + body)
        file.flush()
        os.fsync(file.fileno())
    smaller = [one for one in _files(place) if one < path]
    for other in {*_files(place)}.difference({path, *smaller[:1]}):
        with contextlib.suppress(OSError):  # the folder may only allow adding
            other.unlink()


def newest(folder: Path, log: AuditLog, trusted: Iterable[LogKey]) -> State:
    """Return the newest state of this log that one of these keys signed and that fits. Raises NoState."""
    why, trusted = "No verification before this one has left its state.", [*trusted]
    for number, path in enumerate(_files(folder_of(folder, log.origin))):
        try:
            return _read(path, log, trusted)
        except NoState as error:
            why = why if number else str(error)
    raise NoState(why)


def _read(path: Path, log: AuditLog, trusted: list[LogKey]) -> State:
    try:
        line, _, body = path.read_bytes().partition(b"\n")
        note = (note_in(line) or "").encode()
        head = log_keys.opened(note, origin=_name(log), known=trusted, arithmetic=keys.ARITHMETIC)
    except OSError as error:
        raise NoState(f"The state in {path} cannot be read: {error.strerror or error}.") from error
    except NOT_BELIEVED as error:
        raise NoState(f"The state in {path.name} is not signed by the key of this log.") from error
    if sha256(body).digest() != head.root:
        raise NoState(f"The state in {path.name} is not what was signed.")
    state = State(head.size, b64decode(head.extensions[0]), json.loads(body))
    if {name: state.told.get(name) for name in _marks(log)} != _marks(log):
        raise NoState("Another version of the program, or another database, has left its state.")
    if not sealing.continues(log, state.size, state.root):
        raise NoState(f"The log does not continue the state over {state.size} leaves in {path.name}.")
    return state


def _files(place: Path) -> list[Path]:
    return sorted(place.glob("verified-*.json"), reverse=True)


def _name(log: AuditLog) -> str:
    """Return the origin in a state's note. No checkpoint has it, so neither can pass for the other."""
    return f"{log.origin}/verified"


def _marks(log: AuditLog) -> dict[str, Any]:
    return {
        "form": FORM,
        "program": program_digest(),
        "database": connection.vendor,
        "houses": [log.site_id, log.pk],
    }


@cache
def program_digest() -> str:
    """Return a hash of this program's sources: another version may store its state in another form."""
    found = sha256()
    for app in APPS:
        place = Path(apps.get_app_config(app).path)
        for path in sorted(one for kind in _SOURCES for one in place.rglob(kind)):
            found.update(f"{path.relative_to(place)}\n".encode() + sha256(path.read_bytes()).digest())
    return found.hexdigest()


AT_ONCE = 500


class OlderRecords:
    def __init__(self, log: AuditLog, first: int) -> None:
        self._log, self._first = log, first
        self._wanted: defaultdict[str, set[int]] = defaultdict(set)
        self._keys: list[str] = []

    def note(self, body: Mapping[str, Any]) -> None:
        """Note the older records that a newer one refers to: its own id and key, which must be new, and what
        it reverses."""
        record, number, key = body.get("record"), body.get("id"), body.get("key")
        if not self._first or not isinstance(record, str) or type(number) is not int:
            return
        self._wanted[record].add(number)
        if record == records.ENTRY:
            self._wanted[record].update(referred(body))
            if isinstance(key, str):
                self._keys.append(key)

    def recall(self, books: BooksCheck) -> None:
        own = self._wanted[records.ENTRY].copy()
        for some in _parts(self._keys):
            entries = JournalEntry.objects.filter(site=self._log.site_id, key__in=some)
            self._wanted[records.ENTRY].update(set(entries.values_list("pk", flat=True)) - own)
        for record, subjects in self._wanted.items():
            for number, body in self._read(record, subjects):
                books.recall(number, body)

    def of(self, kinds: Iterable[Kind]) -> Iterator[Mapping[str, Any]]:
        for record, kind in kinds:
            subjects = records.rows_of(record).filter(kind=kind).values_list("pk", flat=True)
            for _, body in self._read(record, subjects):
                yield body

    def _read(self, record: str, subjects: Collection[int]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the older records of these rows, in the order of the log. In one query SQLite would go
        through all leaves of the log, for every part again."""
        older: list[tuple[int, int]] = []
        for some in _parts(subjects):
            found = AuditRecord.objects.filter(kind=record, subject__in=some)
            leaves = Leaf.objects.filter(record__in=[*found.values_list("pk", flat=True)])
            for log, number, pk in leaves.values_list("log_id", "number", "record_id"):
                if log == self._log.pk and number < self._first:
                    older.append((number, pk))
        for part in _parts(sorted(older)):
            texts = dict(AuditRecord.objects.filter(pk__in=[pk for _, pk in part]).values_list("pk", "text"))
            for number, pk in part:
                if body := body_of(texts[pk]):
                    yield number, body


def _parts(values: Collection[Any]) -> Iterator[list[Any]]:
    found = list(values)
    return (found[at : at + AT_ONCE] for at in range(0, len(found), AT_ONCE))
