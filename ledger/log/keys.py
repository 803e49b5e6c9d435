"""The house's signing key: from the environment or a file, made on first need; every key it had is an event of its log.

The key is 32 bytes (Ed25519), kept in base64. Whoever has it can sign for the house, so it is readable by its owner alone
and belongs into no backup that also has the database.
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
    """A private key under the name of a log."""

    def __init__(self, name: str, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.key = VerifierKey(name, self._private.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of the signature over a message."""
        return self._private.sign(message)


def signer_of(log: AuditLog, *, now: datetime) -> Signer:
    """The key that signs for this log, made and noted in the log where it is the first one.

    Raises BadAuditKey for a file or variable that holds no key, and UnknownAuditKey for another key than the log knows:
    a key that was lost or changed is replaced by `rotate`, which says so in the log, and by nothing else.
    """
    known = known_keys(log)
    signer = Signer(log.origin, _seed(may_make=not known))
    if not known:
        _note_key(log, signer, None, act=Act(actor=None, now=now))
    elif known[-1] != signer.key:
        raise UnknownAuditKey(
            f"The signing key here is {signer.key.fingerprint[:16]}, the log's is {known[-1].fingerprint[:16]}:"
            " bring back the log's key, or replace it with manage.py audit rotate."
        )
    return signer


def known_keys(log: AuditLog) -> list[VerifierKey]:
    """Every key this log has had, the one in use last."""
    noted = records.events_of_kind(log.site_id, "house_event", HouseEvent.Kind.AUDIT_KEY)
    return [VerifierKey.parse(event["data"]["verifier_key"]) for event in noted]


def rotate(log: AuditLog, *, act: Act) -> Signer:
    """Make a new key, keep the old file beside it, and note the change in the log. From now on the new one signs.

    Where AUDIT_KEY gives the key, that one is taken over instead: it must be another than the log's.
    """
    known = known_keys(log)
    path = Path(settings.AUDIT_KEY_FILE)
    if not settings.AUDIT_KEY and path.exists() and (not known or _file_key(log).key == known[-1]):
        path.rename(path.with_name(f"{path.name}.until-{act.now:%Y%m%dT%H%M%S}"))
    signer = Signer(log.origin, _seed(may_make=True))
    if known and known[-1] == signer.key:
        raise BadAuditKey("This is the key that the log has: give another one in AUDIT_KEY.")
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
    text = settings.AUDIT_KEY or _kept(Path(settings.AUDIT_KEY_FILE), may_make=may_make)
    try:
        seed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        seed = b""
    if len(seed) != KEY_BYTES:
        where = "AUDIT_KEY" if settings.AUDIT_KEY else settings.AUDIT_KEY_FILE
        raise BadAuditKey(f"{where} holds no signing key: {KEY_BYTES} bytes in base64.")
    return seed


def _kept(path: Path, *, may_make: bool) -> str:
    if not path.exists():
        if not may_make:
            raise UnknownAuditKey(
                "The signing key is gone: bring its file back, or replace it with manage.py audit rotate."
            )
        _make(path)
    return path.read_text().strip()


def _make(path: Path) -> None:
    """A new key, written whole under another name first: whoever reads meanwhile finds no half a key."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode() + "\n")
        file.flush()
        os.fsync(file.fileno())
    with contextlib.suppress(FileExistsError):  # another process was first: its key holds
        os.link(fresh, path)
    fresh.unlink()


def spoken(key: VerifierKey) -> str:
    """A fingerprint as people read it to each other: its digits by fours."""
    digits = key.fingerprint
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))
