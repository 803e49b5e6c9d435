"""Passwords, PINs and codes as hashes: Argon2, a few at a time, because each takes 100 MB while it is worked out. Long random
tokens, and what only has to be found again, by SHA-256."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from threading import BoundedSemaphore

from django.contrib.auth.hashers import Argon2PasswordHasher

from ledger.errors import LedgerError

AT_ONCE = 2
WAIT_SECONDS = 5.0
_places = BoundedSemaphore(AT_ONCE)


class TooBusy(LedgerError, status=503):
    """Too many people sign in at this moment. Try again in a few seconds."""


class FewAtATime(Argon2PasswordHasher):
    """Django's own, of which a process works out two at a time; whoever has waited long is refused (`too_busy`)."""

    def encode(self, password: str, salt: str) -> str:
        """Hash a password."""
        with _place():
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        """Say whether this is the password."""
        with _place():
            return super().verify(password, encoded)


@contextmanager
def _place() -> Iterator[None]:
    if not _places.acquire(timeout=WAIT_SECONDS):
        raise TooBusy("Many people sign in at this moment. Try again in a few seconds.")
    try:
        yield
    finally:
        _places.release()


def digest(text: str) -> str:
    """Return the SHA-256 of a token or a name, in hex."""
    return sha256(text.encode()).hexdigest()
