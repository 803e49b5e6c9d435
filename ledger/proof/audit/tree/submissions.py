"""How a log asks a witness for its cosignature: the body of `add-checkpoint` in C2SP tlog-witness. Pure.
The body says how many leaves the witness has seen, proves that the tree has only grown since, and ends
with the checkpoint."""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ledger.proof.audit.errors import BadProof
from ledger.proof.audit.tree.note import MOST_BYTES

MOST_HASHES = 63
SIZE_TYPE = "text/x.tlog.size"
"""The content type of a witness's answer that it has seen another size."""

_OLD = re.compile(rb"old (0|[1-9][0-9]{0,18})")


@dataclass(frozen=True)
class Submission:
    """A checkpoint for a witness that has seen `old` leaves, with the consistency proof from there."""

    old: int
    proof: tuple[bytes, ...]
    checkpoint: bytes

    @property
    def body(self) -> bytes:
        lines = [f"old {self.old}".encode(), *map(base64.b64encode, self.proof), b"", self.checkpoint]
        return b"\n".join(lines)

    @classmethod
    def parse(cls, body: bytes) -> "Submission":
        """Parse the body of a request, not the checkpoint in it. Raises BadProof."""
        head, blank, checkpoint = body.partition(b"\n\n")
        first, *lines = head.split(b"\n")
        old = _OLD.fullmatch(first)
        if old is None or not blank or len(lines) > MOST_HASHES or len(body) > MOST_BYTES:
            raise BadProof("A submission is the old size, at most 63 hashes, an empty line and a checkpoint.")
        found = cls(int(old[1]), _hashes(lines), checkpoint)
        if found.body != body:
            raise BadProof("A hash is written in base64, in the one way that it has.")
        return found


def _hashes(lines: Sequence[bytes]) -> tuple[bytes, ...]:
    try:
        return tuple(base64.b64decode(line, validate=True) for line in lines)
    except ValueError as error:
        raise BadProof("A hash is written in base64.") from error
