"""Who has access: the quarterly review of who has which rights, and tokens: what is stored of one; and, of a
regulator's program, who may use it, who made it, how long it is valid. Pure."""

from collections.abc import Collection
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Final


def quarter_of(day: date) -> str:
    return f"{day.year}-Q{(day.month + 2) // 3}"


def wrong_reviewers(reviewer: int, second: int | None, *, gives_rights: bool) -> str:
    """Return why these two may not sign a review. Nobody who gives rights to others reviews them alone."""
    if second == reviewer:
        return "The second person is the first."
    if gives_rights and second is None:
        return "Nobody who gives rights to others reviews them alone."
    return ""


LONGEST: Final = timedelta(days=90)
READER: Final = "regulator"
"""The role that a token is for."""


def digest(text: str) -> str:
    """Return what is stored of a random token: its SHA-256, in hex."""
    return sha256(text.encode()).hexdigest()


def wrong_token(
    *, person: int, maker: int | None, roles: Collection[str], made_at: datetime, until: datetime
) -> str:
    """Return why such a token may not be made; "" if it may. `roles` are those of its holder."""
    if maker == person:
        return "Nobody makes a token for themselves."
    if READER not in roles:
        return "A token is for a regulator."
    if not made_at < until <= made_at + LONGEST:
        return f"A token ends after today, and {LONGEST.days} days from now at most."
    return ""


def over(at: datetime, *, until: datetime, revoked_at: datetime | None) -> str:
    """Return why a token is not valid at this moment; "" if it gives its holder's rights."""
    if revoked_at is not None and at >= revoked_at:
        return "This token was revoked."
    return "This token has ended." if at >= until else ""
