"""The refusals of signing in."""

from tables.errors import TableError


class TooManyAttempts(TableError, status=429):
    """Too many wrong passwords, PINs or codes. The sentence says how long to wait."""


class LockedOut(TableError, status=403):
    """So many wrong passwords, PINs or codes that nothing is looked at any more. A manager lifts the lock."""


class BadPin(TableError):
    """A PIN is 6 to 8 digits, and not one that everybody would guess."""


class BadToken(TableError, status=403):
    """This token opens nothing: it is unknown, was revoked or has ended, or its regulator has left."""


class StrangeTerminal(TableError, status=403):
    """A PIN works only at a terminal that the floor has enrolled, and this device is not one."""
