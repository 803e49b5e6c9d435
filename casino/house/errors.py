"""What is refused at the first start of a house."""

from ledger.errors import LedgerError


class SetUpLinkRefused(LedgerError, status=403):
    """The set-up address is unknown, was used, or is older than an hour. The answer is the same for all of them."""


class AlreadySetUp(LedgerError, status=409):
    """Somebody else has set up the house meanwhile, so nothing of this entry was kept."""


class BadManager(LedgerError):
    """The first manager's username is taken or cannot be one, or the name is missing."""
