"""The key that signs sessions: made once for a demo, and judged for a real room. Settings read this, so no Django."""

import contextlib
import os
import secrets
from pathlib import Path

SHORTEST = 50
FEWEST_CHARACTERS = 5


def kept_secret_key(folder: Path) -> str:
    """Give the key kept in the folder, made at the first call and readable by its owner alone."""
    path = folder / "secret_key"
    fresh = folder / f"secret_key.{os.getpid()}"
    if not path.exists():
        # Written whole under another name first: whoever reads it meanwhile finds no half a key.
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        with contextlib.suppress(FileExistsError):  # another process was first: its key holds
            os.link(fresh, path)
        fresh.unlink()
    return path.read_text().strip()


def wrong_with(key: str) -> str:
    """Return what is wrong with a key and what to do, in a sentence; empty where it will do."""
    if not is_weak(key):
        return ""
    return (
        f"SECRET_KEY is {'weak' if key else 'missing'}: set it to at least {SHORTEST} characters, {FEWEST_CHARACTERS} of them"
        " different; python -c 'import secrets; print(secrets.token_urlsafe(64))' makes one."
    )


def is_weak(key: str) -> bool:
    """Say whether a key is too short or too uniform to be left to guessing."""
    return len(key) < SHORTEST or len(set(key)) < FEWEST_CHARACTERS or key.startswith("django-insecure-")
