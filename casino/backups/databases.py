"""Copy and restore the database: SQLite by its backup call, PostgreSQL by pg_dump and pg_restore."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

from django.core.management.base import CommandError
from django.db import connection

FILES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
# PostgreSQL's tools read these instead of arguments, which everybody on the machine could see.
_ENVIRONMENT = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
}
NOBODYS = ("--no-owner", "--no-privileges")


def copy_to(folder: Path) -> None:
    """Write a consistent copy of the database into the folder, while others write."""
    target = folder / FILES[connection.vendor]
    if connection.vendor == "postgresql":
        _run("pg_dump", *NOBODYS, "--format=custom", f"--file={target}")
        return
    connection.ensure_connection()
    with contextlib.closing(sqlite3.connect(target)) as copy:
        connection.connection.backup(copy)  # in one step, so that it is one state
        copy.execute("PRAGMA journal_mode=DELETE")
        (found,) = copy.execute("PRAGMA integrity_check").fetchone()
    if found != "ok":
        raise CommandError(f"The copy of the database is damaged: {found}")


def require_empty() -> None:
    if connection.introspection.table_names():
        name = connection.settings_dict["NAME"]
        raise CommandError(
            f"{name} has tables already: a backup is restored into an empty place. Move it away first."
        )


def require_may_create() -> None:
    """Raise CommandError if this role may not create tables: roles are set up before a restore."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, has_schema_privilege(current_schema(), 'CREATE')")
        role, may = cursor.fetchone()
    if not may:
        raise CommandError(
            f"{role} may create no tables here: run the SQL of `manage.py audit roles` in this database "
            "first, and restore as the owner of its tables (docs/operations.md, Database roles)."
        )


def put_back(folder: Path) -> None:
    source = folder / FILES[connection.vendor]
    connection.close()
    if connection.vendor == "postgresql":
        name = str(connection.get_connection_params()["dbname"])
        once = ("--exit-on-error", "--single-transaction")
        _run("pg_restore", *NOBODYS, *once, f"--dbname={name}", str(source))
    else:
        path = Path(connection.settings_dict["NAME"])
        for more in ("", "-wal", "-shm"):  # left by the empty database that the connection made
            path.with_name(path.name + more).unlink(missing_ok=True)
        shutil.copyfile(source, path)
        path.chmod(0o600)


def _run(program: str, *arguments: str) -> None:
    params = connection.get_connection_params()
    given = {name: str(params[key]) for key, name in _ENVIRONMENT.items() if params.get(key)}
    try:
        done = subprocess.run(  # noqa: S603  (a program of PostgreSQL, whose arguments are ours)
            [program, *arguments], env=os.environ | given, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise CommandError(f"{program} is missing: install the client programs of PostgreSQL.") from None
    if done.returncode:
        raise CommandError(f"{program}: {' '.join(done.stderr.split())}")
