"""What the floor refuses because of the time that the server's clock shows, one class for each reason."""

from tables.errors import TableError


class ClockBehind(TableError):
    """The server's clock is behind the newest record of this table (R65). Have it set right; nothing was recorded."""

    code = "clock_behind"
    status = 503


class ClockDoubted(TableError):
    """The server's clock has jumped. No round starts and nothing is charged until the floor has confirmed the time (R65)."""

    code = "clock_doubted"
    status = 503
