"""Checkpoints of the log by C2SP tlog-checkpoint: which log, how many leaves, and their root. Pure. A
checkpoint is four lines, signed as a note (`note.py`): origin, size, root in base64, and `after SIZE` for
the checkpoint before it, or 0. The last is an extension of ours; other extensions are kept."""

import base64
import re
from dataclasses import dataclass

from ledger.proof.audit.errors import BadCheckpoint
from ledger.proof.audit.tree.merkle import EMPTY_ROOT, HASH_BYTES

MOST_LEAVES = 2**63 - 1
AFTER = "after "

_BAD_LINE = re.compile(r"[\x00-\x1f]")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


@dataclass(frozen=True)
class TreeHead:
    """The tree of the log `origin` at `size` leaves, with its root of 32 bytes. Raises BadCheckpoint for an
    empty or broken line, a negative size, a root of another length, or an empty tree with any root but its
    own."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(not line or _BAD_LINE.search(line) for line in (self.origin, *self.extensions)):
            raise BadCheckpoint("The origin and extensions of a checkpoint are lines of text.")
        if not 0 <= self.size <= MOST_LEAVES:
            raise BadCheckpoint(f"A log has no {self.size} leaves.")
        if len(self.root) != HASH_BYTES or (self.size == 0 and self.root != EMPTY_ROOT):
            raise BadCheckpoint("The root of a checkpoint is 32 bytes, and that of an empty log is known.")

    @property
    def text(self) -> str:
        root = base64.b64encode(self.root).decode()
        return "".join(f"{line}\n" for line in (self.origin, self.size, root, *self.extensions))

    @property
    def follows(self) -> int | None:
        """The size of the checkpoint signed before this one, 0 for the first; None if it does not say."""
        sizes = [line.removeprefix(AFTER) for line in self.extensions if line.startswith(AFTER)]
        return int(sizes[0]) if len(sizes) == 1 and _SIZE.fullmatch(sizes[0]) else None

    @classmethod
    def parse(cls, text: str) -> "TreeHead":
        """Parse a note's text. Raises BadCheckpoint for any other spelling than that of `text`."""
        lines = text.split("\n")
        if len(lines) < 4 or lines[-1] or not _SIZE.fullmatch(lines[1]):
            raise BadCheckpoint("A checkpoint has an origin, a size and a root, each on its line.")
        try:
            root = base64.b64decode(lines[2], validate=True)
        except ValueError as error:
            raise BadCheckpoint("The root of a checkpoint is written in base64.") from error
        checkpoint = cls(lines[0], int(lines[1]), root, tuple(lines[3:-1]))
        if checkpoint.text != text:
            raise BadCheckpoint("The root of a checkpoint is spelled as base64 spells it, and no other way.")
        return checkpoint


def following(size: int) -> str:
    return f"{AFTER}{size}"
