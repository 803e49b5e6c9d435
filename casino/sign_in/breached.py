"""Passwords that have leaked somewhere before: held against a list that the house keeps, for it has no way out to ask anybody.

The list has a line for each password, which begins with its SHA-1 in hexadecimal digits, in the order of these, as
haveibeenpwned-downloader writes it. It may be larger than the memory: only the lines that are looked at are read.
"""

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
    """Refuses a password that is on the list of BREACHED_PASSWORDS, where there is one."""

    def validate(self, password: str, user: Staff | None = None) -> None:
        """Raise ValidationError for it (`breached_password`), and where the list can't be read (`no_list`)."""
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
        """The sentence beside the field."""
        return "A password that is known to have leaked can't be used."


def is_listed(password: str, path: str) -> bool:
    """Return whether the list has this password. Raises OSError or ValueError where there is none, or an empty one."""
    wanted = sha1(password.encode(), usedforsecurity=False).hexdigest().upper().encode()
    with _list(path) as lines:
        at = bisect_left(range(len(lines)), wanted, key=lambda at: _line_at(lines, at)[1])
        return at < len(lines) and _line_at(lines, at)[1] == wanted


def wrong_with(path: str) -> str:
    """Return what is wrong with the list, as far as some of its lines say, in a sentence; empty where it will do."""
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
    """Return where the line begins that has this byte, and its hash."""
    start = lines.rfind(b"\n", 0, at) + 1
    return start, lines[start : start + DIGITS].upper()
