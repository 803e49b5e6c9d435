"""What the manager's desk refuses about people."""

from ledger.errors import LedgerError


class UsernameTaken(LedgerError):
    """Somebody has this username already, in capital or small letters; people who have left keep theirs."""

    code = "username_taken"
    status = 409


class OwnAccount(LedgerError):
    """Nobody changes their own roles, lets themselves go, or gives themselves a one-time code. Another manager does."""

    code = "own_account"
    status = 403


class LastManager(LedgerError):
    """The house keeps at least one manager who works here."""

    code = "last_manager"
    status = 409
