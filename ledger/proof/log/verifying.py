"""Verify the live books: rows, leaves, tiles and signatures, and then what the records mean.

The log is read once, in the order of leaves. Every record is rebuilt from its rows, hashed, and compared with
its leaf, its tile and every checkpoint; the sealed text then goes to the same checks that the offline
verifier runs. Each fault is reported once, where it is, without its consequences."""

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.db import connections
from django.db.models import Exists, OuterRef, Q

from ledger.db import append_only, guards, keeping, snapshots
from ledger.db.packed_text import unpacked
from ledger.db.readable import Rows, readable, unreadable
from ledger.db.stored_rows import AsStored, moment_of
from ledger.journal import conserved, records
from ledger.journal.records import StoredRecord
from ledger.jurisdiction import jurisdictions
from ledger.models import AuditLog, AuditRecord, Leaf, Site
from ledger.money import dollars
from ledger.proof.audit import reader
from ledger.proof.audit.checks.books import BooksCheck
from ledger.proof.audit.kept import ReadFile
from ledger.proof.log import keys, sealing, strays, witnessing
from ledger.proof.log.continuing import OlderRecords, State, state_of
from ledger.proof.log.following import FollowingRows, Kind, Question, RowCheck
from ledger.proof.log.freezing import NotGiven, frozen, thawed
from ledger.proof.log.state import LATE_AFTER
from ledger.proof.log.tree import AT_ONCE, Moments, Outside, SealedLeaf, SealedTree, contradiction
from ledger.proof.log.unchanged import Digests, Kept, kept_rows
from ledger.records.canonical import body_of
from ledger.records.findings import UNREADABLE, Check, Finding, name_of
from ledger.rules.places import identities

_checks: list[Callable[..., Iterable[Check]]] = []
_rows: list[Question] = []


def register_checks(make: Callable[..., Iterable[Check]]) -> None:
    """Register checks of the log; `make(site)` creates them for each verification."""
    _checks.append(make)


def register_rows(*questions: Question) -> None:
    _rows.extend(questions)


_RECORD = StoredRecord._fields
_NEW_OBJECTS = 20_000  # between two garbage collections


def _stored(columns: Sequence[Any]) -> StoredRecord:
    pk, site_id, kind, subject, recorded_at, text = columns
    return StoredRecord(pk, site_id, kind, subject, moment_of(recorded_at), unpacked(text))


@contextmanager
def _less_looking_for_garbage() -> Iterator[None]:
    """Collect garbage less often: records come by the thousand, hardly ever in cycles."""
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, 10, 10)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def log_of_books(site: Site) -> AuditLog | None:
    """Return a house's log; if another house was given it, the one with this house's first record."""
    own = AuditLog.objects.filter(site=site.pk).first()
    begun = AuditLog.objects.filter(leaves__number=0, leaves__record__site=site.pk)
    return own or begun.order_by("pk").first()


@contextmanager
def house_readable() -> Iterator[None]:
    """Make the rows of houses and logs readable inside the block, whatever they contain."""
    using = snapshots.alias()
    with readable([*unreadable(map(Rows, (Site, AuditLog)), using)], using):
        yield


def missing_tables() -> Iterator[Finding]:
    """Yield each table of the program that the database lacks. Nothing else can be verified then."""
    for table in guards.missing_tables(connections[snapshots.alias()]):
        yield Finding(
            "table_missing", "it is not in the database, so nothing was verified.", None, f"table {table}"
        )


def _rows_since(start: State | None) -> Iterator[Rows]:
    """Yield the rows of all tables, roles and rights too, that may be newer than the state."""
    kept = map(Kept._make, start.told["rows"]["tables"] if start else ())
    tables = {one.table: one for one in kept}
    person: Any = get_user_model()
    rights = (Group, Permission, Group.permissions.through)
    for model in (*keeping.models(), *rights, person.groups.through, person.user_permissions.through):
        one = None if model in (Site, AuditLog) else tables.get(model._meta.db_table)
        yield Rows(model) if one is None else Rows(model, one.last, one.without)


@dataclass
class Verification:
    """One verification of a site's books. `run` yields the findings.

    Afterwards `checked` has how often each thing was checked, and `compared` how many rows of each comparison
    were wrong. What is not sealed, signed or kept outside yet is judged by how long it has waited at `now`;
    without `now`, it is not judged.

    `start` is the state to resume from; afterwards `again` is why that was not possible and everything was
    verified. With `leave`, `state` is what the next verification can resume from, if there was no finding."""

    site: Site
    start: State | None = None
    outside: Outside = field(default_factory=Outside)
    progress: Callable[[int, int], None] = lambda done, of: None
    now: datetime | None = None
    leave: bool = False
    checked: dict[str, int] = field(default_factory=dict)
    compared: dict[str, int] = field(default_factory=dict)
    again: str = ""
    state: State | None = None

    def run(self) -> Iterator[Finding]:
        """Yield every finding as soon as it is known, in the order of the log. Never raises for the books."""
        if missing := [*missing_tables()]:
            yield from missing
            return
        with _less_looking_for_garbage(), snapshots.connected() as connection:
            digests, named = Digests(connection), set()
            if self.start is not None:
                for finding in self._read(digests, self.start):
                    named.add(finding)
                    yield finding
                if not self.again:
                    return
                self.checked.clear()
                self.compared.clear()
                if self.outside.folder is not None:
                    self.outside.folder.go_on(())
            for finding in self._read(digests, None):
                if finding not in named:
                    yield finding

    def _read(self, digests: Digests, start: State | None) -> Iterator[Finding]:
        """Yield values that cannot be read, then everything else, with those values taken as empty."""
        wrong = [*unreadable(_rows_since(start), snapshots.alias())]
        for one in wrong:
            sentence = f"its {one.column} is {one.shown}, which is not a value of its column."
            yield Finding("unreadable", sentence, None, f"row {one.pk} of {one.table}")
        with readable(wrong, snapshots.alias()):
            log = log_of_books(self.site)
            if log is None:
                yield Finding("no_log", "There is no audit log yet: nothing has been sealed.")
                return
            if log.site_id != self.site.pk:
                sentence = f"it is of house {log.site_id}, but its records are of house {self.site.pk}."
                yield Finding("row_differs", sentence, None, f"audit log {log.pk}")
                log.site = self.site
            yield from _LogReading(self, log, digests, start).run()


class _LogReading:
    def __init__(self, asked: Verification, log: AuditLog, digests: Digests, start: State | None) -> None:
        self.asked, self.log, self.digests, self.start = asked, log, digests, start
        self.site, self.checked, self.compared = asked.site, asked.checked, asked.compared
        self.first = start.size if start else 0
        self.books = BooksCheck(whole=True, usual={one.code: one.chips for one in jurisdictions()})
        self.checks: list[Check] = [self.books, *(one for make in _checks for one in make(asked.site))]
        self.comparisons = {question: make(asked.site) for question, make in _rows}
        self._reported: set[tuple[str, str]] = set()
        self._rows: dict[Kind, list[tuple[str, RowCheck]]] = {}
        self._older = OlderRecords(log, self.first)
        self._left: dict[str, Any] = {}
        self._unsealed: list[int] = []
        self._newest_kept: int = start.told["folder"]["newest"] if start else 0

    def run(self) -> Iterator[Finding]:
        """Yield the findings; if something older has changed, none, and set `again` of the verification."""
        asked, wrong = self.asked, False
        start = self.start
        if start is not None and (why := self._go_on(start)):
            asked.again = why
            return
        for finding in self._read():
            wrong = True
            yield finding
        if self.start is not None and (why := self._changed_since(self.start)):
            asked.again = why
        elif not wrong:
            asked.state = self._state(self._newest_kept)

    def _read(self) -> Iterator[Finding]:
        asked, log = self.asked, self.log
        yield from self._safely("the schema", self._schema())
        for question, comparison in self.comparisons.items():
            self.compared[question] = 0
            for kind in comparison.kinds:
                self._rows.setdefault(kind, []).append((question, comparison))
        newest_kept = self._newest_kept
        tree = SealedTree(log, keys.history(log), self.first, asked.outside, self.checked, newest_kept)
        tree.now = asked.now
        yield from tree.begin()
        size = sealing.size_of(log)
        yield from self._safely("the leaves", self._log(tree, size))
        yield from self._safely("the tree", tree.finish(self._young, size))
        yield from self._safely("cosignatures", witnessing.wrong_cosignatures(log, self.checked))
        yield from self._safely("records that wait to be sealed", self._waiting(size))
        yield from self._safely("the end of the log", self._finished())
        yield from self._safely("rows without a record", self._unrecorded())
        yield from self._safely("rows of no house", strays.strays(self.site, self._since, self._rows_since))
        yield from self._safely("balances", self._balances())
        for question, comparison in self.comparisons.items():
            yield from self._safely(question, self._counted(question, comparison))
        asked.progress(size - self.first, size - self.first)
        self._newest_kept = tree.kept.newest

    def _safely(self, what: str, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield these findings; an exception becomes a finding, so that the other checks still run."""
        try:
            yield from findings
        except Exception as error:
            why = f"{what} could not be judged to the end ({type(error).__name__}: {error})."
            yield Finding("not_judged", why)

    def _log(self, tree: SealedTree, size: int) -> Iterator[Finding]:
        signed = sealing.latest(self.log) if self.asked.leave else None
        cut = signed.size if signed else 0
        for sealed in self._leaves():
            yield from self._safely(f"leaf {sealed.number}", self._judged(tree, sealed))
            if sealed.number + 1 == cut:
                yield from self._leave(cut)
            if not sealed.number % AT_ONCE:
                self.asked.progress(sealed.number - self.first, size - self.first)

    def _judged(self, tree: SealedTree, sealed: SealedLeaf) -> Iterator[Finding]:
        text, findings = tree.take(sealed)
        for finding in findings:
            yield from self._once(finding)
        if text is not None:
            yield from self._ask(sealed.number, text)

    def _finished(self) -> Iterator[Finding]:
        self._older.recall(self.books)
        for check in self.checks:
            yield from self._safely(type(check).__name__, check.finish())
            self.checked |= check.checked

    @property
    def _young(self) -> Moments | None:
        """The times of records that may still wait. Later dates than these are not young."""
        now = self.asked.now
        return None if now is None else (now - LATE_AFTER, now + LATE_AFTER)

    def _schema(self) -> Iterator[Finding]:
        using = connections[snapshots.alias()]
        for name in guards.all_lacking(using):
            yield Finding(
                "trigger_missing", "it is missing, disabled or another one.", None, f"trigger {name}"
            )
        for name, wrong in guards.foreign(using):
            yield Finding("schema_differs", wrong, None, name)
        self.checked["tables held by triggers"] = len(append_only.PROTECTED)
        for wrong in guards.damaged(using):
            yield Finding("file_damaged", f"SQLite finds: {wrong}", None, "the database's file")

    def _once(self, finding: Finding | None) -> Iterator[Finding]:
        """Yield a finding unless it was reported before: one bad account affects many entries."""
        if finding is not None and (finding.code, finding.record) not in self._reported:
            self._reported.add((finding.code, finding.record))
            yield finding

    def _leaves(self) -> Iterator[SealedLeaf]:
        columns = ("number", "hash", "recorded_at", "record_id", *(f"record__{name}" for name in _RECORD[1:]))
        leaves = Leaf.objects.filter(log=self.log, number__gte=self.first).order_by("number")
        told = leaves.values_list(*map(AsStored, columns)).iterator(AT_ONCE)
        while some := list(islice(told, AT_ONCE)):
            stored = [_stored(leaf[3:]) for leaf in some]
            rebuilt = records.rebuilt(stored)
            for (number, hashed, recorded_at, *_), record in zip(some, stored, strict=True):
                yield SealedLeaf(number, bytes(hashed), moment_of(recorded_at), record, rebuilt[record.pk])

    def _ask(self, number: int, text: str) -> list[Finding]:
        body = body_of(text)
        if not body:
            return []  # reported already: its text is not the one that was sealed
        if wrong := reader.wrong_form(number, body):
            return [wrong]
        self._older.note(body)
        findings: list[Finding] = []
        for check in self.checks:
            findings += check.take(number, body)
        if inside := reader.wrong_inside(number, body):  # names more precisely what a check could not read
            findings = [inside, *(one for one in findings if one.code != inside.code)]
        try:
            for question, comparison in self._rows.get((body.get("record", ""), body.get("kind", "")), ()):
                for finding in comparison.take(body):
                    self.compared[question] += 1
                    findings.append(finding)
        except UNREADABLE:
            pass  # the checks report what cannot be read
        return findings

    def _waiting(self, size: int) -> Iterator[Finding]:
        found = AuditRecord.objects.filter(site=self.site).filter(
            ~Exists(Leaf.objects.filter(record=OuterRef("pk"), log=self.log))
        )
        if self.start is not None:
            found = found.filter(self._since(AuditRecord) | Q(pk__in=self.start.told["waiting"]))
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
                yield from self._ask(size + count, record.text)
                self._unsealed.append(record.pk)
                count += 1
        self.checked["records waiting to be sealed"] = count

    def _unrecorded(self) -> Iterator[Finding]:
        for kind in records.kinds() if strays.is_any_unrecorded(self._rows_since) else ():
            recorded = AuditRecord.objects.filter(kind=kind, subject=OuterRef("pk"))
            rows = records.rows_of(kind)
            rows = rows.filter(~Exists(recorded), self._since(rows.model)).order_by("pk")
            for pk in rows.values_list("pk", flat=True).iterator(AT_ONCE):
                name = name_of({"record": kind, "id": pk})
                yield Finding("no_record", "the row has no record: it was written past the log.", None, name)
        yield from strays.recorded_elsewhere(self.site, self._since)

    def _balances(self) -> Iterator[Finding]:
        count, balances, agree = 0, self.books.balances, True
        for account in self.site.accounts.order_by("pk").iterator(AT_ONCE):
            count += 1
            total = balances.get(account.pk, 0)
            if total != account.balance_cents:
                agree = False
                yield Finding(
                    "balance_differs",
                    f"{account.label} ({account.asset}) has a stored balance of"
                    f" {dollars(account.balance_cents)},"
                    f" but its transfers add up to {dollars(total)}.",
                    None,
                    f"account {account.pk}",
                )
        self.checked["accounts compared with their transfers"] = count
        if not agree:
            return  # the identities are of these balances: one fault, one finding
        held = conserved.held(self.site)
        for equation in identities(held, conserved.taken(self.site, held)):
            if equation.wrong:
                yield Finding(equation.code, f"By its rows, {equation.wrong}", None, f"house {self.site.pk}")

    def _counted(self, question: str, comparison: RowCheck) -> Iterator[Finding]:
        for finding in comparison.finish():
            self.compared[question] += 1
            yield finding

    # -- from one verification to the next -------------------------------------------------------------------

    @property
    def _following(self) -> dict[str, FollowingRows]:
        """The comparisons with a memory; the others read what they need again."""
        compared = self.comparisons.items()
        return {question: one for question, one in compared if isinstance(one, FollowingRows)}

    @property
    def _given(self) -> dict[str, Any]:
        return {name: one for check in self.checks for name, one in getattr(check, "given", {}).items()}

    def _leave(self, size: int) -> Iterator[Finding]:
        remembered = {}
        for question, comparison in self._following.items():
            for finding in comparison.settle():
                self.compared[question] += 1
                yield finding
            remembered[question] = comparison.remembered()
        self._left = {"size": size, "known": frozen((self.checks, remembered), self._given)}

    def _state(self, newest_kept: int) -> State | None:
        """Return the state with rows and folder as now; None while the folder lacks its checkpoint."""
        data, folder = self._left, self.asked.outside.folder
        if not data or (folder is not None and newest_kept < data["size"]):
            return None
        data["rows"] = kept_rows(self._following, self.digests)
        data["folder"] = {"newest": newest_kept, "files": folder.read_files() if folder else []}
        at = "" if self.asked.now is None else f"{self.asked.now:%Y-%m-%d %H:%M} UTC"
        data["waiting"], data["verified_at"] = self._unsealed, at
        return state_of(self.log, data.pop("size"), data)

    def _go_on(self, start: State) -> str:
        """Take over a state; return what has changed since, in words, or an empty text."""
        folder = self.asked.outside.folder
        if folder is not None and not folder.go_on([ReadFile(*one) for one in start.told["folder"]["files"]]):
            return "The folder of checkpoints has changed."
        if why := self.digests.changed(start.told["rows"]):
            return f"Something has changed that was verified before: {why}."
        try:
            (self.books, *others), remembered = thawed(start.told["known"], self._given)
        except NotGiven as gone:
            return f"Something has changed that was verified before: no table has the {gone} any more."
        self.books.go_on(self.first)
        self.checks = [self.books, *others]
        for question, comparison in self.comparisons.items():
            if isinstance(comparison, FollowingRows):
                comparison.go_on(
                    remembered[question], [pk for pk, _ in start.told["rows"]["open"].get(question, ())]
                )
            else:
                for body in self._older.of(comparison.kinds):
                    comparison.take(body)
        if stray := strays.put_in_below(self.log, start.size, self._since):
            return f"Something has been put in below what was verified before: {stray}."
        return ""

    def _since(self, model: Any) -> Q:
        kept = self._kept.get(model._meta.db_table)
        return Q() if kept is None else Q(pk__gt=kept.last) | Q(pk__in=kept.without)

    def _rows_since(self, model: Any) -> Rows:
        kept = self._kept.get(model._meta.db_table)
        return Rows(model) if kept is None else Rows(model, kept.last, kept.without)

    @cached_property
    def _kept(self) -> dict[str, Kept]:
        kept = map(Kept._make, self.start.told["rows"]["tables"] if self.start else ())
        return {one.table: one for one in kept}

    def _changed_since(self, start: State) -> str:
        set_later: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
        for comparison in self._following.values():
            set_later[comparison.follows.model] |= comparison.set_later
        for question, rows in start.told["rows"]["open"].items():
            comparison = self._following[question]
            there = comparison.open_rows(pk for pk, _ in rows)
            for pk, before in rows:
                now = there.get(pk, {})
                for name, value in before.items():
                    if now.get(name, pk) != value and (pk, name) not in set_later[comparison.follows.model]:
                        return f"{comparison.follows.model} {pk} has changed, and no record says so."
        return ""
