"""Tables whose rows are written once, and the triggers that enforce it on SQLite and PostgreSQL.

An app names its tables with `register` in its AppConfig.ready. After every `migrate` (and every flush) the triggers of
all registered tables are created again, because Django silently drops triggers when it rebuilds SQLite tables;
`manage.py check --database default` names every missing one. The SQL is in ledger/db/sql/.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

SQL_DIR = Path(__file__).parent / "sql"
PROTECTED: set[str] = set()
"""The registered database tables of all apps."""
TRIGGERS = {
    "sqlite": ("no_update", "no_delete", "no_replace"),
    "postgresql": ("no_change", "no_truncate"),
}


def register(*tables: str) -> None:
    """Register database tables whose rows are written once. Called from AppConfig.ready, any number of times."""
    PROTECTED.update(tables)


def protect(connection: BaseDatabaseWrapper, tables: Iterable[str]) -> None:
    """Create or replace the triggers of these tables on this connection. Every table must exist."""
    script = (SQL_DIR / f"append_only.{connection.vendor}.sql").read_text()
    with connection.cursor() as cursor:
        for table in sorted(tables):
            sql = script.replace("{table}", table)
            if connection.vendor == "sqlite":
                for statement in _statements(sql.replace("{taken}", _taken(cursor, table))):
                    cursor.execute(statement)
            else:
                cursor.execute(sql)  # without parameters, so that a % in plpgsql stays one


def unprotected(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the missing or disabled triggers, as `table_trigger`, of the registered tables that exist."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute("SELECT tgname FROM pg_trigger WHERE tgenabled IN ('O', 'A') AND NOT tgisinternal")
        standing = {name for (name,) in cursor.fetchall()}
    existing = PROTECTED.intersection(connection.introspection.table_names())
    wanted = [f"{table}_{trigger}" for table in sorted(existing) for trigger in TRIGGERS[connection.vendor]]
    return [name for name in wanted if name not in standing]


def protect_after_migrate(using: str, **_: Any) -> None:
    """Receive post_migrate: create triggers for every registered table that exists by now."""
    connection = connections[using]
    if connection.vendor in TRIGGERS:
        protect(connection, PROTECTED.intersection(connection.introspection.table_names()))


def check_triggers(app_configs: Any, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Return an error for each missing or disabled trigger, and for a SQLite connection that lets REPLACE pass."""
    errors: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if connection.vendor not in TRIGGERS:
            errors.append(Error(f"The books cannot be kept on {connection.vendor}.", id="ledger.E001"))
            continue
        errors += [
            Error(
                f"The trigger {name} is missing or disabled on {alias}: written rows could be changed.",
                hint="Find out who removed it, then run `manage.py migrate --skip-checks`, which creates it again.",
                id="ledger.E002",
            )
            for name in unprotected(connection)
        ]
        if connection.vendor == "sqlite" and not _recursive_triggers(connection):
            errors.append(
                Error(
                    f"recursive_triggers is off on {alias}: INSERT OR REPLACE could pass the triggers.",
                    hint="Set PRAGMA recursive_triggers=ON in the init_command of DATABASES.",
                    id="ledger.E003",
                )
            )
    return errors


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements: sqlite3 executes one at a time, and a trigger contains semicolons."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _taken(cursor: CursorWrapper, table: str) -> str:
    """Return SQL that tests whether a row with the new row's primary key or a unique key exists.

    Partial unique indexes are left out: they need recursive_triggers on the connection, which a check verifies.
    """
    cursor.execute("SELECT name FROM pragma_table_info(%s) WHERE pk > 0 ORDER BY pk", [table])
    keys = [[name for (name,) in cursor.fetchall()]]
    cursor.execute('SELECT name FROM pragma_index_list(%s) WHERE "unique" AND NOT partial', [table])
    for (index,) in cursor.fetchall():
        cursor.execute("SELECT name FROM pragma_index_info(%s) ORDER BY seqno", [index])
        keys.append([name for (name,) in cursor.fetchall()])
    same = (" AND ".join(f'"{column}" = NEW."{column}"' for column in columns) for columns in keys)
    return " OR ".join(f'EXISTS (SELECT 1 FROM "{table}" WHERE {key})' for key in same)  # noqa: S608 (names of ours)


def _recursive_triggers(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        return bool(cursor.execute("PRAGMA recursive_triggers").fetchone()[0])
