"""Hashing: Argon2 for passwords, PINs and codes, a few at a time (100 MB each); SHA-256 for random tokens.
Strangers and signed-in people have slots of their own, so people at work never wait behind strangers."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, local

from django.contrib.auth.hashers import Argon2PasswordHasher

from ledger.errors import LedgerError
from ledger.rules.access import digest as digest

AT_ONCE, OF_STRANGERS = 2, 1
"""Two signed-in hashes fill two cores; more would be no faster and slow down other requests."""
WAIT_SECONDS = 5.0
TOO_BUSY = "Many people sign in at this moment. Try again in a few seconds."
_places, _of_strangers = BoundedSemaphore(AT_ONCE), BoundedSemaphore(OF_STRANGERS)
_here = local()


class TooBusy(LedgerError, status=503):
    """Too many people sign in at this moment. Try again in a few seconds."""


class FewAtATime(Argon2PasswordHasher):
    """Two slots in a process for signed-in people, one for strangers. Refuses `too_busy` after a wait."""

    def encode(self, password: str, salt: str) -> str:
        with _place():
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        with _place():
            return super().verify(password, encoded)


def serve_strangers() -> None:
    """Make this thread use the strangers' slots from now on."""
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
