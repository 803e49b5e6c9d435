"""The checks' findings about an export's records, in the order of the log, from both processes. Pure."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from operator import itemgetter

from ledger.records.findings import Finding

MOST = 1000
"""Findings kept of each sort; the rest is only counted."""
BEFORE, AT_THE_END = -1, sys.maxsize
"""In place of a leaf: findings about no record, and those known only after the last."""


class Rank(IntEnum):
    FORM = 0
    BOOKS = 1
    GAME = 2
    PAPERS = 3


RankedFinding = tuple[int, Rank, Finding]
"""Leaf, rank, finding."""


@dataclass
class Found:
    """Findings of the checks: `sure` before leaf `doubted_from`, the first record that is not the sealed one,
    `doubtful` after it. `more` are only counted; `noted` is the number of all."""

    doubted_from: int | None = None
    more: int = 0
    noted: int = 0
    _sure: list[RankedFinding] = field(default_factory=list)
    _doubtful: list[RankedFinding] = field(default_factory=list)

    @property
    def sure(self) -> list[Finding]:
        return [finding for *_, finding in self._sure]

    @property
    def doubtful(self) -> list[Finding]:
        return [finding for *_, finding in self._doubtful]

    def doubt(self, leaf: int) -> None:
        if self.doubted_from is None:
            self.doubted_from = leaf

    def note(self, leaf: int, rank: Rank, findings: Iterable[Finding]) -> None:
        doubted = self.doubted_from is not None and leaf >= self.doubted_from
        kept = self._doubtful if doubted else self._sure
        before = len(kept)
        kept += [(leaf, rank, finding) for finding in findings]
        self.noted += len(kept) - before
        if len(kept) > 2 * MOST:
            self._cut(kept)

    def merge(self, other: "Found") -> None:
        self.more += other.more
        self._sure += other._sure
        self._doubtful += other._doubtful
        self.settle()

    def settle(self) -> None:
        self._cut(self._sure)
        self._cut(self._doubtful)

    def _cut(self, findings: list[RankedFinding]) -> None:
        findings.sort(key=itemgetter(0, 1))
        # What the checks say of a malformed record only follows from that.
        formless = {leaf for leaf, rank, one in findings if rank is Rank.FORM and one.code == "bad_record"}
        findings[:] = [
            one for one in findings if one[0] not in formless or one[1] in (Rank.FORM, Rank.PAPERS)
        ]
        self.more += max(len(findings) - MOST, 0)
        del findings[MOST:]
