"""Verifying the live books: row by row, leaf by leaf, tile by tile, signature by signature, and then what they mean.

The log is read once, in the order of its leaves. Every record is made again from its business rows, hashed, and held
against leaf, tile and every checkpoint; what stands sealed is then given to the same checks that the offline verifier
runs. Each thing that is wrong is named once, where it is; what only follows from it is not accused.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef

from ledger import keys, records, sealing
from ledger.audit import canonical, checkpoints
from ledger.audit.books import BooksCheck
from ledger.audit.errors import BadCheckpoint, BadNote, BadSignature, BadVerifierKey
from ledger.audit.findings import UNREADABLE, Check, Finding, name_of
from ledger.audit.note import VerifierKey
from ledger.audit.tiles import Tile as Place
from ledger.audit.tiles import TiledTree, tile_root
from ledger.balances import differences
from ledger.comparing import Comparison, Kind
from ledger.models import AuditLog, AuditRecord, Checkpoint, Leaf, Site, Tile
from ledger.money import dollars
from ledger.records import Kept

AT_ONCE = 500  # leaves in memory

_checks: list[Callable[..., Iterable[Check]]] = []
_rows: list[tuple[str, Callable[[Site], Comparison]]] = []


def register_checks(make: Callable[..., Iterable[Check]]) -> None:
    """Name checks of the log that an app brings; `make(site, whole=...)` makes them anew for every verification."""
    _checks.append(make)


def register_rows(question: str, make: Callable[[Site], Comparison]) -> None:
    """Name a comparison of rows that have no record of their own with those that have; `question` is what it looked at.

    `make(site)` makes it anew for every verification.
    """
    _rows.append((question, make))


@dataclass
class Outside:
    """What somebody has kept outside of the house, and what the log is held against: a checkpoint, a key's fingerprint."""

    checkpoint: bytes | None = None
    fingerprint: str = ""


class _Sealed(NamedTuple):
    """One leaf as it was read, with what its record has to be by the rows."""

    number: int
    hash: bytes
    leaf_recorded_at: Any
    record: Kept
    rebuilt: str | None


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
    _rows: dict[Kind, list[tuple[str, Comparison]]] = field(default_factory=dict)

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
        tree = _Tree(self, log, known)
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

    def _leaves(self, log: AuditLog) -> Iterator[_Sealed]:
        """Every leaf in order, with its record and what that has to be."""
        number = self.first - 1
        columns = ("record_id", *(f"record__{name}" for name in Kept._fields[1:]))
        found = Leaf.objects.filter(log=log).order_by("number")
        found = found.values_list("number", "hash", "recorded_at", *columns)
        while leaves := list(found.filter(number__gt=number)[:AT_ONCE]):
            kept = [Kept._make(leaf[3:]) for leaf in leaves]
            rebuilt = records.rebuilt(kept)
            for (number, hashed, recorded_at, *_), record in zip(leaves, kept, strict=True):
                yield _Sealed(number, bytes(hashed), recorded_at, record, rebuilt[record.pk])

    def _earlier(self, log: AuditLog) -> Iterator[Finding]:
        """Tell the comparisons, which are of all rows, the records before the first leaf that is asked for."""
        if self.first:
            found = AuditRecord.objects.filter(leaf__log=log, leaf__number__lt=self.first)
            for text in found.order_by("leaf__number").values_list("text", flat=True).iterator(AT_ONCE):
                if (body := _body(text)) is not None:
                    yield from self._compare(body)

    def _ask(self, checks: Sequence[Check], number: int, text: str) -> Iterator[Finding]:
        body = _body(text)
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
        waiting = map(Kept._make, found.order_by("pk").values_list(*Kept._fields).iterator(AT_ONCE))
        while some := list(islice(waiting, AT_ONCE)):
            rebuilt = records.rebuilt(some)
            for record in some:
                if rebuilt[record.pk] != record.text:
                    yield from self._once(_contradiction(None, record, rebuilt[record.pk]))
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


class _Tree:
    """The tree as it is made again from the leaves, held against tiles and checkpoints while it grows."""

    def __init__(self, asked: Verification, log: AuditLog, known: Sequence[VerifierKey]) -> None:
        self.asked, self.log, self.known = asked, log, known
        self.tree = TiledTree(asked.first, sealing.reader(log) if asked.first else None)
        self.next = asked.first
        self.whole = True  # no leaf was missing so far, so that roots can be compared
        self.tiles = _Tiles(log, asked.first)
        self.signed = iter(
            Checkpoint.objects.filter(log=log, size__gte=asked.first).order_by("size").iterator(AT_ONCE)
        )
        self.due: Checkpoint | None = None
        self.good = asked.first
        self.named = False  # whether something was found since the last checkpoint that held
        self.roots: dict[int, bytes] = {}

    def begin(self) -> Iterator[Finding]:
        """What can be said before the first leaf: the key, and the checkpoint from outside, by itself."""
        self.asked.checked |= {"leaves": 0, "checkpoints": 0, "tiles": 0}
        pinned = self.asked.outside.fingerprint.lower().replace(" ", "")
        if pinned and not any(key.fingerprint.startswith(pinned) for key in self.known):
            yield Finding("other_key", "The log names no key with the fingerprint that was given.")
        self.due = next(self.signed, None)
        yield from self._outside_first()
        while self.due is not None and self.due.size <= self.asked.first:
            yield from self._checkpoint(self.due)
            self.due = next(self.signed, None)

    def take(self, sealed: _Sealed) -> tuple[str | None, list[Finding]]:
        """The text that was sealed here, as far as it is still known, and what is wrong with this leaf."""
        number, record = sealed.number, sealed.record
        findings = list(self._gap(number)) if number != self.next else []
        self.next = number + 1
        self.asked.checked["leaves"] += 1
        text: str | None = record.text
        true_hash = hashed = sealing.hash_of(record.text)
        in_tile = self.tiles.hash_at(number)
        wrong = self._wrong(sealed, hashed, in_tile)
        if wrong is not None:
            findings.append(wrong)
            self.named = True
            true_hash, text = self._believed(sealed, hashed, in_tile)
        for tile, data in self.tree.extend((true_hash,)):
            if self.whole:
                findings += self.tiles.compare(tile, data)
                self.asked.checked["tiles"] += 1
        while self.due is not None and self.due.size == self.next:
            findings += self._checkpoint(self.due)
            self.due = next(self.signed, None)
        self._remember()
        return text, findings

    def finish(self) -> Iterator[Finding]:
        """What is left: checkpoints of a longer log than there is, and the one from outside."""
        while self.due is not None:
            yield Finding(
                "log_cut",
                f"It was signed over {self.due.size} leaves, and there are {self.next}: the end of the log is gone.",
                None,
                f"checkpoint {self.due.size}",
            )
            self.due = None
        yield from self._outside_last()
        yield from self.tiles.left(self.next)

    # -- one leaf ---------------------------------------------------------------------------------------------

    def _gap(self, number: int) -> Iterator[Finding]:
        """Leaves that are missing before this one. A tile that is kept still knows their hashes."""
        for missing in range(self.next, number):
            if Leaf.objects.filter(log=self.log, number=missing).exists():
                yield Finding("record_missing", "the record of this leaf is gone.", missing)
            else:
                yield Finding("leaf_missing", "the leaf is gone.", missing)
            self.named = True
            in_tile = self.tiles.hash_at(missing)
            self.whole = self.whole and in_tile is not None
            for _ in self.tree.extend([in_tile or bytes(32)]):
                pass
            self.next = missing + 1
            while self.due is not None and self.due.size == self.next:
                if self.whole:
                    yield from self._checkpoint(self.due)
                self.due = next(self.signed, None)

    def _believed(self, sealed: _Sealed, hashed: bytes, in_tile: bytes | None) -> tuple[bytes, str | None]:
        """The hash that was sealed here, as far as one can tell, and the text of it, None where that is gone."""
        text, rebuilt = sealed.record.text, sealed.rebuilt
        of_rows = None if rebuilt is None else sealing.hash_of(rebuilt)
        votes = [sealed.hash, hashed, in_tile, of_rows]
        true_hash = max((vote for vote in votes if vote is not None), key=votes.count)
        if true_hash == hashed:
            return true_hash, text
        return true_hash, rebuilt if true_hash == of_rows else None

    def _wrong(self, sealed: _Sealed, hashed: bytes, in_tile: bytes | None) -> Finding | None:
        """The one sentence for whatever of row, record, leaf and tile disagrees here."""
        record, number = sealed.record, sealed.number
        if sealed.rebuilt != record.text:
            if hashed == sealed.hash or sealed.rebuilt is None:
                return _contradiction(number, record, sealed.rebuilt)
            if sealing.hash_of(sealed.rebuilt) == sealed.hash:
                return Finding("record_changed", "the text of the record was changed.", number, str(record))
            return _contradiction(number, record, sealed.rebuilt)
        if hashed != sealed.hash:
            if in_tile is not None and in_tile == sealed.hash:
                return Finding(
                    "record_changed",
                    "row and record were changed after they were sealed.",
                    number,
                    str(record),
                )
            return Finding("leaf_changed", "the leaf is not the hash of its record.", number, str(record))
        if in_tile is not None and in_tile != hashed:
            return Finding(
                "record_changed", "row, record and leaf are others than were sealed.", number, str(record)
            )
        if sealed.leaf_recorded_at != record.recorded_at:
            return Finding("leaf_changed", "the leaf's time is not its record's.", number, str(record))
        return None

    # -- checkpoints ------------------------------------------------------------------------------------------

    def _checkpoint(self, kept: Checkpoint) -> Iterator[Finding]:
        self.asked.checked["checkpoints"] += 1
        name = f"checkpoint {kept.size}"
        try:
            tree = checkpoints.opened(kept.note.encode(), origin=self.log.origin, known=self.known)
        except (BadSignature, BadNote, BadCheckpoint, BadVerifierKey) as error:
            yield Finding("bad_checkpoint", f"{error.message} ({error.code})", None, name)
            return
        if tree.size != kept.size:
            yield Finding("bad_checkpoint", f"it was signed for {tree.size} leaves.", None, name)
        elif self.whole and tree.root != self.tree.root():
            self.whole = False
            if self.named:  # what is named already makes it another tree
                return
            yield Finding(
                "other_tree",
                f"The tree that was signed is another one: among the leaves {self.good} to {kept.size - 1} something"
                " was changed, put in or taken out.",
                None,
                name,
            )
        elif self.whole:
            self.good, self.named = kept.size, False

    def _outside_first(self) -> Iterator[Finding]:
        """Read the checkpoint that was kept outside; a broken one is told, and held against nothing."""
        self.outside = None
        if self.asked.outside.checkpoint is None:
            return
        try:
            self.outside = checkpoints.opened(
                self.asked.outside.checkpoint, origin=self.log.origin, known=self.known
            )
        except (BadSignature, BadNote, BadCheckpoint, BadVerifierKey) as error:
            yield Finding(
                "bad_checkpoint", f"{error.message} ({error.code})", None, "the checkpoint from outside"
            )

    def _remember(self) -> None:
        if self.outside is not None and self.outside.size == self.next:
            self.roots[self.next] = self.tree.root()

    def _outside_last(self) -> Iterator[Finding]:
        outside, name = self.outside, "the checkpoint from outside"
        if outside is None:
            return
        if outside.size > self.next:
            sentence = (
                f"It names {outside.size} leaves, and there are {self.next}: the end of the log is gone."
            )
            yield Finding("log_cut", sentence, None, name)
        elif outside.size < self.asked.first:
            yield Finding("not_compared", "It is older than where this verification begins.", None, name)
        elif self.whole and outside.size and self.roots.get(outside.size, outside.root) != outside.root:
            yield Finding("other_tree", "The log does not continue the tree that it names.", None, name)
        else:
            self.asked.checked["checkpoints from outside"] = 1


class _Tiles:
    """The kept tiles, read one after the other beside the leaves."""

    def __init__(self, log: AuditLog, first: int) -> None:
        self.log = log
        self._level0: tuple[int, bytes | None] = (-1, None)
        self.named: set[tuple[int, int]] = set()

    def hash_at(self, number: int) -> bytes | None:
        """The hash that the tile over this leaf has for it; None where it has not been filled."""
        index, place = divmod(number, 256)
        if self._level0[0] != index:
            kept = Tile.objects.filter(log=self.log, level=0, index=index).values_list("hashes", flat=True)
            found = kept.first()
            self._level0 = (index, None if found is None else bytes(found))
        data = self._level0[1]
        hashed = None if data is None else data[32 * place : 32 * place + 32]
        return hashed if hashed and len(hashed) == 32 else None

    def compare(self, tile: Place, data: bytes) -> list[Finding]:
        """What is wrong with a tile that is full by now."""
        kept = Tile.objects.filter(log=self.log, level=tile.level, index=tile.index).first()
        name = f"tile {tile.level}/{tile.index}"
        if kept is None:
            return [Finding("tile_missing", "the tile is gone.", None, name)]
        if bytes(kept.hashes) != data or bytes(kept.root) != tile_root(data):
            return [Finding("tile_changed", "the tile is not made of the leaves below it.", None, name)]
        return []

    def left(self, size: int) -> Iterator[Finding]:
        """Tiles of leaves that there are not."""
        for level, index in (
            Tile.objects.filter(log=self.log).order_by("level", "index").values_list("level", "index")
        ):
            if (index + 1) * 256 ** (level + 1) > size:
                yield Finding("tile_put_in", "there are no such leaves.", None, f"tile {level}/{index}")


def _body(text: str) -> dict[str, Any] | None:
    """The body of a record, if its text has one."""
    try:
        body = json.loads(text)[1]
    except (ValueError, IndexError, TypeError, KeyError):
        return None
    return body if isinstance(body, dict) else None


def _contradiction(number: int | None, record: Kept, rebuilt: str | None) -> Finding | None:
    """The finding for a record and its row, with the names of what differs; None where that is another row's doing."""
    if rebuilt is None:
        return Finding("row_missing", "its row is gone.", number, str(record))
    try:
        said, found = json.loads(record.text)[1], json.loads(rebuilt)[1]
        differ = [key for key in sorted({*said, *found}) if said.get(key) != found.get(key)]
    except (ValueError, IndexError, TypeError, KeyError, AttributeError):
        return Finding("row_changed", "the record cannot be read.", number, str(record))
    borrowed = records.borrowed(record.kind)
    if all(key in borrowed and _same_row(said.get(key), found.get(key)) for key in differ):
        return None
    if differ == ["transfers"] and (account := _other_account(said["transfers"], found["transfers"])):
        return Finding("account_changed", "its kind is not the one it had.", None, f"account {account}")
    words = "; ".join(f"{key} was {_short(said.get(key))}, is {_short(found.get(key))}" for key in differ[:3])
    return Finding("row_changed", f"row and record differ: {words}.", number, str(record))


def _same_row(said: Any, found: Any) -> bool:
    """Whether two descriptions of a related row are of the same one, as far as they name it."""
    return not (isinstance(said, dict) and isinstance(found, dict)) or said.get("id") == found.get("id")


def _other_account(said: Any, found: Any) -> int | None:
    """The account whose kind is all that differs between these transfers, if that is so."""
    if len(said) != len(found):
        return None
    for one, other in zip(said, found, strict=True):
        for end in ("from", "to"):
            if {**one, f"{end}_kind": ""} == {**other, f"{end}_kind": ""} and one != other:
                return int(one[end])
    return None


def _short(value: Any) -> str:
    text = canonical.escaped(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= 60 else text[:57] + "..."
