"""Passwords known to have leaked, looked up in a local file, because the house has no internet access. The
file has one line a password, sorted, each beginning with its SHA-1 in hex, as haveibeenpwned-downloader
writes it. It may exceed the memory: a binary search reads only a few lines."""

import contextlib
import mmap
import re
from bisect import bisect_left
from collections.abc import Iterator
from hashlib import sha1

from django.conf import settings
from django.core.exceptions import ValidationError

from casino.models import Staff

DIGITS = 40
SAMPLES = 1000
_HASH = re.compile(rb"[0-9A-F]{40}")


class NotBreached:
    def validate(self, password: str, user: Staff | None = None) -> None:
        """Raise ValidationError: `breached_password`, or `no_list` if the file can't be read."""
        if not settings.BREACHED_PASSWORDS:
            return
        try:
            listed = is_listed(password, settings.BREACHED_PASSWORDS)
        except (OSError, ValueError):
            sentence = "The list of leaked passwords can't be read: call whoever runs the server."
            raise ValidationError(sentence, code="no_list") from None
        if listed:
            raise ValidationError(self.get_help_text(), code="breached_password")

    def get_help_text(self) -> str:
        return "A password that is known to have leaked can't be used."


def is_listed(password: str, path: str) -> bool:
    """Return whether the file has this password. OSError or ValueError if it is missing or empty."""
    wanted = sha1(password.encode(), usedforsecurity=False).hexdigest().upper().encode()
    with _list(path) as lines:
        at = bisect_left(range(len(lines)), wanted, key=lambda at: _line_at(lines, at)[1])
        return at < len(lines) and _line_at(lines, at)[1] == wanted


def wrong_with(path: str) -> str:
    """Check a sample of the lines; return a sentence about what is wrong, or an empty string."""
    try:
        with _list(path) as lines:
            step = max(len(lines) // SAMPLES, 1)
            seen = [_line_at(lines, at)[1] for at in range(0, len(lines), step)]
    except (OSError, ValueError) as error:
        return f"BREACHED_PASSWORDS can't be read: {error}."
    if not all(map(_HASH.fullmatch, seen)) or seen != sorted(seen):
        return "BREACHED_PASSWORDS has to be a list of SHA-1 hashes in their order, one a line."
    return ""


@contextlib.contextmanager
def _list(path: str) -> Iterator[mmap.mmap]:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as lines:
        yield lines


def _line_at(lines: mmap.mmap, at: int) -> tuple[int, bytes]:
    """Return the offset of the line that contains this byte, and its hash."""
    start = lines.rfind(b"\n", 0, at) + 1
    return start, lines[start : start + DIGITS].upper()
