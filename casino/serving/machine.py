"""What the settings ask of the machine: a folder, a key, the address of a database. Settings read this, so no Django.

Where a folder can't be had, the process ends with a sentence, for a traceback tells an operator nothing.
"""

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import Any

import dj_database_url

OTHERS = 0o077
"""The rights of the group and of everybody else."""


def own_folder(path: Path) -> Path:
    """Return the folder of the house, made where it is missing. What this process writes from now on is its owner's alone."""
    os.umask(OTHERS)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(
            f"{path} can't hold the data of the house: {error.strerror}. CASINO_VAR names another folder."
        )
    return path


def close_to_others(folder: Path, *, but: Path) -> None:
    """Take the folder, and what lies in it, from everybody but their owner, as an older version may have left them.

    What is another's is theirs to close, and so is the folder of checkpoints (`but`), wherever it is.
    """
    for path in (folder, *folder.iterdir()):
        found = path.stat()
        if found.st_mode & OTHERS and found.st_uid == os.geteuid() and path.resolve() != but.resolve():
            path.chmod(found.st_mode & ~OTHERS)


def database(url: str) -> dict[str, Any]:
    """Return Django's settings for the database at this address. Raises ValueError where it is none."""
    return dict(dj_database_url.parse(url, conn_max_age=0, conn_health_checks=True))


def _try_again(pool: Any) -> None:
    pool.check()  # and where it has no connection left, it makes one


EACH_SECOND = {"reconnect_timeout": 1, "reconnect_failed": _try_again}
"""Has a pool of connections ask a database that is away every second; left to itself it waits twice as long after each time."""


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
