"""Session keys that tell by themselves whether somebody has signed in under them.

The server ranks requests of people at work before strangers' without asking the database, and a stranger can
send any cookie. The key of a signed-in session therefore ends in a mark that only SECRET_KEY can make.
Whether the session still lives, and whose it is, the database says.
"""

from django.utils.crypto import RANDOM_STRING_CHARS, constant_time_compare, get_random_string, salted_hmac

LENGTH, MARK = 40, 12
"""Length of a key (Django's limit) and of its mark; 143 random bits (ASVS 7.2.3 asks for 128), 48 of mark."""
SALT = "casino.sign_in.session_keys"


def made() -> str:
    chance = get_random_string(LENGTH - MARK, RANDOM_STRING_CHARS.lower())
    return chance + _mark(chance)


def is_of_somebody(key: str) -> bool:
    return len(key) == LENGTH and constant_time_compare(key[-MARK:], _mark(key[:-MARK]))


def _mark(chance: str) -> str:
    return salted_hmac(SALT, chance, algorithm="sha256").hexdigest()[:MARK]
