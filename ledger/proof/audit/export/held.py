"""The reader's own checkpoints, single or in folders, compared with the tree of an export. Pure."""

import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from ledger.proof.audit.kept import KeptCheckpoint, KeptSeries
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.records.findings import Finding

NEWER = (
    "The folder that you hold has checkpoints over more records than this export. It was made before them, "
    "or the log's end was cut off: an export that is made now shows which."
)


class Held:
    """The reader's checkpoints. `look` is shown the growing tree; `roots` keeps it at the sizes asked for."""

    def __init__(self, sizes: Sequence[int], folders: Sequence[KeptSeries]) -> None:
        self._sizes = set(sizes)
        self._folders = [HeldFolder(series) for series in folders]
        self.roots: dict[int, bytes] = {}

    @property
    def checked(self) -> dict[str, int]:
        agreed = sum(folder.agreed for folder in self._folders)
        return {"checkpoints in the folder that you hold": agreed} if self._folders else {}

    def look(self, size: int, root: Callable[[], bytes]) -> None:
        """Compare the checkpoints over `size` leaves, and keep the root if it is asked for."""
        if size in self._sizes:
            self.roots[size] = root()
        for folder in self._folders:
            folder.look(size, root)

    def next_size(self, size: int) -> int:
        """Return the next larger size at which there is something to compare, or sys.maxsize."""
        sizes = [one for one in self._sizes if one > size]
        return min(
            [*sizes, *(folder.series.next_size(size) for folder in self._folders)], default=sys.maxsize
        )

    @property
    def left_out(self) -> list[str]:
        return [NEWER] if any(folder.goes_on for folder in self._folders) else []

    def judge(self, tree: TreeHead, ahead_until: Sequence[datetime], *, proven: bool) -> Iterator[Finding]:
        """Yield findings by the folders about an export of this tree; `ahead_until` as known by the house.
        Unless the records are proven to be of the tree, only the tree itself is judged."""
        for folder in self._folders:
            yield from folder.judge(tree, proven=proven)
            yield from folder.series.wrong_times(ahead_until)
            yield from folder.series.wrong


class HeldFolder:
    """One folder: how many of its checkpoints agree, and whether it has newer ones than the export."""

    def __init__(self, series: KeptSeries) -> None:
        self.series = series
        self._other: KeptCheckpoint | None = None
        self.agreed = 0
        self.goes_on = False

    def look(self, size: int, root: Callable[[], bytes]) -> None:
        kept = self.series.at(size)
        if kept is None:
            return
        if kept.tree.root == root():
            self.agreed += 1
        elif self._other is None and self.series.is_signed(kept):
            self._other = kept

    def judge(self, tree: TreeHead, *, proven: bool) -> Iterator[Finding]:
        same, other = self.series.at(tree.size), self._other if proven else None
        if same is not None and same.tree.root != tree.root and self.series.is_signed(same):
            other = other or same
        after = self.series.after(tree.size)
        self.goes_on = after is not None
        if other is not None:
            yield Finding(
                "not_continued",
                f"The log of {other.tree.size} leaves that was signed there is not the one this export is "
                "of: something that was sealed by then has been changed.",
                None,
                other.place,
            )
        elif after is not None and same is None and (after.tree.follows or 0) < tree.size:
            yield Finding(
                "not_continued",
                f"The checkpoint over {after.tree.size} leaves was signed after the one over "
                f"{after.tree.follows}: this export's, over {tree.size}, is not of the same series.",
                None,
                after.place,
            )
        elif same is None and not self.agreed:
            yield Finding(
                "not_continued",
                "Nothing here shows that the log continues a checkpoint of the folder that you hold.",
            )
