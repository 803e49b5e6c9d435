"""Verifying the live books: row by row, leaf by leaf, tile by tile, signature by signature, and then what they mean.

The log is read once, in the order of its leaves. Every record is made again from its business rows, hashed, and held
against leaf, tile and every checkpoint; what stands sealed is then given to the same checks that the offline verifier
runs. Each thing that is wrong is named once, where it is; what only follows from it is not accused.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.db.models import Exists, OuterRef

from ledger.audit.checks.books import BooksCheck
from ledger.audit.findings import UNREADABLE, Check, Finding, name_of
from ledger.journal import records
from ledger.journal.balances import differences
from ledger.journal.records import StoredRecord
from ledger.log import keys, sealing
from ledger.log.row_checks import Kind, RowCheck
from ledger.log.tree import AT_ONCE, Outside, SealedLeaf, SealedTree, body_of, contradiction
from ledger.models import AuditLog, AuditRecord, Leaf, Site
from ledger.money import dollars

_checks: list[Callable[..., Iterable[Check]]] = []
_rows: list[tuple[str, Callable[[Site], RowCheck]]] = []


def register_checks(make: Callable[..., Iterable[Check]]) -> None:
    """Name checks of the log that an app brings; `make(site, whole=...)` makes them anew for every verification."""
    _checks.append(make)


def register_rows(question: str, make: Callable[[Site], RowCheck]) -> None:
    """Name a comparison of rows that have no record of their own with those that have; `question` is what it looked at.

    `make(site)` makes it anew for every verification.
    """
    _rows.append((question, make))


@dataclass
class Verification:
    """One verification of a site's books. `run` gives the findings.

    Afterwards `checked` says what was looked at and how often, and `compared` how many rows of a comparison were wrong.

    `first` is the leaf to begin with: 0, or the size of a checkpoint from which on it is asked.
    """

    site: Site
    first: int = 0
    outside: Outside = field(default_factory=Outside)
    progress: Callable[[int, int], None] = lambda done, of: None
    checked: dict[str, int] = field(default_factory=dict)
    compared: dict[str, int] = field(default_factory=dict)
    _told: set[tuple[str, str]] = field(default_factory=set)
    _rows: dict[Kind, list[tuple[str, RowCheck]]] = field(default_factory=dict)

    def run(self) -> Iterator[Finding]:
        """Every finding, in the order of the log; nothing is raised for what is wrong with the books."""
        log = AuditLog.objects.filter(site=self.site).first()
        if log is None:
            yield Finding("no_log", "There is no audit log: nothing has been sealed here yet.")
            return
        known = keys.known_keys(log)
        books = BooksCheck(whole=not self.first)
        checks = [books, *(check for make in _checks for check in make(self.site, whole=not self.first))]
        compared = [(question, make(self.site)) for question, make in _rows]
        for question, comparison in compared:
            self.compared[question] = 0
            for kind in comparison.kinds:
                self._rows.setdefault(kind, []).append((question, comparison))
        tree = SealedTree(log, known, self.first, self.outside, self.checked)
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
        yield from tree.finish()
        yield from self._waiting(log, checks, size)
        for check in checks:
            yield from check.finish()
            self.checked |= check.checked
        yield from self._unrecorded()
        yield from self._balances(books)
        for question, comparison in compared:
            yield from self._counted(question, comparison.finish())
        self.progress(size - self.first, size - self.first)

    def _once(self, finding: Finding | None) -> Iterator[Finding]:
        """A finding, unless it is the same that was told before: one account is at fault in many entries."""
        if finding is not None and (finding.code, finding.record) not in self._told:
            self._told.add((finding.code, finding.record))
            yield finding

    def _leaves(self, log: AuditLog) -> Iterator[SealedLeaf]:
        """Every leaf in order, with its record and what that has to be."""
        number = self.first - 1
        columns = ("record_id", *(f"record__{name}" for name in StoredRecord._fields[1:]))
        found = Leaf.objects.filter(log=log).order_by("number")
        told = found.values_list("number", "hash", "recorded_at", *columns)
        while leaves := list(told.filter(number__gt=number)[:AT_ONCE]):
            kept = [StoredRecord._make(leaf[3:]) for leaf in leaves]
            rebuilt = records.rebuilt(kept)
            for (number, hashed, recorded_at, *_), record in zip(leaves, kept, strict=True):
                yield SealedLeaf(number, bytes(hashed), recorded_at, record, rebuilt[record.pk])

    def _earlier(self, log: AuditLog) -> Iterator[Finding]:
        """Tell the comparisons, which are of all rows, the records before the first leaf that is asked for."""
        if self.first:
            found = AuditRecord.objects.filter(leaf__log=log, leaf__number__lt=self.first)
            for text in found.order_by("leaf__number").values_list("text", flat=True).iterator(AT_ONCE):
                if (body := body_of(text)) is not None:
                    yield from self._compare(body)

    def _ask(self, checks: Sequence[Check], number: int, text: str) -> Iterator[Finding]:
        body = body_of(text)
        if body is None:
            return  # named already: its text is not the one that was sealed
        for check in checks:
            yield from check.take(number, body)
        yield from self._compare(body)

    def _compare(self, body: dict[str, Any]) -> Iterator[Finding]:
        """Show a record to the comparisons of its kind. What in it cannot be read, the checks name."""
        try:
            for question, comparison in self._rows.get((body.get("record", ""), body.get("kind", "")), ()):
                yield from self._counted(question, comparison.take(body))
        except UNREADABLE:
            return

    def _waiting(self, log: AuditLog, checks: Sequence[Check], size: int) -> Iterator[Finding]:
        """Records without a leaf: those that sealing has not come to, held against their rows as well."""
        found = AuditRecord.objects.filter(site=self.site).filter(
            ~Exists(Leaf.objects.filter(record=OuterRef("pk")))
        )
        count = 0
        waiting = map(
            StoredRecord._make, found.order_by("pk").values_list(*StoredRecord._fields).iterator(AT_ONCE)
        )
        while some := list(islice(waiting, AT_ONCE)):
            rebuilt = records.rebuilt(some)
            for record in some:
                if rebuilt[record.pk] != record.text:
                    yield from self._once(contradiction(None, record, rebuilt[record.pk]))
                yield from self._ask(checks, size + count, record.text)
                count += 1
        self.checked["records that wait to be sealed"] = count

    def _unrecorded(self) -> Iterator[Finding]:
        """Rows that were written past the log."""
        for kind in records.kinds():
            recorded = AuditRecord.objects.filter(kind=kind, subject=OuterRef("pk"))
            rows = records.rows_of(kind).filter(~Exists(recorded)).order_by("pk").values_list("pk", flat=True)
            for pk in rows.iterator(AT_ONCE):
                name = name_of({"record": kind, "id": pk})
                yield Finding(
                    "no_record", "there is a row, and no record: it was written past the log.", None, name
                )

    def _balances(self, books: BooksCheck) -> Iterator[Finding]:
        """Stored balances against what the records of all transfers come to; of a part of the log, against the rows."""
        count = 0
        if self.first:
            wrong = {found.account_id: found.transfers_cents for found in differences(self.site)}
        else:
            wrong = books.balances
        for account in self.site.accounts.order_by("pk").iterator(AT_ONCE):
            count += 1
            held = wrong.get(account.pk, account.balance_cents if self.first else 0)
            if held != account.balance_cents:
                yield Finding(
                    "balance_differs",
                    f"{account.label} ({account.asset}) is stored with {dollars(account.balance_cents)},"
                    f" its transfers come to {dollars(held)}.",
                    None,
                    f"account {account.pk}",
                )
        self.checked["accounts held against their transfers"] = count

    def _counted(self, question: str, findings: Iterable[Finding]) -> Iterator[Finding]:
        for finding in findings:
            self.compared[question] += 1
            yield finding
