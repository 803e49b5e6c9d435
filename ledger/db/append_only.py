"""Tables whose rows are written once, and the triggers that enforce it on SQLite and PostgreSQL.

Apps `register` their tables in AppConfig.ready. After every `migrate` (and flush) all their triggers are
created again, because Django drops triggers when it rebuilds SQLite tables; `manage.py check --database
default` names missing ones. The SQL is in ledger/db/sql/."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from ledger.db import guards

SQL_DIR = Path(__file__).parent / "sql"
Keys = dict[str, list[str]]
"""Columns of each unique key of a table, by index name; the primary key's name is empty."""
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
TRIGGERS = {"sqlite": ("no_update", "no_delete", "no_replace"), "postgresql": ("no_change", "no_truncate")}


def register(*tables: str) -> None:
    """Register tables whose rows are written once; AppConfig.ready may call it again."""
    PROTECTED.update(tables)


def protect(connection: BaseDatabaseWrapper, tables: Iterable[str]) -> None:
    """Create or replace the triggers of these tables on this connection. Every table must exist."""
    guards.make(connection, _scripts(connection, tables))


def unprotected(connection: BaseDatabaseWrapper) -> list[str]:
    """Return `table_trigger` for each registered table whose trigger is missing, disabled or altered."""
    return guards.lacking(connection, scripts(connection))


def scripts(connection: BaseDatabaseWrapper) -> list[str]:
    return _scripts(connection, PROTECTED.intersection(connection.introspection.table_names()))


def protect_after_migrate(using: str, **_: Any) -> None:
    connection = connections[using]
    if connection.vendor in TRIGGERS:
        guards.make(connection, scripts(connection))


def check_triggers(app_configs: Any, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Return an error for each missing or disabled trigger, or a SQLite that lets REPLACE pass."""
    errors: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if connection.vendor not in TRIGGERS:
            errors.append(Error(f"The books cannot be kept on {connection.vendor}.", id="ledger.E001"))
            continue
        errors += [
            Error(
                f"The trigger {name} is missing, disabled or another one on {alias}: written rows could be"
                " changed.",
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


def _scripts(connection: BaseDatabaseWrapper, tables: Iterable[str]) -> list[str]:
    script = _script(connection.vendor)
    if connection.vendor != "sqlite":
        return [script.replace("{table}", table) for table in sorted(tables)]
    with connection.cursor() as cursor:
        keys = _unique_keys(cursor)
    return [
        script.replace("{table}", table).replace("{taken}", _taken(table, keys[table]))
        for table in sorted(tables)
    ]


def _taken(table: str, keys: Keys) -> str:
    same = (" AND ".join(f'"{column}" = NEW."{column}"' for column in columns) for columns in keys.values())
    return " OR ".join(f'EXISTS (SELECT 1 FROM "{table}" WHERE {key})' for key in same)  # noqa: S608


def _unique_keys(cursor: CursorWrapper) -> dict[str, Keys]:
    """Return the primary key and the unique keys of every table of a SQLite database. Partial unique indexes
    are left out: they need recursive_triggers on the connection, which a check verifies."""
    found: defaultdict[str, Keys] = defaultdict(dict)
    cursor.execute(_KEYS)
    for table, index, column, *_ in cursor.fetchall():
        found[table].setdefault(index, []).append(column)
    return found


def _recursive_triggers(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        return bool(cursor.execute("PRAGMA recursive_triggers").fetchone()[0])
