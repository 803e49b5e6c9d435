"""Keys of browser sessions that say by themselves whether somebody has signed in under them.

Whoever answers requests has to know, before it asks the database anything, whom it should keep waiting: people at work or
strangers. A stranger can send any cookie. So the key of a session in which somebody has signed in ends in a mark that takes
`SECRET_KEY` to make. It says no more than that: whether the session still lives, and whose it is, the database says.
"""

from django.utils.crypto import RANDOM_STRING_CHARS, constant_time_compare, get_random_string, salted_hmac

LENGTH, MARK = 40, 12
"""Characters of a key, as many as a row of Django's holds, and of its mark. Chance has 143 bits of it (ASVS 7.2.3 asks for 128), the
mark 48, which nobody guesses over a network."""
SALT = "casino.sign_in.session_keys"


def made() -> str:
    """Return a fresh key for a session in which somebody has signed in."""
    chance = get_random_string(LENGTH - MARK, RANDOM_STRING_CHARS.lower())
    return chance + _mark(chance)


def is_of_somebody(key: str) -> bool:
    """Whether this house has made the key when somebody signed in."""
    return len(key) == LENGTH and constant_time_compare(key[-MARK:], _mark(key[:-MARK]))


def _mark(chance: str) -> str:
    return salted_hmac(SALT, chance, algorithm="sha256").hexdigest()[:MARK]
