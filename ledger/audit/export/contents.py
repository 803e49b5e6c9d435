"""One pass over an export's records: against their leaves, through the checks, into the papers. Pure; memory stays the same."""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, BinaryIO

from ledger.audit.errors import BadBundle, BadProof
from ledger.audit.export.alignment import Alignment
from ledger.audit.export.manifest import LEAVES, PAPERS, RECORDS, Manifest, Proofs
from ledger.audit.export.members import DAMAGE, MOST_OF_A_LINE, Members
from ledger.audit.export.papers import NAMES, Papers
from ledger.audit.findings import Check, Finding, name_of
from ledger.audit.reader import Reader
from ledger.audit.tree.merkle import HASH_BYTES, Slice, leaf_hash

MOST = 1000
"""Findings that are kept of each sort; of more there is only the number."""
_TOLD_EVERY = 1000

Progress = Callable[[int, int], None]
"""Told the number of records read, and of all there are."""
Look = Callable[[int, Callable[[], bytes]], None]
"""Shown the tree of the records so far: how many leaves it has, and a function that gives its root."""


class PapersComparison:
    """Compare an export's papers with the same papers recomputed. The first difference in each is reported."""

    def __init__(self, members: Members) -> None:
        self._files: dict[str, BinaryIO] = {}
        self._lines = dict.fromkeys(NAMES, 0)
        self.compared = 0
        self.unreadable: list[Finding] = []
        for name in NAMES:
            try:
                self._files[name] = members.open(PAPERS + name)
            except BadBundle:
                continue  # missing, which is told elsewhere

    def compare(
        self, lines: Iterable[tuple[str, bytes]], place: int | None, record: str
    ) -> Iterator[Finding]:
        """Compare the next lines. Consecutive lines of one paper are read together."""
        for name, some in groupby(lines, key=itemgetter(0)):
            file = self._files.get(name)
            if file is None:
                continue
            expected = [line for _, line in some]
            whole = b"".join(expected)
            before = self._lines[name]
            try:
                read = file.read(len(whole))
            except DAMAGE as error:
                del self._files[name]
                yield Finding("member_damaged", f"{PAPERS}{name} cannot be read: {error}")
                continue
            same = len(expected) if read == whole else _alike(read, expected)
            self._lines[name] += same
            self.compared += same
            if read != whole:
                del self._files[name]
                yield Finding(
                    "paper_differs",
                    f"{PAPERS}{name} does not say in line {before + same + 1} what the records come to.",
                    place,
                    record,
                )

    def finish(self) -> Iterator[Finding]:
        """Check that nothing follows the last line."""
        for name, file in self._files.items():
            try:
                more = file.read(1)
            except DAMAGE as error:
                yield Finding("member_damaged", f"{PAPERS}{name} cannot be read: {error}")
                continue
            if more:
                yield Finding(
                    "paper_differs", f"{PAPERS}{name} goes on after line {self._lines[name]}, the last one."
                )


def _alike(read: bytes, expected: Sequence[bytes]) -> int:
    """Return how many of these lines match what was read, up to the first that does not."""
    at = 0
    for number, line in enumerate(expected):
        if read[at : at + len(line)] != line:
            return number
        at += len(line)
    return len(expected)


class Contents:
    """The records of an export. `run` reads them once; then everything else here is known.

    `sealed` are findings about records that are not those of their leaves, `sure` what the checks say as long as all
    records were, `doubtful` what they say from the first one on that was not. `own_root` and `leaves_root` are the root
    of the tree as the records, and as the leaves, lead to it; None where they lead to none.
    """

    def __init__(
        self,
        members: Members,
        manifest: Manifest,
        proofs: Proofs,
        tree_size: int,
        checks: Sequence[Check],
        look: Look = lambda size, root: None,
    ) -> None:
        self._members = members
        self._manifest = manifest
        self._proofs = proofs
        self._tree_size = tree_size
        self._reader = Reader(checks, site=manifest.site)
        self._papers = Papers(whole=manifest.whole, days=manifest.days)
        self._comparison = PapersComparison(members)
        self._alignment = Alignment(manifest.first_leaf)
        self._look_at = look
        self._own: Slice | None = None
        self._kept: Slice | None = None
        self._split = False
        self._leaf_count = 0
        self.damage: list[Finding] = []
        self.sealed: list[Finding] = []
        self.sure: list[Finding] = []
        self.doubtful: list[Finding] = []
        self.more = 0
        self.lines = 0
        self.withheld = 0
        self.first: bytes | None = None
        self.last: bytes | None = None
        self.own_root: bytes | None = None
        self.leaves_root: bytes | None = None

    @property
    def checked(self) -> Mapping[str, int]:
        """Return what was checked, and how often."""
        return self._reader.checked | {"lines of papers": self._comparison.compared}

    def run(self, progress: Progress | None) -> None:
        """Read everything."""
        self._begin()
        self._keep(self._comparison.compare(self._papers.begin(), None, ""))
        leaves = self._leaves()
        for record in self._records():
            self._take(record, next(leaves, None))
            if progress is not None and not self.lines % _TOLD_EVERY:
                progress(self.lines, self._manifest.count)
        for leaf in leaves:
            self._diverge()
            self._grow(self._kept, leaf)
            self._alignment.take(0, None, b"", leaf)
        self.sealed = list(self._alignment.finish())
        self._keep(self._reader.finish())
        self._keep(self._comparison.compare(self._papers.finish(), None, ""))
        self._keep(self._comparison.finish())
        self.own_root = self._root(self._own, self.lines)
        self.leaves_root = self._root(self._kept, self._leaf_count) if self._split else self.own_root
        if progress is not None:
            progress(self.lines, self._manifest.count)

    def _begin(self) -> None:
        if not self._manifest.count:
            return
        try:
            self._own = Slice(self._manifest.first_leaf, self._tree_size, self._proofs.first)
        except BadProof as error:
            self.damage.append(Finding(error.code, f"The proof of the first record: {error}"))
        self._look()

    def _take(self, record: bytes, leaf: bytes | None) -> None:
        place = self._manifest.first_leaf + self.lines
        self.lines += 1
        hashed = leaf_hash(record)
        if hashed != leaf:
            self._diverge()
        self._grow(self._own, hashed)
        if self._split and leaf is not None:
            self._grow(self._kept, leaf)
        self.first = self.first or hashed
        self.last = hashed
        self._look()
        self._alignment.take(self.lines, hashed, record, leaf)
        body, wrong = self._reader.read(place, record)
        if wrong is not None:
            self._keep((wrong,))
        if body is not None:
            self.withheld += body["record"] == "withheld"
            self._keep(self._reader.ask(place, body))
            self._compare(place, body)

    def _compare(self, place: int, body: Mapping[str, Any]) -> None:
        if lines := list(self._papers.take(body)):
            self._keep(self._comparison.compare(lines, place, name_of(body)))

    def _keep(self, findings: Iterable[Finding]) -> None:
        kept = self.doubtful if self._split else self.sure
        for finding in findings:
            if finding.code == "member_damaged":
                self.damage.append(finding)
            elif len(kept) < MOST:
                kept.append(finding)
            else:
                self.more += 1

    def _diverge(self) -> None:
        """Split into two trees, one of the records and one of the leaves."""
        if not self._split:
            self._split = True
            self._kept = copy.deepcopy(self._own)

    def _grow(self, tree: Slice | None, leaf: bytes) -> None:
        if tree is not None and tree.size < self._tree_size:
            tree.extend((leaf,))

    def _look(self) -> None:
        """Show the tree of the records so far."""
        if self._own is not None:
            self._look_at(self._own.size, self._own.root_here)

    def _root(self, tree: Slice | None, count: int) -> bytes | None:
        """Return the slice's root if it has the expected number of leaves."""
        if tree is None or count != self._manifest.count:
            return None
        try:
            return tree.root(self._proofs.last)
        except BadProof as error:
            self.damage.append(Finding(error.code, f"The proof of the last record: {error}"))
            return None

    def _records(self) -> Iterator[bytes]:
        """Yield the lines of records.jsonl, as far as it is readable."""
        try:
            file = self._members.open(RECORDS)
            while line := file.readline(MOST_OF_A_LINE):
                if line[-1:] != b"\n":
                    self.damage.append(Finding("member_damaged", f"{RECORDS} ends within a line."))
                    yield line
                    return
                yield line[:-1]
        except BadBundle:
            return  # missing, which is told elsewhere
        except DAMAGE as error:
            self.damage.append(
                Finding("member_damaged", f"{RECORDS} cannot be read from line {self.lines + 1} on: {error}")
            )

    def _leaves(self) -> Iterator[bytes]:
        try:
            file = self._members.open(LEAVES)
            while leaf := file.read(HASH_BYTES):
                if len(leaf) < HASH_BYTES:
                    self.damage.append(Finding("member_damaged", f"{LEAVES} ends within a hash."))
                    return
                self._leaf_count += 1
                yield leaf
        except BadBundle:
            return  # missing, which is told elsewhere
        except DAMAGE as error:
            self.damage.append(Finding("member_damaged", f"{LEAVES} cannot be read: {error}"))
