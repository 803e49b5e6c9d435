"""What the settings need of the machine: folder, key, database address. Imports no Django."""

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import Any

import dj_database_url

OTHERS = 0o077
"""Permissions of group and others."""


def own_folder(path: Path) -> Path:
    """Create the house's folder and restrict new files to their owner. Exits with a sentence if it can't."""
    os.umask(OTHERS)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(
            f"{path} can't hold the data of the house: {error.strerror}. CASINO_VAR names another folder."
        )
    return path


def close_to_others(folder: Path, *, but: Path) -> None:
    """Take others' permissions, left by older versions, from the owner's files, except the folder `but`."""
    for path in (folder, *folder.iterdir()):
        found = path.stat()
        if found.st_mode & OTHERS and found.st_uid == os.geteuid() and path.resolve() != but.resolve():
            path.chmod(found.st_mode & ~OTHERS)


def database(url: str) -> dict[str, Any]:
    """Return Django's database settings for this URL. ValueError if it is malformed."""
    return dict(dj_database_url.parse(url, conn_max_age=0, conn_health_checks=True))


def _try_again(pool: Any) -> None:
    pool.check()  # also reconnects when the pool has no connection left


EACH_SECOND = {"reconnect_timeout": 1, "reconnect_failed": _try_again}
"""Pool options: retry every second; by default the wait doubles each time."""


# -- the key that signs sessions -------------------------------------------------------------------


def kept_secret_key(folder: Path) -> str:
    """Return the key stored in the folder, created at the first call and readable by its owner alone."""
    path = folder / "secret_key"
    fresh = folder / f"secret_key.{os.getpid()}"
    if not path.exists():
        # Write it under another name first, so that nobody reads half a key.
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        with contextlib.suppress(FileExistsError):  # another process was first: its key holds
            os.link(fresh, path)
        fresh.unlink()
    return path.read_text().strip()
