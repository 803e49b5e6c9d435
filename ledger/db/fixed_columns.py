"""Columns that are written once, in rows that otherwise change: their triggers on SQLite and PostgreSQL.

Like those of tables that are written once (append_only.py) they are made again after every `migrate`, and
`manage.py check --database default` and `audit verify` name the one that is missing.
"""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

FIXED = (("ledger_site", "demo"),)
"""Table and column. A house that is real stays so: a demo's passwords, which everybody knows, would open its books."""
_SAID = "{column} of {table} is written once"
# INSERT OR REPLACE is an UPDATE that no trigger for updates sees.
_SQLITE = {
    "{table}_{column}_fixed": "UPDATE ON {table} WHEN NEW.{column} IS NOT OLD.{column}",
    "{table}_{column}_not_replaced": (
        "INSERT ON {table} WHEN EXISTS "
        "(SELECT 1 FROM {table} WHERE id = NEW.id AND {column} IS NOT NEW.{column})"
    ),
}
_POSTGRESQL = """
CREATE OR REPLACE FUNCTION {table}_{column}_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '{said}' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE OR REPLACE TRIGGER {table}_{column}_fixed BEFORE UPDATE ON {table} FOR EACH ROW
    WHEN (NEW.{column} IS DISTINCT FROM OLD.{column}) EXECUTE FUNCTION {table}_{column}_fixed();
"""


def protect_after_migrate(using: str, **_: Any) -> None:
    """Receive post_migrate: make the triggers of every table that is there."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for table, column in _there(connection):
            names = {"table": table, "column": column, "said": _SAID.format(table=table, column=column)}
            if connection.vendor == "postgresql":
                cursor.execute(_POSTGRESQL.format(**names))
                continue
            for trigger, sql in _triggers(connection, table, column).items():
                cursor.execute(f"DROP TRIGGER IF EXISTS {trigger}")
                cursor.execute(sql)


def unprotected(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the triggers that are missing, disabled or, on SQLite, other ones than are made here."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute(
                "SELECT tgname, '' FROM pg_trigger WHERE tgenabled IN ('O', 'A') AND NOT tgisinternal"
            )
        standing = dict(cursor.fetchall())
    return [
        trigger
        for table, column in _there(connection)
        for trigger, sql in _triggers(connection, table, column).items()
        if standing.get(trigger) != sql
    ]


def check_triggers(app_configs: Any, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Return an error for each trigger that does not hold."""
    return [
        Error(
            f"The trigger {name} is missing, disabled or another one on {alias}: a real house could become a demo.",
            hint="Find out who removed it, then run `manage.py prepare`, which creates it again.",
            id="ledger.E004",
        )
        for alias in databases or ()
        for name in unprotected(connections[alias])
    ]


def _there(connection: BaseDatabaseWrapper) -> list[tuple[str, str]]:
    tables = connection.introspection.table_names()
    return [(table, column) for table, column in FIXED if table in tables]


def _triggers(connection: BaseDatabaseWrapper, table: str, column: str) -> dict[str, str]:
    """Return the name of each trigger, with its SQL on SQLite."""
    if connection.vendor == "postgresql":
        return {f"{table}_{column}_fixed": ""}
    said = _SAID.format(table=table, column=column)
    return {
        name.format(table=table, column=column): (
            f"CREATE TRIGGER {name} BEFORE {event} BEGIN SELECT RAISE(ABORT, '{said}'); END"
        ).format(table=table, column=column)
        for name, event in _SQLITE.items()
    }
