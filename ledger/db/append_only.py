"""Tables whose rows are written once, and the triggers that enforce it on SQLite and PostgreSQL.

An app names its tables with `register` in its AppConfig.ready. After every `migrate` (and every flush) the triggers of
all registered tables are created again, because Django silently drops triggers when it rebuilds SQLite tables;
`manage.py check --database default` names every missing one. The SQL is in ledger/db/sql/.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

SQL_DIR = Path(__file__).parent / "sql"
Keys = dict[str, list[str]]
"""The columns of each unique key of a table, by the name of its index; the primary key's name is empty."""
_KEYS = """
  SELECT made.name AS made, '' AS key, keyed.name AS keyed, -1 AS turn, keyed.pk AS part
  FROM sqlite_master made, pragma_table_info(made.name) keyed WHERE made.type = 'table' AND keyed.pk > 0
  UNION ALL
  SELECT made.name, key.name, keyed.name, key.seq, keyed.seqno
  FROM sqlite_master made, pragma_index_list(made.name) key, pragma_index_info(key.name) keyed
  WHERE made.type = 'table' AND key."unique" AND NOT key.partial
  ORDER BY made, turn, part
"""
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
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            keys = _unique_keys(cursor)
            for table in sorted(tables):
                for statement in _statements(table, keys[table]):
                    cursor.execute(statement)
        else:
            for table in sorted(tables):  # without parameters, so that a % in plpgsql stays one
                cursor.execute(_script("postgresql").replace("{table}", table))


def unprotected(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the triggers, as `table_trigger`, of the registered tables that exist which are missing, disabled or not what
    `protect` makes."""
    existing = PROTECTED.intersection(connection.introspection.table_names())
    with connection.cursor() as cursor:
        standing = (_whole_on_sqlite if connection.vendor == "sqlite" else _whole_on_postgresql)(cursor)
    wanted = [f"{table}_{trigger}" for table in sorted(existing) for trigger in TRIGGERS[connection.vendor]]
    return [name for name in wanted if name not in standing]


def _whole_on_sqlite(cursor: CursorWrapper) -> set[str]:
    """Return the triggers that say to the letter what the script says."""
    keys = _unique_keys(cursor)
    cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
    found = cursor.fetchall()
    made = {table: set(_statements(table, keys[table])) for table in {table for _, table, _ in found}}
    return {name for name, table, sql in found if f"{sql};" in made[table]}


def _whole_on_postgresql(cursor: CursorWrapper) -> set[str]:
    """Return the enabled triggers of the right sort, without a condition, that call the script's function."""
    body = _script("postgresql").split("$$")[1]
    cursor.execute(
        """
        SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
        WHERE tgenabled IN ('O', 'A') AND NOT tgisinternal AND tgqual IS NULL AND tgattr::text = ''
          AND (tgname, tgtype) IN ((relname || '_no_change', 27), (relname || '_no_truncate', 34))
          AND proname = 'ledger_append_only' AND prosrc = %s
        """,  # 27: before each row is updated or deleted; 34: before the table is truncated
        [body],
    )
    return {name for (name,) in cursor.fetchall()}


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
                f"The trigger {name} is missing, disabled or another one on {alias}: written rows could be changed.",
                hint="Find out who removed it, then run `manage.py prepare`, which creates it again.",
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


@cache
def _script(vendor: str) -> str:
    return (SQL_DIR / f"append_only.{vendor}.sql").read_text()


def _statements(table: str, keys: Keys) -> Iterator[str]:
    """Yield the statements of SQLite's script for a table: sqlite3 executes one at a time, and a trigger contains semicolons."""
    statement = ""
    script = _script("sqlite").replace("{table}", table).replace("{taken}", _taken(table, keys))
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""


def _taken(table: str, keys: Keys) -> str:
    """Return SQL that tests whether a row with one of the new row's keys exists."""
    same = (" AND ".join(f'"{column}" = NEW."{column}"' for column in columns) for columns in keys.values())
    return " OR ".join(f'EXISTS (SELECT 1 FROM "{table}" WHERE {key})' for key in same)  # noqa: S608 (names of ours)


def _unique_keys(cursor: CursorWrapper) -> dict[str, Keys]:
    """Return the primary key and the unique keys of every table of a SQLite database.

    Partial unique indexes are left out: they need recursive_triggers on the connection, which a check verifies.
    """
    found: defaultdict[str, Keys] = defaultdict(dict)
    cursor.execute(_KEYS)
    for table, index, column, *_ in cursor.fetchall():
        found[table].setdefault(index, []).append(column)
    return found


def _recursive_triggers(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        return bool(cursor.execute("PRAGMA recursive_triggers").fetchone()[0])
