"""What is refused about passwords, PINs and terminals, one class for each reason."""

from tables.errors import TableError


class WrongPin(TableError):
    """This name and PIN do not belong together, or this person has no PIN."""

    code = "wrong_pin"


class TooManyAttempts(TableError):
    """Too many wrong passwords, PINs or codes. The sentence says how long to wait."""

    code = "too_many_attempts"
    status = 429


class LockedOut(TableError):
    """So many wrong passwords, PINs or codes that nothing is looked at any more. A manager lifts the lock."""

    code = "locked_out"
    status = 403


class BadPin(TableError):
    """A PIN is 6 to 8 digits, and not one that everybody would guess."""

    code = "bad_pin"


class StrangeTerminal(TableError):
    """PINs are taken on terminals that the floor has enrolled, and this device is none."""

    code = "strange_terminal"
    status = 403
