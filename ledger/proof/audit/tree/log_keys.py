"""The key of a log, which signs every checkpoint twice, and which checkpoints to trust. Pure. Its two
halves have one name, the log's origin: an Ed25519 key, which any C2SP program can check, and an ML-DSA-44
key, whose signatures still hold once a quantum computer can forge Ed25519's. Both halves must have signed."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256

from ledger.proof.audit.errors import BadCheckpoint, BadSignature, BadVerifierKey
from ledger.proof.audit.tree import cosignatures, note
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.cosignatures import PLAIN, Arithmetic
from ledger.proof.audit.tree.note import COSIGNED_BY_MLDSA, ED25519, VerifierKey


@dataclass(frozen=True)
class LogKey:
    """Both halves of a log's key. Raises BadVerifierKey unless they are of these two types and one name."""

    ed25519: VerifierKey
    mldsa: VerifierKey

    def __post_init__(self) -> None:
        if (self.ed25519.kind, self.mldsa.kind) != (ED25519, COSIGNED_BY_MLDSA):
            raise BadVerifierKey("The key of a log is an Ed25519 and an ML-DSA-44 key, in this order.")
        if self.ed25519.name != self.mldsa.name or len(self.name.encode()) > cosignatures.MOST_OF_A_NAME:
            raise BadVerifierKey("Both keys of a log have the log's name, of 255 bytes at most.")

    @property
    def name(self) -> str:
        return self.ed25519.name

    @property
    def halves(self) -> tuple[VerifierKey, VerifierKey]:
        return self.ed25519, self.mldsa

    @property
    def text(self) -> str:
        """The key as people pass it on: both verifier keys with a space between."""
        return f"{self.ed25519.text} {self.mldsa.text}"

    @cached_property
    def fingerprint(self) -> str:
        """64 hex digits for people to compare: the SHA-256 of the text."""
        return sha256(self.text.encode()).hexdigest()

    @classmethod
    def parse(cls, text: str) -> "LogKey":
        halves = text.split(" ")
        if len(halves) != 2:
            raise BadVerifierKey(
                "The key of a log is written NAME+ID+KEY NAME+ID+KEY: Ed25519, then ML-DSA-44."
            )
        return cls(*map(VerifierKey.parse, halves))


def opened(data: bytes, *, origin: str, known: Iterable[LogKey], arithmetic: Arithmetic = PLAIN) -> TreeHead:
    """Return the trusted checkpoint in these bytes. Raises what `signed_by` raises."""
    return signed_by(data, origin=origin, known=known, arithmetic=arithmetic)[0]


def signed_by(
    data: bytes, *, origin: str, known: Iterable[LogKey], arithmetic: Arithmetic = PLAIN
) -> tuple[TreeHead, tuple[LogKey, ...]]:
    """Return the checkpoint in these bytes, and the known keys that have signed it with both halves. Raises
    BadNote, BadSignature, BadVerifierKey (see `note`), and BadCheckpoint also for the checkpoint of another
    log."""
    known, found = list(known), note.parse(data)
    tree = TreeHead.parse(found.text)

    def check(key: VerifierKey, signature: bytes) -> bool:
        return cosignatures.holds(key, tree, signature, arithmetic)

    halves = note.signers(found, [half for key in known for half in key.halves], check)
    whole = tuple(key for key in known if all(half in halves for half in key.halves))
    if not whole:
        raise BadSignature("It is signed with one half of a known key, and not with the other.")
    if tree.origin != origin:
        raise BadCheckpoint(f"This is a checkpoint of {tree.origin}, not of {origin}.")
    return tree, whole


def has_signed(data: bytes, key: LogKey) -> bool:
    lines = {(one.name, one.key_id) for one in note.parse(data).signatures}
    return all((half.name, half.key_id) in lines for half in key.halves)


def signed_at(data: bytes, key: LogKey) -> int | None:
    """Return when this key signed this note, in seconds since 1970; None if it did not."""
    half = key.mldsa
    found = (one for one in note.parse(data).signatures if (one.name, one.key_id) == (half.name, half.key_id))
    return next((cosignatures.seconds_of(one.signature) for one in found), None)


def last_signed_at(data: bytes, known: Iterable[LogKey]) -> datetime | None:
    """Return when the last of these keys signed this note; None if none did."""
    seconds = [at for key in known if (at := signed_at(data, key)) is not None]
    return cosignatures.moment_of(max(seconds)) if seconds else None


SLACK = timedelta(minutes=1)
"""The possible difference between the clocks of two machines of a house."""


def wrong_time(
    at: datetime | None,
    *,
    before: datetime | None,
    now: datetime | None,
    ahead_until: Iterable[datetime] = (),
) -> str:
    """Return what is wrong with a checkpoint's time `at`, in a sentence, or an empty text. It must not be
    before the checkpoint it follows (signed at `before`), unless the house knows that its clock was ahead
    until then, and not after `now`."""
    if at is not None and now is not None and at > now + SLACK:
        return (
            f"It says that it was signed at {at:%Y-%m-%d %H:%M:%S} UTC, and it is {now:%Y-%m-%d %H:%M:%S}"
            " UTC now."
        )
    if (
        at is None
        or before is None
        or at >= before - SLACK
        or any(until >= before - SLACK for until in ahead_until)
    ):
        return ""
    return (
        f"It says that it was signed at {at:%Y-%m-%d %H:%M:%S} UTC, after one that was signed at"
        f" {before:%Y-%m-%d %H:%M:%S} UTC."
    )
