"""The house's signing key: from the environment or a file, created when first needed; the log records every key.

The key is 32 bytes (Ed25519), stored in base64. Anybody who has it can sign for the house, so only its owner can read the
file, and it must never be in the same backup as the database.
"""

import base64
import binascii
import contextlib
import os
import secrets
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from ledger.audit.tree.note import VerifierKey
from ledger.errors import BadAuditKey, UnknownAuditKey
from ledger.journal import house_events, records
from ledger.journal.acts import Act
from ledger.models import AuditLog, HouseEvent

KEY_BYTES = 32


class Signer:
    """A private key, with the name of its log."""

    def __init__(self, name: str, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.key = VerifierKey(name, self._private.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        """Sign a message; return the 64 bytes of the signature."""
        return self._private.sign(message)


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


def known_keys(log: AuditLog) -> list[VerifierKey]:
    """Return every key this log has had, the current one last."""
    events = records.events_of_kind(log.site_id, "house_event", HouseEvent.Kind.AUDIT_KEY)
    return [VerifierKey.parse(event["data"]["verifier_key"]) for event in events]


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


def _note_key(log: AuditLog, signer: Signer, before: VerifierKey | None, *, act: Act) -> None:
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


def grouped_fingerprint(key: VerifierKey) -> str:
    """Format a fingerprint for reading aloud: its digits in groups of four."""
    digits = key.fingerprint
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))
