"""What the settings ask of the machine: a folder, numbers, a key, the address of a database. Settings read this, so no Django.

Where it can't be had, the process ends with a sentence, for a traceback tells an operator nothing.
"""

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import Any, NoReturn

import dj_database_url

OTHERS = 0o077
"""The rights of the group and of everybody else."""
SHORTEST, FEWEST_CHARACTERS = 50, 5
"""Of a key that signs sessions."""


def own_folder(path: Path) -> Path:
    """Return the folder of the house, made where it is missing. What this process writes from now on is its owner's alone."""
    os.umask(OTHERS)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _end(f"{path} can't hold the data of the house: {error.strerror}. CASINO_VAR names another folder.")
    return path


def close_to_others(folder: Path, *, but: Path) -> None:
    """Take the folder, and what lies in it, from everybody but their owner, as an older version may have left them.

    What is another's is theirs to close, and so is the folder of checkpoints (`but`), wherever it is.
    """
    for path in (folder, *folder.iterdir()):
        found = path.stat()
        if found.st_mode & OTHERS and found.st_uid == os.geteuid() and path.resolve() != but.resolve():
            path.chmod(found.st_mode & ~OTHERS)


def port(text: str) -> int:
    """Return the number of a port; 0 is any that is free."""
    if not (text.isascii() and text.isdigit() and int(text[:6]) < 2**16):
        _end(f"PORT has to be a number from 0 to {2**16 - 1}, not {text[:20]!a}.")
    return int(text)


def database(url: str) -> dict[str, Any]:
    """Return Django's settings for the database at this address."""
    try:
        return dict(dj_database_url.parse(url, conn_max_age=0, conn_health_checks=True))
    except ValueError:
        _end("DATABASE_URL has to be postgresql://user:password@host/name, or sqlite:////folder/file.")


def _try_again(pool: Any) -> None:
    pool.check()  # and where it has no connection left, it makes one


EACH_SECOND = {"reconnect_timeout": 1, "reconnect_failed": _try_again}
"""Has a pool of connections ask a database that is away every second; left to itself it waits twice as long after each time."""


def _end(sentence: str) -> NoReturn:
    sys.exit(sentence)


# -- the key that signs sessions --------------------------------------------------------------------------------


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
