"""What the manager's desk refuses about people."""

from ledger.errors import LedgerError


class UsernameTaken(LedgerError, status=409):
    """Somebody has this username already, in capital or small letters; people who have left keep theirs."""


class OwnAccount(LedgerError, status=403):
    """Nobody changes their own roles, lets themselves go, or gives themselves a one-time code. Another manager does."""


class LastManager(LedgerError, status=409):
    """The house keeps at least one manager who works here."""
