"""Columns that are written once in rows that otherwise change: their triggers on SQLite and PostgreSQL.
Like those of append-only tables they are created again after every `migrate`; `manage.py check --database
default` and `audit verify` name missing ones."""

from django.db.backends.base.base import BaseDatabaseWrapper

from ledger.db import guards

FIXED = (("ledger_site", "demo"),)
"""Table and column. A real house stays real: a demo's passwords, which everybody knows, would open its
books."""
_SAID = "{column} of {table} is written once"
# INSERT OR REPLACE is an UPDATE that no trigger for updates sees.
_SQLITE = """
DROP TRIGGER IF EXISTS {table}_{column}_fixed;
DROP TRIGGER IF EXISTS {table}_{column}_not_replaced;
CREATE TRIGGER {table}_{column}_fixed BEFORE UPDATE ON {table} WHEN NEW.{column} IS NOT OLD.{column}
BEGIN SELECT RAISE(ABORT, '{said}'); END;
CREATE TRIGGER {table}_{column}_not_replaced BEFORE INSERT ON {table}
WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id AND {column} IS NOT NEW.{column})
BEGIN SELECT RAISE(ABORT, '{said}'); END;
"""
_POSTGRESQL = """
CREATE OR REPLACE FUNCTION {table}_{column}_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '{said}' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE OR REPLACE TRIGGER {table}_{column}_fixed BEFORE UPDATE ON {table} FOR EACH ROW
    WHEN (NEW.{column} IS DISTINCT FROM OLD.{column}) EXECUTE FUNCTION {table}_{column}_fixed();
"""


def scripts(connection: BaseDatabaseWrapper) -> list[str]:
    there, script = (
        connection.introspection.table_names(),
        _POSTGRESQL if connection.vendor == "postgresql" else _SQLITE,
    )
    return [
        script.format(table=table, column=column, said=_SAID.format(table=table, column=column))
        for table, column in FIXED
        if table in there
    ]


HELD = guards.Guard(scripts, "a real house could become a demo", "ledger.E004")
