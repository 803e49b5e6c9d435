"""The refusals of window and closing about patrons' cash and unclaimed chips; others are in
`ledger/errors.py`."""

from ledger.errors import LedgerError


class NotSeen(LedgerError, status=409):
    """That receipt belongs to no patron of this gaming day. Enter the number of one that was made today."""


class NotIdentified(LedgerError, status=409):
    """With this amount the person's cash of the gaming day must be reported: see their identification
    first."""


class UnclaimedNotCounted(LedgerError, status=409):
    """Two people count the unclaimed chips before a day is closed on which some are held."""


class DrawerMoved(LedgerError, status=409):
    """Chips or cash came into the drawer or left it between the two counts that close it."""


class SlipWaits(LedgerError, status=409):
    """One count that closes a drawer waits for its second one: no other is begun before it has ended."""


class BankNotCounted(LedgerError, status=409):
    """Two people count the bank of each table that plays on before its day is closed."""


class NeedsDocument(LedgerError, status=409):
    """The vault is opened once: later, chips and cash come into the house or leave it on a document."""
