"""The house's signing key: from the environment or a file, created when first needed; the log records every key.

The key is 32 bytes, stored in base64; both halves of the log's key are made from them: Ed25519 and ML-DSA-44. Anybody who has
them can sign for the house, so only their owner can read the file, and it must never be in the same backup as the database.
"""

import base64
import binascii
import contextlib
import os
import secrets
from datetime import datetime
from functools import partial
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey, MLDSA44PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from ledger.audit.tree import cosignatures, note
from ledger.audit.tree.checkpoints import TreeHead
from ledger.audit.tree.cosignatures import Arithmetic
from ledger.audit.tree.log_keys import LogKey
from ledger.audit.tree.note import COSIGNED_BY_MLDSA, VerifierKey
from ledger.errors import BadAuditKey, UnknownAuditKey
from ledger.journal import house_events, records
from ledger.journal.acts import Act
from ledger.models import AuditLog, HouseEvent

KEY_BYTES = 32


def _holds(
    kind: type[Ed25519PublicKey | MLDSA44PublicKey], public: bytes, message: bytes, signature: bytes
) -> bool:
    try:
        kind.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


# Some fifty times as fast as the plain Python that checks the same things offline.
ARITHMETIC = Arithmetic(partial(_holds, Ed25519PublicKey), partial(_holds, MLDSA44PublicKey))


class Signer:
    """Both halves of a private key, with the name of its log."""

    def __init__(self, name: str, seed: bytes) -> None:
        self._ed25519 = Ed25519PrivateKey.from_private_bytes(seed)
        # A quantum computer that finds the Ed25519 key finds a number made from the seed, and not the seed.
        second = HKDF(SHA256(), 32, salt=None, info=b"ML-DSA-44").derive(seed)
        self._mldsa = MLDSA44PrivateKey.from_seed_bytes(second)
        self.key = LogKey(
            VerifierKey(name, self._ed25519.public_key().public_bytes_raw()),
            VerifierKey(name, self._mldsa.public_key().public_bytes_raw(), COSIGNED_BY_MLDSA),
        )

    def signed(self, tree: TreeHead, *, now: datetime) -> bytes:
        """Return the checkpoint of this tree, signed with both halves."""
        half, seconds = self.key.mldsa, int(now.timestamp())
        signature = self._mldsa.sign(cosignatures.message(half, tree, seconds))
        second = note.Signature(half.name, half.key_id, cosignatures.stamped(seconds, signature))
        first = note.signed(tree.text, self.key.ed25519, self._ed25519.sign)
        return note.Note(tree.text, (first, second)).encode()


def signer_of(log: AuditLog, *, now: datetime) -> Signer:
    """Return the key that signs for this log. The first one is created here and recorded in the log.

    Raises BadAuditKey if the file or variable contains no key, and UnknownAuditKey if the key is not the log's current
    one: only `rotate`, which records the change in the log, replaces a lost or changed key.
    """
    known = known_keys(log)
    signer = Signer(log.origin, _seed(may_make=not known))
    if not known:
        _note_key(log, signer, None, act=Act(actor=None, now=now))
    elif known[-1] != signer.key:
        raise UnknownAuditKey(
            f"The signing key here is {signer.key.fingerprint[:16]}, but the log's is {known[-1].fingerprint[:16]}."
            " Restore the log's key, or replace it with manage.py audit rotate."
        )
    return signer


def known_keys(log: AuditLog) -> list[LogKey]:
    """Return every key this log has had, the current one last."""
    return [key for key, _ in keys_with_times(log)]


def keys_with_times(log: AuditLog) -> list[tuple[LogKey, datetime]]:
    """Return every key this log has had, and since when, the current one last."""
    events = records.events_of_kind(log.site_id, "house_event", HouseEvent.Kind.AUDIT_KEY)
    return [
        (LogKey.parse(event["data"]["verifier_key"]), datetime.fromisoformat(event["recorded_at"]))
        for event in events
    ]


def rotate(log: AuditLog, *, act: Act) -> Signer:
    """Create a new key, rename the old file, and record the change in the log. From now on the new key signs.

    If AUDIT_KEY is set, that key is used; it must differ from the log's current one.
    """
    known = known_keys(log)
    path = Path(settings.AUDIT_KEY_FILE)
    if not settings.AUDIT_KEY and path.exists() and (not known or _file_key(log).key == known[-1]):
        path.rename(path.with_name(f"{path.name}.until-{act.now:%Y%m%dT%H%M%S}"))
    signer = Signer(log.origin, _seed(may_make=True))
    if known and known[-1] == signer.key:
        raise BadAuditKey("AUDIT_KEY is the key that the log already has. Set a different one.")
    _note_key(log, signer, known[-1] if known else None, act=act)
    return signer


def _file_key(log: AuditLog) -> Signer:
    return Signer(log.origin, _seed(may_make=False))


def _note_key(log: AuditLog, signer: Signer, before: LogKey | None, *, act: Act) -> None:
    house_events.note(
        log.site,
        HouseEvent.Kind.AUDIT_KEY,
        verifier_key=signer.key.text,
        replaces=before and before.text,
        act=act,
    )


def _seed(*, may_make: bool) -> bytes:
    text = settings.AUDIT_KEY or _read_or_make(Path(settings.AUDIT_KEY_FILE), may_make=may_make)
    try:
        seed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        seed = b""
    if len(seed) != KEY_BYTES:
        where = "AUDIT_KEY" if settings.AUDIT_KEY else settings.AUDIT_KEY_FILE
        raise BadAuditKey(f"{where} is not a signing key ({KEY_BYTES} bytes in base64).")
    return seed


def _read_or_make(path: Path, *, may_make: bool) -> str:
    if not path.exists():
        if not may_make:
            raise UnknownAuditKey(
                "The signing key is missing. Restore its file, or replace it with manage.py audit rotate."
            )
        _make(path)
    return path.read_text().strip()


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
    """Format a fingerprint for reading aloud: its digits in groups of four."""
    digits = key.fingerprint
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))
