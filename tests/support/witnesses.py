"""Made-up witnesses: keys, signatures, and policies that name them."""

from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from ledger.proof.audit.policy import Policy
from ledger.proof.audit.tree import cosignatures, note
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.mldsa import SigningKey
from ledger.proof.audit.tree.note import COSIGNED_BY_ED25519, COSIGNED_BY_MLDSA, Signature, VerifierKey
from ledger.proof.witness import book

SEED = bytes(range(32))
AT = 1_795_240_800  # 2026-11-21 06:00:00 UTC


class MadeUp:
    """A witness of this name; `kind` is the type of its signatures."""

    def __init__(self, name: str, kind: bytes = COSIGNED_BY_MLDSA) -> None:
        make = MLDSA44PrivateKey.from_seed_bytes
        if kind == COSIGNED_BY_ED25519:
            make = Ed25519PrivateKey.from_private_bytes
        self._private = make(name.encode().ljust(32, b"."))
        self.key = VerifierKey(name, self._private.public_key().public_bytes_raw(), kind)

    def line(self, checkpoint: bytes, seconds: int = AT) -> Signature:
        return _line(self, TreeHead.parse(note.parse(checkpoint).text), seconds)


@cache
def _line(witness: MadeUp, tree: TreeHead, seconds: int) -> Signature:
    signature = witness._private.sign(cosignatures.message(witness.key, tree, seconds))
    return Signature(witness.key.name, witness.key.key_id, cosignatures.stamped(seconds, signature))


BUREAU, AUDITOR = MadeUp("bureau.example/w1"), MadeUp("auditor.example/w", COSIGNED_BY_ED25519)


def cosigned(checkpoint: bytes, *witnesses: MadeUp, seconds: int = AT) -> bytes:
    return checkpoint + b"".join(
        f"{witness.line(checkpoint, seconds).line}\n".encode() for witness in witnesses
    )


def sign_quickly(monkeypatch) -> None:
    """Have new witnesses sign with `cryptography` and one key: plain Python is slow."""

    def sign(key, message, random, context=b""):
        return MLDSA44PrivateKey.from_seed_bytes(key.seed).sign(message, context)

    monkeypatch.setattr(SigningKey, "sign", sign)
    monkeypatch.setattr(book.secrets, "token_bytes", lambda count: SEED[:count])


def policy(*lines: str) -> Policy:
    witnesses = (f"witness bureau {BUREAU.key.text}", f"witness auditor {AUDITOR.key.text}")
    return Policy.parse("\n".join([*witnesses, *lines]).encode())
