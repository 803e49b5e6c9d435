"""What the checks say of an export's records, in the order of the log, whoever says it and in which process. Pure."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from operator import itemgetter

from ledger.audit.findings import Finding

MOST = 1000
"""Findings that are kept of each sort; of more there is only the number."""
BEFORE, AT_THE_END = -1, sys.maxsize
"""In place of a leaf: what follows from no record, and what is only known after the last one."""


class Rank(IntEnum):
    """Who comes first of those that say something at one record."""

    FORM = 0
    BOOKS = 1
    GAME = 2
    PAPERS = 3


Said = tuple[int, Rank, Finding]
"""At which record, by whom, and what."""


@dataclass
class Found:
    """Findings of the checks: `sure` as long as all records were those that were sealed, `doubtful` from the first one on that
    was not, of which `doubted_from` is the leaf. Of `more` there is no room for, only the number; `noted` are all."""

    doubted_from: int | None = None
    more: int = 0
    noted: int = 0
    _sure: list[Said] = field(default_factory=list)
    _doubtful: list[Said] = field(default_factory=list)

    @property
    def sure(self) -> list[Finding]:
        """Return what can be believed."""
        return [finding for *_, finding in self._sure]

    @property
    def doubtful(self) -> list[Finding]:
        """Return what may follow from a record that is not the one that was sealed."""
        return [finding for *_, finding in self._doubtful]

    def doubt(self, leaf: int) -> None:
        """From this leaf on, records are not known to be those that were sealed."""
        if self.doubted_from is None:
            self.doubted_from = leaf

    def note(self, leaf: int, rank: Rank, findings: Iterable[Finding]) -> None:
        """Keep what is said at this leaf."""
        doubted = self.doubted_from is not None and leaf >= self.doubted_from
        kept = self._doubtful if doubted else self._sure
        before = len(kept)
        kept += [(leaf, rank, finding) for finding in findings]
        self.noted += len(kept) - before
        if len(kept) > 2 * MOST:
            self._cut(kept)

    def merge(self, other: "Found") -> None:
        """Take over what was found elsewhere in the same records."""
        self.more += other.more
        self._sure += other._sure
        self._doubtful += other._doubtful
        self.settle()

    def settle(self) -> None:
        """Put what was found in order, and count what is too much."""
        self._cut(self._sure)
        self._cut(self._doubtful)

    def _cut(self, kept: list[Said]) -> None:
        kept.sort(key=itemgetter(0, 1))
        # What the checks say of a record that is not of its form follows from that.
        formless = {leaf for leaf, rank, one in kept if rank is Rank.FORM and one.code == "bad_record"}
        kept[:] = [one for one in kept if one[0] not in formless or one[1] in (Rank.FORM, Rank.PAPERS)]
        self.more += max(len(kept) - MOST, 0)
        del kept[MOST:]
