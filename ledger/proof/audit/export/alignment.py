"""Find the records that are not the sealed ones: compare lines with leaf hashes, side by side. Pure. A
changed record stays at its leaf; a removed or inserted one shifts all that follow, so both sides are read
a little ahead until they agree again. Each change is then one finding."""

from collections import deque
from collections.abc import Iterator, Sized

from ledger.proof.audit.reader import named
from ledger.records.findings import Finding

AHEAD = 128
MOST_OF_A_NAMED = 4096
"""Bytes of a record that is kept for its name."""
MOST = 1000
"""Findings kept, and records remembered as missing; the rest is only counted."""


class Alignment:
    def __init__(self, first: int) -> None:
        self._lines: deque[tuple[int, bytes, bytes]] = deque()  # number of the line from 1, hash, record
        self._leaves: deque[bytes] = deque()
        self._leaf = first
        self._findings: list[Finding] = []
        self._missing: dict[bytes, int] = {}
        self._gaps: list[list[int]] = []  # leaves without a record: first, end
        self._extra: list[tuple[int, bytes, str]] = []
        self._more = 0

    def take(self, number: int, hashed: bytes | None, record: bytes, leaf: bytes | None) -> None:
        """Compare a line with a leaf; one of them is None once its side has ended."""
        if hashed == leaf and not (self._lines or self._leaves):
            self._leaf += 1
            return
        if hashed is not None:
            self._lines.append((number, hashed, record if len(record) <= MOST_OF_A_NAMED else b""))
        if leaf is not None:
            self._leaves.append(leaf)
        self._settle(ended=hashed is None or leaf is None)

    @property
    def wrong(self) -> int:
        return len(self._findings) + len(self._extra) + len(self._gaps) + self._more

    def finish(self) -> Iterator[Finding]:
        self._settle(ended=True, whole=True)
        found = list(self._findings)
        for number, hashed, name in self._extra:
            if (leaf := self._missing.pop(hashed, None)) is None:
                sentence = f"Line {number} holds a record that was not sealed here."
                found.append(Finding("record_extra", sentence, None, name))
            else:
                self._close_gap(leaf)
                found.append(
                    Finding("record_moved", f"It stands in line {number}, out of order.", leaf, name)
                )
        for begin, end in self._gaps:
            if end > begin:
                others = f", and all others up to leaf {end - 1}" if end - begin > 1 else ""
                found.append(Finding("record_missing", f"Its record is missing{others}.", begin))
        yield from sorted(found, key=lambda finding: (finding.leaf is None, finding.leaf or 0))
        if self._more:
            yield Finding("record_changed", f"{self._more} more records are not the ones that were sealed.")

    def _settle(self, *, ended: bool, whole: bool = False) -> None:
        lines, leaves = self._lines, self._leaves
        while lines and leaves:
            if lines[0][1] == leaves[0]:
                lines.popleft()
                leaves.popleft()
                self._leaf += 1
            elif whole or (max if ended else min)(len(lines), len(leaves)) >= AHEAD:
                self._resume(*self._agreement())
            else:
                return
        if ended:
            self._resume(len(lines), len(leaves))

    def _agreement(self) -> tuple[int, int]:
        """Return how many lines and leaves to skip until both agree again; one each if they never do."""
        at = {leaf: index for index, leaf in reversed(list(enumerate(self._leaves)))}
        met = [(index, at[line[1]]) for index, line in enumerate(self._lines) if line[1] in at]
        return min(met, key=sum, default=(1, 1))

    def _resume(self, lines: int, leaves: int) -> None:
        both = min(lines, leaves)
        for _ in range(both):
            _, _, record = self._lines.popleft()
            self._leaves.popleft()
            if self._has_room(self._findings):
                sentence = "This record is not the one that was sealed."
                self._findings.append(Finding("record_changed", sentence, self._leaf, named(record)))
            self._leaf += 1
        for _ in range(lines - both):
            number, hashed, record = self._lines.popleft()
            if self._has_room(self._extra):
                self._extra.append((number, hashed, named(record)))
        for _ in range(leaves - both):
            self._miss(self._leaves.popleft())

    def _miss(self, hashed: bytes) -> None:
        if len(self._missing) < MOST:
            self._missing[hashed] = self._leaf
        if self._gaps and self._gaps[-1][1] == self._leaf:
            self._gaps[-1][1] += 1
        elif self._has_room(self._gaps):
            self._gaps.append([self._leaf, self._leaf + 1])
        self._leaf += 1

    def _has_room(self, kept: Sized) -> bool:
        room = len(kept) < MOST
        self._more += not room
        return room

    def _close_gap(self, leaf: int) -> None:
        for gap in self._gaps:
            begin, end = gap
            if begin <= leaf < end:
                gap[:] = [begin, leaf]
                self._gaps.append([leaf + 1, end])
                return
