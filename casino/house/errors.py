"""What is refused at the first start of a house."""

from ledger.errors import LedgerError


class SetUpLinkRefused(LedgerError):
    """The set-up address is unknown, was used, or is older than an hour. The answer is the same for all of them."""

    code = "set_up_link_refused"
    status = 403


class AlreadySetUp(LedgerError):
    """Somebody else has set up the house meanwhile, so nothing of this entry was kept."""

    code = "already_set_up"
    status = 409


class BadManager(LedgerError):
    """The first manager's username is taken or cannot be one, or the name is missing."""

    code = "bad_manager"
