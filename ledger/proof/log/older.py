"""Records before the leaf that a verification resumes from, read again if newer ones refer to them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ledger.journal import records
from ledger.models import AuditLog, AuditRecord, JournalEntry, Leaf
from ledger.proof.audit.checks.books import BooksCheck, referred
from ledger.proof.log.following import Kind
from ledger.records.canonical import body_of

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
        for keys in _parts(self._keys):
            entries = JournalEntry.objects.filter(site=self._log.site_id, key__in=keys)
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
