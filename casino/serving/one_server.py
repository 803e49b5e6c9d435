"""One server for each SQLite file: two would each have a scheduler, a cache and live screens of their own."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from django.core.management.base import CommandError
from django.db import connection

_held = False


@contextlib.contextmanager
def only_server() -> Iterator[None]:
    """Lock this house's SQLite file for the block. CommandError if another process serves it."""
    global _held
    if connection.vendor != "sqlite" or _held:
        yield
        return
    path = Path(f"{connection.settings_dict['NAME']}.server")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    except OSError as error:
        raise CommandError(
            f"Can't write {path}: {error.strerror}. The house has to write its folder."
        ) from None
    with contextlib.closing(os.fdopen(descriptor, "w")) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CommandError(
                f"Another server works on {connection.settings_dict['NAME']}: stop it first. Several servers "
                "need PostgreSQL and Redis (DATABASE_URL, REDIS_URL)."
            ) from None
        _held = True
        try:
            yield
        finally:
            _held = False
