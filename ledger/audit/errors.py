"""What the audit log refuses, with a stable code each. Pure: the offline verifier raises the same errors as the house."""

from ledger.errors import LedgerError


class NotCanonical(LedgerError):
    """Bytes that are not the canonical form of the value they hold, or hold no JSON value at all."""

    code = "not_canonical"


class BadNote(LedgerError):
    """Bytes that are no signed note, or a text or name that no signed note can carry."""

    code = "bad_note"


class BadVerifierKey(LedgerError):
    """A text that is no Ed25519 verifier key, or two different keys of one name and id."""

    code = "bad_verifier_key"


class BadSignature(LedgerError):
    """A note that a known key did not sign as it says, or that no known key signed."""

    code = "bad_signature"


class BadCheckpoint(LedgerError):
    """A note's text that is no checkpoint, or the checkpoint of another log."""

    code = "bad_checkpoint"


class BadProof(LedgerError):
    """A proof that does not prove what it should, or one asked for outside of the tree."""

    code = "bad_proof"


class BadTile(LedgerError):
    """A tile that no tree has, or one whose bytes are not as wide as the tree needs."""

    code = "bad_tile"


class BadBundle(LedgerError):
    """A file that is no export, or a member of one that cannot be read as what it is."""

    code = "bad_bundle"
