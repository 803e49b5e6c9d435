"""One pass over an export's records: leaves, checks and papers. Pure; constant memory."""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice, zip_longest
from typing import Any, BinaryIO

from ledger.papers.books import StaffPaper
from ledger.papers.controls import ControlsPaper, read_table
from ledger.papers.paper import Line, Papers, PaperSource, names_of
from ledger.proof.audit.errors import BadBundle, BadProof
from ledger.proof.audit.export import register
from ledger.proof.audit.export.alignment import Alignment
from ledger.proof.audit.export.beside import Beside
from ledger.proof.audit.export.found import AT_THE_END, BEFORE, Found, Rank
from ledger.proof.audit.export.held import Held
from ledger.proof.audit.export.manifest import PAPERS, Manifest, Member, Proofs
from ledger.proof.audit.export.members import DAMAGE, Members
from ledger.proof.audit.export.said import SaidTexts
from ledger.proof.audit.reader import Reader
from ledger.proof.audit.tree.merkle import HASH_BYTES, Slice, leaf_hash
from ledger.records import withheld
from ledger.records.findings import Body, Check, Finding, name_of

AT_ONCE, BYTES_AT_ONCE = 256, 1 << 20
"""Records taken at once, as long as they have no more bytes than this."""
MOST_WRONG = 5000
"""Reading ends after more findings than this."""

MOST_UNPROVEN = 100_000
"""Records read if no checkpoint is trusted, so that nothing of them can be proven."""

Progress = Callable[[int, int], None]
"""Called with the number of records read, and of all."""


class PapersComparison:
    """Compare an export's papers with the recomputed ones; report the first difference in each."""

    def __init__(self, members: Members, names: Sequence[str]) -> None:
        self._members = members
        self._left = {
            name for name in names if members.has(PAPERS + name)
        }  # a missing one is reported elsewhere
        self._files: dict[str, BinaryIO] = {}
        self._lines = dict.fromkeys(names, 0)
        self.compared = 0

    def compare(self, lines: Sequence[Line], owners: Sequence[int]) -> Iterator[tuple[int, Finding]]:
        """Compare the next lines, one paper at a time; yield each difference with its line's owner."""
        by_name: dict[str, tuple[list[bytes], list[int]]] = {}
        for (name, line), owner in zip(lines, owners, strict=True):
            expected, theirs = by_name.setdefault(name, ([], []))
            expected.append(line)
            theirs.append(owner)
        for name in [name for name in by_name if name in self._left]:
            expected, theirs = by_name[name]
            whole = b"".join(expected)
            read = self._read(name, len(whole))
            if isinstance(read, Finding):
                yield theirs[0], read
                continue
            same = len(expected) if read == whole else _alike(read, expected)
            self._lines[name] += same
            self.compared += same
            if read != whole:
                self._left.discard(name)
                at = self._lines[name] + 1
                sentence = f"{PAPERS}{name} does not say in line {at} what the records come to."
                yield theirs[same], Finding("paper_differs", sentence)

    def finish(self) -> Iterator[Finding]:
        for name in [name for name in self._lines if name in self._left]:
            more = self._read(name, 1)
            if isinstance(more, Finding):
                yield more
            elif more:
                sentence = f"{PAPERS}{name} goes on after line {self._lines[name]}, the last one."
                yield Finding("paper_differs", sentence)

    def _read(self, name: str, size: int) -> bytes | Finding:
        """Return the next bytes of a paper, or why it cannot be read, after which it is not compared."""
        try:
            if name not in self._files:
                self._files[name] = self._members.open(PAPERS + name)
            return self._files[name].read(size)
        except DAMAGE as error:
            self._left.discard(name)
            return Finding("member_damaged", f"{PAPERS}{name} cannot be read: {error}")


def _alike(read: bytes, expected: Sequence[bytes]) -> int:
    at = 0
    for number, line in enumerate(expected):
        if read[at : at + len(line)] != line:
            return number
        at += len(line)
    return len(expected)


class Opened:
    """Reads the members that open commitments (players' entries, other withheld texts), line by line.
    `opened_by` reads a line; the first that does not fit is reported."""

    def __init__(self, members: Members, member: Member, opened_by: Callable[[bytes, Body], Any]) -> None:
        self.wrong: list[Finding] = []
        self._member, self._opened_by = member, opened_by
        self._lines = members.pieces(member, self.wrong)
        self._there = members.has(member)  # else reported elsewhere

    def opened(self, body: Body) -> Any:
        """Return what a record has committed to; None once a line was wrong or missing."""
        if self.wrong or not self._there:
            return None
        line = self._opened_by(next(self._lines, b""), body)
        if line is None and not self.wrong:
            sentence = f"{self._member} does not open what it has committed to."
            self.wrong.append(Finding("not_opened", sentence, None, name_of(body)))
        return line

    def facts(self, body: Body) -> Mapping[str, Any]:
        return self.opened(body) or {}

    def finish(self) -> list[Finding]:
        if not self.wrong and next(self._lines, b""):
            sentence = f"{self._member} goes on after the last of its records."
            self.wrong.append(Finding("not_opened", sentence))
        return self.wrong


def controls_in(members: Members, manifest: Manifest) -> bytes | None:
    """Return the table of controls that the export was made with; None if it has none that can be read."""
    try:
        data = members.whole(Member.CONTROLS)
        read_table(data)
    except (BadBundle, ValueError):
        return None
    return data if sha256(data).hexdigest() == manifest.sha256.get(Member.CONTROLS) else None


class Contents:
    """The records of an export; `run` reads them once and sets everything else.

    `believed_size` is the tree's size by a trusted checkpoint; without one, only MOST_UNPROVEN records are
    read. `sealed` are the findings about records that differ from their leaves, `found` those of the checks;
    some checks run in another process (`beside`). `ended`: reading stopped early. `newest` is the time of the
    last record. `own_root` and `leaves_root` are the roots that the records and the leaves lead to, or
    None."""

    def __init__(
        self,
        members: Members,
        manifest: Manifest,
        proofs: Proofs,
        checks: Sequence[Check],
        brought: Held,
        believed_size: int | None,
    ) -> None:
        self._members = members
        self._manifest = manifest
        self._proofs = proofs
        self._tree_size = manifest.tree_size if believed_size is None else believed_size
        self._reader = Reader(checks, site=manifest.site)
        self._players = Opened(members, Member.OPENED, register.opened_by) if manifest.players else None
        self._withheld = Opened(members, Member.WITHHELD, withheld.opened_by) if manifest.opened else None
        self._said = SaidTexts(whole=manifest.whole)
        opened = self._players.facts if self._players else None
        source = PaperSource(
            manifest.whole, manifest.offsets, opened, controls=controls_in(members, manifest)
        )
        self._papers = Papers(source, manifest.days)
        self._comparison = PapersComparison(members, names_of(players=manifest.players))
        self._brought = brought
        self._most = min(MOST_UNPROVEN, manifest.count) if believed_size is None else manifest.count
        self._alignment: Alignment | None = None
        self._own: Slice | None = None
        self._kept: Slice | None = None
        self._leaf_count = 0
        self.found = Found()
        self.damage: list[Finding] = []
        self.sealed: list[Finding] = []
        self.lines = 0
        self.withheld = 0
        self._texts_opened = 0
        self.newest = ""
        self.ended = False
        self.first: bytes | None = None
        self.last: bytes | None = None
        self.own_root: bytes | None = None
        self.leaves_root: bytes | None = None

    @property
    def unnamed(self) -> list[int]:
        return self._papers.paper(StaffPaper).unnamed

    @property
    def checked(self) -> Mapping[str, int]:
        opened = {"withheld texts opened": self._texts_opened} if self._withheld else {}
        return {**self._reader.checked, "lines of papers": self._comparison.compared, **opened}

    @property
    def _next_leaf(self) -> int:
        return self._manifest.first_leaf + self.lines

    def run(
        self,
        progress: Progress | None,
        beside: Beside | None = None,
        earlier: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        try:
            self._own = Slice(self._manifest.first_leaf, self._tree_size, self._proofs.first)
            self._brought.look(self._own.size, self._own.root_here)
        except BadProof as error:
            self.damage.append(Finding(error.code, f"The proof of the first record: {error}"))
        self._compare_others(BEFORE, list(self._papers.begin()))
        for body in earlier:
            self._papers.earlier(body)
        leaves = self._leaves()
        records = self._records()
        while not self._why_to_end and (some := _some(records)):
            self._take(some, list(islice(leaves, len(some))), beside)
            if progress is not None:
                progress(self.lines, self._manifest.count)
        if why := self._why_to_end:
            self.ended = True
            if self._alignment is not None:
                self.sealed = list(self._alignment.finish())
            if beside is not None:
                beside.finish()
            self.found.settle()
            self.damage.append(Finding("not_judged", f"Reading ended behind line {self.lines}: {why}."))
            return
        while bare := list(islice(leaves, AT_ONCE)):
            for leaf in bare:
                self._diverge().take(0, None, b"", leaf)
            self._grow(self._kept, bare)
        if self._alignment is not None:
            self.sealed = list(self._alignment.finish())
        self.found.note(AT_THE_END, Rank.BOOKS, self._reader.finish())
        self._compare_others(AT_THE_END, list(self._papers.finish()))
        for name, sentence in self._papers.paper(ControlsPaper).wrong:
            self._note_paper(AT_THE_END, Finding("controls_differ", sentence, record=name))
        opened = [finding for one in (self._players, self._withheld) if one for finding in one.finish()]
        for finding in (*self._comparison.finish(), *opened):
            self._note_paper(AT_THE_END, finding)
        if beside is not None:
            self._join(beside)
        self.found.settle()
        self.own_root = self._root(self._own, self.lines)
        split = self._alignment is not None
        self.leaves_root = self._root(self._kept, self._leaf_count) if split else self.own_root

    @property
    def _why_to_end(self) -> str:
        """Why reading stops here: too many findings, or too many records that cannot be proven."""
        if self.found.noted + (self._alignment.wrong if self._alignment else 0) > MOST_WRONG:
            return f"more than {MOST_WRONG:,} things are wrong up to there"
        if self._most <= self.lines < self._manifest.count:
            return (
                f"without a checkpoint that may be believed, no more than {self._most:,} records are judged"
            )
        return ""

    # -- records, their leaves and the tree ------------------------------------------------------------------

    def _take(self, records: list[bytes], leaves: list[bytes], beside: Beside | None) -> None:
        hashed = [leaf_hash(record) for record in records]
        right = len(records)
        if self._alignment is None and hashed != leaves:
            # Records are compared with their leaves by the hundred; only a difference makes it look for the
            # first that is wrong.
            pairs = enumerate(zip_longest(hashed, leaves))
            right = next((at for at, (one, other) in pairs if one != other), len(hashed))
        self._seal(hashed[:right], leaves[:right], records)
        self._judge(records[:right], beside)
        if right < len(records):
            self._diverge()
            self._seal(hashed[right:], leaves[right:], records[right:])
            self._judge(records[right:], beside)

    def _seal(self, hashed: list[bytes], leaves: list[bytes], records: list[bytes]) -> None:
        """Add these records to the tree; once one is known to be wrong, find out which."""
        if not hashed:
            return
        self.first = self.first or hashed[0]
        self.last = hashed[-1]
        self._grow_own(hashed)
        if self._alignment is not None:
            self._grow(self._kept, leaves)
            for number, (one, record) in enumerate(zip(hashed, records, strict=False)):
                leaf = leaves[number] if number < len(leaves) else None
                self._alignment.take(self.lines + number + 1, one, record, leaf)

    def _diverge(self) -> Alignment:
        """From the next record on, lines and leaves differ: align them, and keep a tree of each."""
        if self._alignment is None:
            self._alignment = Alignment(self._next_leaf)
            self._kept = copy.deepcopy(self._own)
            self.found.doubt(self._next_leaf)
        return self._alignment

    def _grow_own(self, hashed: list[bytes]) -> None:
        tree = self._own
        while hashed and tree is not None and tree.size < self._tree_size:
            count = self._brought.next_size(tree.size) - tree.size
            self._grow(tree, hashed[:count])
            self._brought.look(tree.size, tree.root_here)
            hashed = hashed[count:]

    def _grow(self, tree: Slice | None, leaves: list[bytes]) -> None:
        if tree is not None:
            tree.extend(leaves[: max(self._tree_size - tree.size, 0)])

    def _root(self, tree: Slice | None, count: int) -> bytes | None:
        if tree is None or count != self._manifest.count:
            return None
        try:
            return tree.root(self._proofs.last)
        except BadProof as error:
            self.damage.append(Finding(error.code, f"The proof of the last record: {error}"))
            return None

    # -- what the records say --------------------------------------------------------------------------------

    def _judge(self, records: list[bytes], beside: Beside | None) -> None:
        first, seen = self._next_leaf, list[bytes | None](records)
        lines: list[Line] = []
        owners: list[int] = []
        named: dict[int, Mapping[str, Any]] = {}
        for leaf, record in enumerate(records, first):
            body, wrong = self._reader.read(leaf, record)
            if wrong is not None:
                self.found.note(leaf, Rank.FORM, (wrong,))
            if body is None:
                seen[leaf - first] = None
                continue
            self.withheld += body["record"] in self._manifest.withholding
            self._open(leaf, body)
            self.newest = max(self.newest, body["recorded_at"])
            if findings := self._reader.ask(leaf, body):
                self.found.note(leaf, Rank.BOOKS, findings)
            if added := self._papers.take(body):
                lines += added
                owners += [leaf] * len(added)
                named[leaf] = {"record": body["record"], "id": body["id"]}
        for leaf, finding in self._comparison.compare(lines, owners):
            self._note_paper(leaf, replace(finding, leaf=leaf, record=name_of(named[leaf])))
        if beside is not None:
            beside.take(first, seen, doubted=self._alignment is not None)
        self.lines += len(records)

    def _open(self, leaf: int, body: Body) -> None:
        """Take what a record opens, and what it says of such a text."""
        if self._withheld is None:
            return
        self._said.note(leaf, body)
        if body["record"] == "withheld" and (texts := self._withheld.opened(body)) is not None:
            self._texts_opened += len(texts)
            for owner, finding in self._said.opened(leaf, body, texts):
                self.found.note(owner, Rank.BOOKS, (finding,))

    def _compare_others(self, leaf: int, lines: Sequence[Line]) -> None:
        for _, finding in self._comparison.compare(lines, [leaf] * len(lines)):
            self._note_paper(leaf, finding)

    def _note_paper(self, leaf: int, finding: Finding) -> None:
        if finding.code == "member_damaged":
            self.damage.append(replace(finding, leaf=None, record=""))
        else:
            self.found.note(leaf, Rank.PAPERS, (finding,))

    def _join(self, beside: Beside) -> None:
        judged = beside.finish()
        if isinstance(judged, Finding):
            self.damage.append(judged)
            return
        found, checked = judged
        self.found.merge(found)
        self._reader.checked.update(checked)

    # -- the members -----------------------------------------------------------------------------------------

    def _records(self) -> Iterator[bytes]:
        count = self._manifest.count
        for number, line in enumerate(self._members.pieces(Member.RECORDS, self.damage), 1):
            if number > count + 1:
                sentence = f"records.jsonl has more than {count + 1} lines; manifest.json says {count}."
                self.damage.append(Finding("wrong_count", sentence))
                return
            if line[-1:] != b"\n":
                self.damage.append(Finding("member_damaged", "records.jsonl ends within a line."))
                yield line
                return
            yield line[:-1]

    def _leaves(self) -> Iterator[bytes]:
        for leaf in self._members.pieces(Member.LEAVES, self.damage, HASH_BYTES):
            if len(leaf) < HASH_BYTES:
                self.damage.append(Finding("member_damaged", "leaves ends within a hash."))
                return
            self._leaf_count += 1
            yield leaf
            if self._leaf_count > self._manifest.count:
                return  # one too many is enough


def _some(records: Iterator[bytes]) -> list[bytes]:
    some, size = [], 0
    for record in records:
        some.append(record)
        size += len(record)
        if len(some) == AT_ONCE or size > BYTES_AT_ONCE:
            break
    return some
