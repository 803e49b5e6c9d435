"""Passwords, PINs and codes as hashes: Argon2, a few at a time, because each takes 100 MB while it is worked out. Long random
tokens, and what only has to be found again, by SHA-256.

Strangers and people who are signed in have places of their own, so nobody at work waits behind those who try to come in.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from threading import BoundedSemaphore, local

from django.contrib.auth.hashers import Argon2PasswordHasher

from ledger.errors import LedgerError

AT_ONCE, OF_STRANGERS = 2, 1
"""One takes what two cores have: more of them would not be sooner, and leave less for acts."""
WAIT_SECONDS = 5.0
TOO_BUSY = "Many people sign in at this moment. Try again in a few seconds."
_places, _of_strangers = BoundedSemaphore(AT_ONCE), BoundedSemaphore(OF_STRANGERS)
_here = local()


class TooBusy(LedgerError, status=503):
    """Too many people sign in at this moment. Try again in a few seconds."""


class FewAtATime(Argon2PasswordHasher):
    """Django's own, of which a process works out two at a time for those who are signed in, and one for others; whoever has
    waited long is refused (`too_busy`)."""

    def encode(self, password: str, salt: str) -> str:
        """Hash a password."""
        with _place():
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        """Say whether this is the password."""
        with _place():
            return super().verify(password, encoded)


def serve_strangers() -> None:
    """Have this thread hash in the places of those who are not signed in, from now on."""
    _here.places = _of_strangers


@contextmanager
def _place() -> Iterator[None]:
    places: BoundedSemaphore = getattr(_here, "places", _places)
    if not places.acquire(timeout=WAIT_SECONDS):
        raise TooBusy(TOO_BUSY)
    try:
        yield
    finally:
        places.release()


def digest(text: str) -> str:
    """Return the SHA-256 of a token or a name, in hex."""
    return sha256(text.encode()).hexdigest()
