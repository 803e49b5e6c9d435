"""The refusals of the audit log, one class for each reason. Pure: the offline verifier raises them too."""

from ledger.errors import LedgerError


class BadNote(LedgerError):
    """These bytes are not a signed note, or a signed note cannot carry this text or name."""


class BadVerifierKey(LedgerError):
    """This text is not a verifier key (Ed25519 or ML-DSA-44), or two different keys share a name and id."""


class BadSignature(LedgerError):
    """The note carries no valid signature by a known key."""


class BadCheckpoint(LedgerError):
    """The note is not a checkpoint, or it is a checkpoint of another log."""


class BadPolicy(LedgerError):
    """The policy of keys and witnesses cannot be read."""


class BadProof(LedgerError):
    """The proof does not prove what it should, or asks for records outside the tree."""


class BadTile(LedgerError):
    """No tree has this tile, or its bytes are not as wide as the tree needs."""


class BadBundle(LedgerError):
    """The file is not an export of the log, or one of its members cannot be read."""


class LineTooLong(LedgerError, status=409):
    """A record, or the text that opens one, is longer than a line of an export may be. Ask for days without
    it."""


NOT_BELIEVED = (BadNote, BadVerifierKey, BadSignature, BadCheckpoint)
"""Why a signed checkpoint is not believed."""
