"""The house's signing key: from the environment or a file, created when first needed; the log records every
key.

A checkpoint is signed by the newest key that the checkpoint before it covers, the first one by the log's
first key. So a new key counts once the old key has signed over its record, and a retired key signs nothing
more.

The key is 32 bytes, stored in base64; both halves of the log's key are made from them: Ed25519 and ML-DSA-44.
Anybody who has them can sign for the house, so only their owner can read the file, and it must never be in
the same backup as the database."""

import base64
import binascii
import contextlib
import json
import os
import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey, MLDSA44PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db.models import F

from ledger.db.stored_rows import AsStored, moment_of
from ledger.errors import BadAuditKey, UnknownAuditKey
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import AuditLog, AuditRecord, HouseEvent
from ledger.proof.audit.errors import BadVerifierKey
from ledger.proof.audit.tree import cosignatures, note
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.cosignatures import Arithmetic
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.audit.tree.note import COSIGNED_BY_MLDSA, VerifierKey

KEY_BYTES = 32


@lru_cache(maxsize=64)
def _public_key(kind: Any, public: bytes) -> Any:
    return kind.from_public_bytes(public)


def _holds(
    kind: type[Ed25519PublicKey | MLDSA44PublicKey], public: bytes, message: bytes, signature: bytes
) -> bool:
    try:
        _public_key(kind, public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


# About fifty times as fast as the plain Python that checks the same offline.
ARITHMETIC = Arithmetic(partial(_holds, Ed25519PublicKey), partial(_holds, MLDSA44PublicKey))


class RecordedKey(NamedTuple):
    """A key of the log. `leaf` has its record, None until it is sealed; `at` is when it was recorded."""

    leaf: int | None
    key: LogKey
    at: datetime


class Signer:
    def __init__(self, name: str, seed: bytes) -> None:
        self._ed25519 = Ed25519PrivateKey.from_private_bytes(seed)
        # A quantum computer that breaks the Ed25519 key gets a number made from the seed, not the seed.
        second = HKDF(SHA256(), 32, salt=None, info=b"ML-DSA-44").derive(seed)
        self._mldsa = MLDSA44PrivateKey.from_seed_bytes(second)
        self.key = LogKey(
            VerifierKey(name, self._ed25519.public_key().public_bytes_raw()),
            VerifierKey(name, self._mldsa.public_key().public_bytes_raw(), COSIGNED_BY_MLDSA),
        )

    def signed(self, tree: TreeHead, *, now: datetime) -> bytes:
        half, seconds = self.key.mldsa, int(now.timestamp())
        signature = self._mldsa.sign(cosignatures.message(half, tree, seconds))
        second = note.Signature(half.name, half.key_id, cosignatures.stamped(seconds, signature))
        first = note.signed(tree.text, self.key.ed25519, self._ed25519.sign)
        return note.Note(tree.text, (first, second)).encode()


def signed_by_all(signers: Iterable[Signer], tree: TreeHead, *, now: datetime) -> bytes:
    notes = [note.parse(signer.signed(tree, now=now)) for signer in signers]
    return note.Note(tree.text, tuple(line for one in notes for line in one.signatures)).encode()


def signer_of(log: AuditLog, *, now: datetime) -> Signer:
    """Return the key that signs for this log. The first one is created here and recorded in the log. Raises
    BadAuditKey if the file or variable contains no key, UnknownAuditKey if it is not the log's current one:
    only `rotate`, which records the change, replaces a lost or changed key."""
    known = known_keys(log)
    signer = Signer(log.origin, _seed(may_make=not known))
    if not known:
        _note_key(log, signer, None, act=Act(actor=None, now=now))
    elif known[-1] != signer.key:
        raise UnknownAuditKey(
            f"The signing key here is {signer.key.fingerprint[:16]}, but the log's is"
            f" {known[-1].fingerprint[:16]}."
            " Restore the log's key, or replace it with manage.py audit rotate."
        )
    return signer


def history(log: AuditLog) -> list[RecordedKey]:
    events = HouseEvent.objects.filter(site=log.site_id, kind=HouseEvent.Kind.AUDIT_KEY).values("pk")
    found = AuditRecord.objects.filter(kind="house_event", subject__in=events)
    found = found.order_by(F("leaf__number").asc(nulls_last=True), "pk")
    rows = found.values_list("leaf__number", "text", AsStored("recorded_at"))
    return [RecordedKey(leaf, key, _at(at)) for leaf, text, at in rows if (key := _key_in(text)) is not None]


def _at(stored: str | datetime) -> datetime:
    """Return when a key was recorded; the earliest time if unreadable, which verifying reports."""
    try:
        return moment_of(stored)
    except (ValueError, TypeError):
        return datetime.min.replace(tzinfo=UTC)


def require_key() -> None:
    """Raise BadAuditKey if the signing key is malformed. A missing one stops only sealing, not the start."""
    with contextlib.suppress(UnknownAuditKey):
        _seed(may_make=False)


def own_signer(log: AuditLog) -> Signer | None:
    """Return the key that signs for this log if it is here and current, else None; creates nothing."""
    try:
        signer = Signer(log.origin, _seed(may_make=False))
    except (BadAuditKey, UnknownAuditKey):
        return None
    return signer if signer.key in known_keys(log)[-1:] else None


def known_keys(log: AuditLog) -> list[LogKey]:
    return [recorded.key for recorded in history(log)]


def due(recorded: Sequence[RecordedKey], signed: int) -> LogKey | None:
    """Return the key that must sign the checkpoint after one over `signed` leaves (0: there is none yet)."""
    covered = [one for one in recorded if one.leaf is not None and one.leaf < signed] or recorded[:1]
    return covered[-1].key if covered else None


def replace(log: AuditLog, *, act: Act) -> list[Signer]:
    """Create a new key, keep the old file under another name, and record the change. Return the keys that
    sign over the record: the old one, if its file is still here, and the new one. AUDIT_KEY, if set, is the
    new key; it must differ from the current one."""
    known = known_keys(log)
    path = Path(settings.AUDIT_KEY_FILE)
    old = Signer(log.origin, _decoded(path.read_text(), str(path))) if path.exists() else None
    if old is not None and known and old.key != known[-1]:
        old = None
    if old is not None and not settings.AUDIT_KEY:
        path.rename(path.with_name(f"{path.name}.until-{act.now:%Y%m%dT%H%M%S}"))
    signer = Signer(log.origin, _seed(may_make=True))
    if known and known[-1] == signer.key:
        raise BadAuditKey("AUDIT_KEY is the key that the log already has. Set a different one.")
    _note_key(log, signer, known[-1] if known else None, act=act)
    return [old, signer] if known and old is not None else [signer]


def _key_in(text: str) -> LogKey | None:
    try:
        return LogKey.parse(str(json.loads(text)[1]["data"]["verifier_key"]))
    except (ValueError, LookupError, TypeError, BadVerifierKey):
        return None


def _note_key(log: AuditLog, signer: Signer, before: LogKey | None, *, act: Act) -> None:
    house_events.note(
        log.site,
        HouseEvent.Kind.AUDIT_KEY,
        verifier_key=signer.key.text,
        replaces=before and before.text,
        act=act,
    )


def _seed(*, may_make: bool) -> bytes:
    if settings.AUDIT_KEY:
        return _decoded(settings.AUDIT_KEY, "AUDIT_KEY")
    path = Path(settings.AUDIT_KEY_FILE)
    return _decoded(_read_or_make(path, may_make=may_make), str(path))


def _decoded(text: str, where: str) -> bytes:
    try:
        seed = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        seed = b""
    if len(seed) != KEY_BYTES:
        raise BadAuditKey(f"{where} is not a signing key ({KEY_BYTES} bytes in base64).")
    return seed


def _read_or_make(path: Path, *, may_make: bool) -> str:
    try:
        if not path.exists():
            if not may_make:
                raise UnknownAuditKey(
                    "The signing key is missing. Restore its file, or replace it with manage.py audit rotate."
                )
            _make(path)
        return path.read_text(errors="replace")
    except OSError as error:
        raise BadAuditKey(f"The signing key can't be read or made in {path}: {error.strerror}.") from error


def _make(path: Path) -> None:
    """Write a new key, under a temporary name first so that nobody reads half a key."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode() + "\n")
        file.flush()
        os.fsync(file.fileno())
    with contextlib.suppress(FileExistsError):  # another process was faster: its key is used
        os.link(fresh, path)
    fresh.unlink()


def grouped_fingerprint(key: LogKey) -> str:
    digits = key.fingerprint
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))
