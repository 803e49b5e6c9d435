"""Verify the live books: rows, leaves, tiles and signatures, and then what the records mean.

The log is read once, in the order of its leaves. Every record is rebuilt from its rows, hashed, and compared with leaf,
tile and every checkpoint; the sealed text is then given to the same checks that the offline verifier runs. Each fault is
reported once, where it is; its consequences are not reported.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef

from ledger.audit.checks.books import BooksCheck
from ledger.audit.findings import UNREADABLE, Check, Finding, name_of
from ledger.db import append_only
from ledger.journal import records
from ledger.journal.balances import differences
from ledger.journal.records import StoredRecord
from ledger.log import keys, sealing
from ledger.log.row_checks import Kind, RowCheck
from ledger.log.state import LATE_AFTER
from ledger.log.tree import AT_ONCE, Moments, Outside, SealedLeaf, SealedTree, body_of, contradiction
from ledger.models import AuditLog, AuditRecord, Leaf, Site
from ledger.money import dollars

_checks: list[Callable[..., Iterable[Check]]] = []
_rows: list[tuple[str, Callable[[Site], RowCheck]]] = []


def register_checks(make: Callable[..., Iterable[Check]]) -> None:
    """Register checks of the log; `make(site, whole=...)` creates them for each verification."""
    _checks.append(make)


def register_rows(question: str, make: Callable[[Site], RowCheck]) -> None:
    """Register a comparison of rows without a record of their own; `question` says in words what it compares.

    `make(site)` creates it for each verification.
    """
    _rows.append((question, make))


@dataclass
class Verification:
    """One verification of a site's books. `run` yields the findings.

    Afterwards `checked` says what was checked and how often, and `compared` how many rows of each comparison were wrong.
    `first` is the leaf to begin with: 0, or the size of the checkpoint to continue from. What is not sealed, signed or
    kept outside is judged by how long it has waited at `now`; without one, by nothing.
    """

    site: Site
    first: int = 0
    outside: Outside = field(default_factory=Outside)
    progress: Callable[[int, int], None] = lambda done, of: None
    now: datetime | None = None
    checked: dict[str, int] = field(default_factory=dict)
    compared: dict[str, int] = field(default_factory=dict)
    _reported: set[tuple[str, str]] = field(default_factory=set)
    _rows: dict[Kind, list[tuple[str, RowCheck]]] = field(default_factory=dict)

    def run(self) -> Iterator[Finding]:
        """Yield every finding, in the order of the log. Faults in the books never raise."""
        log = AuditLog.objects.filter(site=self.site).first()
        if log is None:
            yield Finding("no_log", "There is no audit log yet: nothing has been sealed.")
            return
        yield from self._triggers()
        books = BooksCheck(whole=not self.first)
        checks = [books, *(check for make in _checks for check in make(self.site, whole=not self.first))]
        compared = [(question, make(self.site)) for question, make in _rows]
        for question, comparison in compared:
            self.compared[question] = 0
            for kind in comparison.kinds:
                self._rows.setdefault(kind, []).append((question, comparison))
        tree = SealedTree(log, keys.history(log), self.first, self.outside, self.checked)
        yield from tree.begin()
        size = sealing.size_of(log)
        yield from self._earlier(log)
        for sealed in self._leaves(log):
            text, findings = tree.take(sealed)
            for finding in findings:
                yield from self._once(finding)
            if text is not None:
                yield from self._ask(checks, sealed.number, text)
            if not sealed.number % AT_ONCE:
                self.progress(sealed.number - self.first, size - self.first)
        yield from tree.finish(self._young)
        yield from self._waiting(log, checks, size)
        for check in checks:
            yield from check.finish()
            self.checked |= check.checked
        yield from self._unrecorded()
        yield from self._balances(books)
        for question, comparison in compared:
            yield from self._counted(question, comparison.finish())
        self.progress(size - self.first, size - self.first)

    @property
    def _young(self) -> Moments | None:
        """When what may still wait was recorded. What is dated later than that is no younger."""
        return None if self.now is None else (self.now - LATE_AFTER, self.now + LATE_AFTER)

    def _triggers(self) -> Iterator[Finding]:
        """Yield the triggers that do not hold what is written once."""
        for name in append_only.unprotected(connection):
            yield Finding("trigger_missing", "it is missing or disabled.", None, f"trigger {name}")
        self.checked["tables held by triggers"] = len(append_only.PROTECTED)

    def _once(self, finding: Finding | None) -> Iterator[Finding]:
        """Yield a finding unless the same one was reported before: one bad account affects many entries."""
        if finding is not None and (finding.code, finding.record) not in self._reported:
            self._reported.add((finding.code, finding.record))
            yield finding

    def _leaves(self, log: AuditLog) -> Iterator[SealedLeaf]:
        """Yield every leaf in order, with its record and the text that the rows give for it."""
        number = self.first - 1
        columns = ("record_id", *(f"record__{name}" for name in StoredRecord._fields[1:]))
        found = Leaf.objects.filter(log=log).order_by("number")
        told = found.values_list("number", "hash", "recorded_at", *columns)
        while leaves := list(told.filter(number__gt=number)[:AT_ONCE]):
            stored = [StoredRecord._make(leaf[3:]) for leaf in leaves]
            rebuilt = records.rebuilt(stored)
            for (number, hashed, recorded_at, *_), record in zip(leaves, stored, strict=True):
                yield SealedLeaf(number, bytes(hashed), recorded_at, record, rebuilt[record.pk])

    def _earlier(self, log: AuditLog) -> Iterator[Finding]:
        """Give the comparisons, which cover all rows, the records before the first leaf as well."""
        if self.first:
            found = AuditRecord.objects.filter(leaf__log=log, leaf__number__lt=self.first)
            for text in found.order_by("leaf__number").values_list("text", flat=True).iterator(AT_ONCE):
                if (body := body_of(text)) is not None:
                    yield from self._compare(body)

    def _ask(self, checks: Sequence[Check], number: int, text: str) -> Iterator[Finding]:
        body = body_of(text)
        if body is None:
            return  # reported already: its text is not the one that was sealed
        for check in checks:
            yield from check.take(number, body)
        yield from self._compare(body)

    def _compare(self, body: dict[str, Any]) -> Iterator[Finding]:
        """Give a record to the comparisons of its kind. The checks report what cannot be read."""
        try:
            for question, comparison in self._rows.get((body.get("record", ""), body.get("kind", "")), ()):
                yield from self._counted(question, comparison.take(body))
        except UNREADABLE:
            return

    def _waiting(self, log: AuditLog, checks: Sequence[Check], size: int) -> Iterator[Finding]:
        """Compare the records that are not sealed yet with their rows as well."""
        found = AuditRecord.objects.filter(site=self.site).filter(
            ~Exists(Leaf.objects.filter(record=OuterRef("pk")))
        )
        count, young = 0, self._young
        waiting = map(
            StoredRecord._make, found.order_by("pk").values_list(*StoredRecord._fields).iterator(AT_ONCE)
        )
        while some := list(islice(waiting, AT_ONCE)):
            rebuilt = records.rebuilt(some)
            for record in some:
                if rebuilt[record.pk] != record.text:
                    yield from self._once(contradiction(None, record, rebuilt[record.pk]))
                if young is not None and not young[0] <= record.recorded_at <= young[1]:
                    since = f"it has waited to be sealed since {record.recorded_at:%Y-%m-%d %H:%M:%S} UTC."
                    yield Finding("not_sealed", since, None, str(record))
                yield from self._ask(checks, size + count, record.text)
                count += 1
        self.checked["records waiting to be sealed"] = count

    def _unrecorded(self) -> Iterator[Finding]:
        """Yield rows that were written without a record."""
        for kind in records.kinds():
            recorded = AuditRecord.objects.filter(kind=kind, subject=OuterRef("pk"))
            rows = records.rows_of(kind).filter(~Exists(recorded)).order_by("pk").values_list("pk", flat=True)
            for pk in rows.iterator(AT_ONCE):
                name = name_of({"record": kind, "id": pk})
                yield Finding("no_record", "the row has no record: it was written past the log.", None, name)

    def _balances(self, books: BooksCheck) -> Iterator[Finding]:
        """Compare stored balances with the sum of all recorded transfers; for a part of the log, with the transfer rows."""
        count = 0
        if self.first:
            wrong = {found.account_id: found.transfers_cents for found in differences(self.site)}
        else:
            wrong = books.balances
        for account in self.site.accounts.order_by("pk").iterator(AT_ONCE):
            count += 1
            total = wrong.get(account.pk, account.balance_cents if self.first else 0)
            if total != account.balance_cents:
                yield Finding(
                    "balance_differs",
                    f"{account.label} ({account.asset}) has a stored balance of {dollars(account.balance_cents)},"
                    f" but its transfers add up to {dollars(total)}.",
                    None,
                    f"account {account.pk}",
                )
        self.checked["accounts compared with their transfers"] = count

    def _counted(self, question: str, findings: Iterable[Finding]) -> Iterator[Finding]:
        for finding in findings:
            self.compared[question] += 1
            yield finding
