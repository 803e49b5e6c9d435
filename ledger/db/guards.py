"""The objects of the schema besides rows: the house's triggers, on tables that are plain tables, and nothing
else.

The owner of the database could make the program read or write something else than `audit verify` does: by a
trigger, a view in place of a table, a rule or row policy, an index that lacks rows. Modules that create
triggers `register` their scripts; the database is compared with these."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.apps import AppConfig, apps
from django.core.checks import CheckMessage, Error, Tags, register as register_check
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.db.models.signals import post_migrate, pre_migrate

Scripts = Callable[[BaseDatabaseWrapper], Iterable[str]]
"""Returns SQL scripts that create triggers on a connection, for the tables that exist."""
Trigger = tuple[str, str]
"""The names of a table and of a trigger on it."""


Refused = tuple[str, str, str, str]
"""A table, the name of a trigger on it, the condition under which it refuses a new row, and its message."""


def refusing(table: str, wrong: Iterable[Refused]) -> Scripts:
    """Return the scripts of triggers that refuse new rows, once this table is there."""

    def scripts(connection: BaseDatabaseWrapper) -> list[str]:
        script = _refusing_postgresql if connection.vendor == "postgresql" else _refusing_sqlite
        is_there = table in connection.introspection.table_names()
        return [script(*one) for one in wrong] if is_there else []

    return scripts


def _refusing_sqlite(table: str, name: str, wrong: str, said: str) -> str:
    return f"""DROP TRIGGER IF EXISTS {table}_{name};
CREATE TRIGGER {table}_{name} BEFORE INSERT ON {table} WHEN {wrong}
BEGIN SELECT RAISE(ABORT, '{said}'); END;
"""


def _refusing_postgresql(table: str, name: str, wrong: str, said: str) -> str:
    return f"""
CREATE OR REPLACE FUNCTION {table}_{name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF {wrong} THEN
        RAISE EXCEPTION '{said}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER {table}_{name} BEFORE INSERT ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_{name}();
"""


@dataclass(frozen=True)
class Guard:
    """Triggers of one purpose, made by `scripts`, again after every `migrate`. `loss` says what could happen
    without them; `manage.py check --database default` reports it under `code`."""

    scripts: Scripts
    loss: str
    code: str

    def begin(self, app: AppConfig) -> None:
        """Make them known, from the app's `ready`."""
        register(self.scripts)
        register_check(partial(self.check), Tags.database)  # Django writes its tags on what it is given
        pre_migrate.connect(self.lift, sender=app, dispatch_uid=self.code)
        post_migrate.connect(self.protect, sender=app, dispatch_uid=self.code)

    def lift(self, using: str, plan: Sequence[Any] = (), **_: Any) -> None:
        """Drop the triggers on SQLite before a migration, which cannot rebuild a table that another one's
        trigger reads."""
        connection = connections[using]
        if connection.vendor == "sqlite" and plan:
            with connection.cursor() as cursor:
                for _table, name in _made(self.scripts(connection)):
                    cursor.execute(f"DROP TRIGGER IF EXISTS {name}")

    def protect(self, using: str, **_: Any) -> None:
        make(connections[using], self.scripts(connections[using]))

    def lacking(self, connection: BaseDatabaseWrapper) -> list[str]:
        return lacking(connection, self.scripts(connection))

    def check(self, app_configs: Any, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
        return [
            Error(
                f"The trigger {name} is missing, disabled or another one on {alias}: {self.loss}.",
                hint="Find out who removed it, then run `manage.py prepare`, which creates it again.",
                id=self.code,
            )
            for alias in databases or ()
            for name in self.lacking(connections[alias])
        ]


_declared: list[Scripts] = []
_TRIGGER = re.compile(r"^CREATE (?:OR REPLACE )?TRIGGER (\w+)\s.*?\sON (\w+)", re.DOTALL | re.MULTILINE)
_FUNCTION = re.compile(r"^CREATE OR REPLACE FUNCTION (\w+)\(\).*?\$\$(.*?)\$\$;\s*", re.DOTALL | re.MULTILINE)
_SQLITE = "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY tbl_name, name"
# PostgreSQL gives a trigger as a statement; its function counts only if it is the plain one of our statement.
_POSTGRESQL = """
  SELECT relname, tgname,
    CASE WHEN tgenabled IN ('O', 'A') THEN pg_get_triggerdef(pg_trigger.oid, true) END, proname,
    CASE WHEN lanname = 'plpgsql' AND proconfig IS NULL AND NOT prosecdef THEN prosrc END
  FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
    JOIN pg_language ON pg_language.oid = prolang
  WHERE NOT tgisinternal AND pg_table_is_visible(pg_class.oid) ORDER BY relname, tgname
"""
_OF_A_VALUE = re.compile(r"CHECK constraint failed in|\S+ value in")
# What else PostgreSQL can put between a table and its readers: the table, then what that is.
_BETWEEN = """
  SELECT relname, 'is no plain table' FROM pg_class
  WHERE relkind NOT IN ('r', 'i', 'S', 'c', 't') AND pg_table_is_visible(oid)
  UNION ALL
  SELECT relname, format('has the rule %s', rulename) FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class
  WHERE relkind = 'r' AND pg_table_is_visible(pg_class.oid)
  UNION ALL
  SELECT relname, format('has the row policy %s', polname)
  FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid
  WHERE pg_table_is_visible(pg_class.oid)
  UNION ALL
  SELECT relname, 'shows its rows by policies' FROM pg_class
  WHERE (relrowsecurity OR relforcerowsecurity) AND pg_table_is_visible(oid)
  UNION ALL
  SELECT parent.relname, format('has the rows of %s as well', child.relname)
  FROM pg_inherits JOIN pg_class AS parent ON parent.oid = inhparent
    JOIN pg_class AS child ON child.oid = inhrelid
  WHERE parent.relkind = 'r' AND pg_table_is_visible(parent.oid)
  UNION ALL
  SELECT DISTINCT relname, 'has its references switched off'
  FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE tgisinternal AND tgenabled NOT IN ('O', 'A') AND pg_table_is_visible(pg_class.oid)
  UNION ALL
  SELECT relname, format('is in the schema %s too, where some role would find it first', nspname)
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT pg_table_is_visible(pg_class.oid)
    AND (nspname = ANY (current_schemas(false)) OR nspname IN (SELECT rolname FROM pg_roles)
      OR EXISTS (SELECT FROM pg_db_role_setting, unnest(setconfig) AS said
        WHERE said LIKE 'search_path=%' AND position(nspname IN said) > 0))
  ORDER BY 1, 2
"""
# What a role, a database or the server begins each connection with: triggers off, or other functions first.
_SETTINGS = """
  SELECT coalesce('role ' || rolname, 'database ' || datname, 'every role'), said
  FROM pg_db_role_setting LEFT JOIN pg_roles ON pg_roles.oid = setrole
    LEFT JOIN pg_database ON pg_database.oid = setdatabase, unnest(setconfig) AS said
  WHERE setdatabase = 0 OR datname = current_database()
  UNION ALL SELECT 'the server', format('%s=%s', name, reset_val) FROM pg_settings
  WHERE name IN ('session_replication_role', 'search_path')
  ORDER BY 1, 2
"""
_TRIGGERS_OFF = "session_replication_role=replica"
_OTHERS_FIRST = re.compile(r"search_path=.*,\W*pg_catalog\b")


def register(scripts: Scripts) -> None:
    if scripts not in _declared:
        _declared.append(scripts)


def make(connection: BaseDatabaseWrapper, scripts: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        for script in scripts:
            # Without parameters, so that a % in plpgsql stays one.
            for statement in _statements(script) if connection.vendor == "sqlite" else [script]:
                cursor.execute(statement)


def lacking(connection: BaseDatabaseWrapper, scripts: Iterable[str]) -> list[str]:
    """Return the triggers of these scripts that are missing, disabled, or different in any letter."""
    standing = _standing(connection)
    return [name for (table, name), made in _made(scripts).items() if standing.get((table, name)) != made]


def all_lacking(connection: BaseDatabaseWrapper) -> list[str]:
    return [name for scripts in _declared for name in lacking(connection, scripts(connection))]


def tables() -> set[str]:
    return {*models_by_table(), "django_migrations"}


def models_by_table() -> dict[str, type[Model]]:
    return {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}


def missing_tables(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the tables of the installed apps that do not exist, not even as a view."""
    with connection.cursor() as cursor:
        there = {one.name for one in connection.introspection.get_table_list(cursor)}
    return sorted(tables() - there)


def foreign(connection: BaseDatabaseWrapper) -> Iterator[tuple[str, str]]:
    """Yield foreign objects between the house's tables and their readers: name, what is wrong."""
    declared = {trigger for scripts in _declared for trigger in _made(scripts(connection))}
    ours = tables()
    for table, name in _standing(connection):
        if (table, name) not in declared and (table in ours or connection.vendor == "sqlite"):
            yield f"trigger {name}", f"it is on {table}, and the house did not make it."
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT name, 'is no plain table' FROM sqlite_master"
                " WHERE type IN ('table', 'view') AND rootpage = 0 ORDER BY name"
            )
        else:
            cursor.execute(_BETWEEN)
        for table, wrong in cursor.fetchall():
            if table in ours:
                yield f"table {table}", f"it {wrong}."
        if connection.vendor == "postgresql":
            cursor.execute(_SETTINGS)
            for whose, said in cursor.fetchall():
                if said == _TRIGGERS_OFF:
                    yield whose, "it connects with the triggers switched off."
                elif _OTHERS_FIRST.match(said):
                    yield whose, "it finds other functions before those of PostgreSQL."


def damaged(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Yield what SQLite finds wrong with its file, such as an index that lacks a row; nothing on PostgreSQL.
    Reads the whole file. Values of the wrong type are left out: reading the rows reports them."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA integrity_check")
            yield from (
                wrong for (wrong,) in cursor.fetchall() if wrong != "ok" and not _OF_A_VALUE.match(wrong)
            )


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, because SQLite takes one at a time; a trigger contains semicolons."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""
    if statement.strip():
        raise ValueError(f"This script has no end: {statement.strip()[:200]}")


def _made(scripts: Iterable[str]) -> dict[Trigger, str]:
    found = {}
    for script in scripts:
        functions = dict(_FUNCTION.findall(script))
        statements = _FUNCTION.sub("", script).split(";\n") if functions else _statements(script)
        for statement in statements:
            if named := _TRIGGER.search(statement):
                (name, table), sql = named.groups(), statement[named.start() :].removesuffix(";")
                found[table, name] = _as_postgresql(sql, functions) if functions else sql
    return found


def _standing(connection: BaseDatabaseWrapper) -> dict[Trigger, str]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(_SQLITE)
            return {(table, name): sql for table, name, sql in cursor.fetchall()}
        cursor.execute(_POSTGRESQL)
        return {
            (table, name): _as_postgresql(said, {function: body}) if said and body else ""
            for table, name, said, function, body in cursor.fetchall()
        }


def _as_postgresql(trigger: str, functions: Mapping[str, str]) -> str:
    """Return a trigger with its function's body in a normal form, since PostgreSQL rewrites statements."""
    words = re.sub(r"[\s();]+", " ", trigger.replace("OR REPLACE ", "")).strip().lower()
    return words + functions.get(words.rpartition(" ")[2], "")
