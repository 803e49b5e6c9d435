"""Timed signatures by C2SP tlog-cosignature, by a witness or by the log itself. Pure. Both types sign a
checkpoint: Ed25519 its text, ML-DSA-44 its origin, size and root together with the signer's name, but no
extension lines. A signature begins with its time: eight bytes, in seconds since 1970.
A log asks a witness for one by a `Submission`, the body of `add-checkpoint` in C2SP tlog-witness."""

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from ledger.proof.audit.errors import BadProof
from ledger.proof.audit.tree import ed25519, mldsa
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.note import COSIGNED_BY_MLDSA, ED25519, MOST_BYTES, VerifierKey

MOST_OF_A_NAME = 255
"""Bytes of an origin or a signer's name that ML-DSA-44 can sign."""

_TIME_BYTES = 8
_MOST_SECONDS = 2**63 - 1
_LAST_OF_A_DATE = 253402300799
_LABEL = b"subtree/v1\n\x00"


class Arithmetic(NamedTuple):
    """Functions that verify (public key, message, signature). PLAIN is plain Python; others may be faster."""

    ed25519: Callable[[bytes, bytes, bytes], bool] = ed25519.verify
    mldsa: Callable[[bytes, bytes, bytes], bool] = mldsa.verify


PLAIN = Arithmetic()


def message(key: VerifierKey, tree: TreeHead, seconds: int) -> bytes:
    """Return what this key signs of a checkpoint at this time. Raises ValueError for too long names."""
    if key.kind != COSIGNED_BY_MLDSA:
        return f"cosignature/v1\ntime {seconds}\n{tree.text}".encode()
    name, origin = key.name.encode(), tree.origin.encode()
    return b"".join(
        [
            *(_LABEL, len(name).to_bytes(1), name, seconds.to_bytes(_TIME_BYTES)),
            *(len(origin).to_bytes(1), origin, (0).to_bytes(8), tree.size.to_bytes(8), tree.root),
        ]
    )


def stamped(seconds: int, signature: bytes) -> bytes:
    return seconds.to_bytes(_TIME_BYTES) + signature


def seconds_of(signature: bytes) -> int:
    """Return the time of a cosignature, in seconds since 1970."""
    return int.from_bytes(signature[:_TIME_BYTES])


def time_of(signature: bytes) -> datetime:
    return moment_of(seconds_of(signature))


def moment_of(seconds: int) -> datetime:
    """Return the time so many seconds after 1970, at most the end of the year 9999."""
    return datetime.fromtimestamp(min(seconds, _LAST_OF_A_DATE), UTC)


def holds(key: VerifierKey, tree: TreeHead, signature: bytes, arithmetic: Arithmetic = PLAIN) -> bool:
    """Return whether this key has signed this checkpoint, for every type of signature."""
    if key.kind == ED25519:
        return arithmetic.ed25519(key.public, tree.text.encode(), signature)
    check = arithmetic.mldsa if key.kind == COSIGNED_BY_MLDSA else arithmetic.ed25519
    seconds = seconds_of(signature)
    if seconds > _MOST_SECONDS or len(tree.origin.encode()) > MOST_OF_A_NAME:
        return False
    return check(key.public, message(key, tree, seconds), signature[_TIME_BYTES:])


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
