"""Generate SQL for the PostgreSQL roles: who owns the tables, who writes to them, and who only reads.

Triggers protect write-once rows from the program; these roles protect them from anybody with the program's
password. The owner creates and alters tables and is used for upgrades only. The program's own role owns
nothing: it reads, inserts, and updates only what must change. The SQL follows from the models of every app. A
database administrator runs it; nothing here does."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.db.models import Model

from ledger.db import columns, guards
from ledger.db.append_only import PROTECTED

LOCKED = {"ledger_auditlog": "id"}
"""Write-once tables whose rows the program locks, which in PostgreSQL requires the right to UPDATE some
column. The role may update the column named here; the trigger refuses it."""
MIGRATED = frozenset(
    {"auth_group", "auth_group_permissions", "auth_permission", "django_content_type", "django_migrations"}
)
"""Tables whose rows come from migrations: the program only reads them."""
EMPTIED = frozenset(
    {
        *("casino_attempts", "casino_knownbrowser", "casino_notice", "django_session"),
        *("mfa_authenticator", "usersessions_usersession"),
    }
)
"""Tables whose rows the program also deletes."""
COLUMNS = Path(__file__).parent / "read_columns.toml"
"""The apps whose tables the reader reads whole, and the readable and withheld columns of other tables."""
SCRIPT = Path(__file__).parent / "sql" / "roles.postgresql.sql"
"""The roles and their rights, with the rights in each table to fill in."""


@dataclass(frozen=True)
class Rights:
    """The rights of the program and the reader in one table, as a GRANT list; empty for none."""

    table: str
    app: str
    reader: str


def rights() -> list[Rights]:
    models = guards.models_by_table()
    return [
        Rights(table, _app(table, models.get(table)), _reader(table, models.get(table)))
        for table in sorted(guards.tables())
    ]


@cache
def read_columns() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    written = tomllib.loads(COLUMNS.read_text())
    whole = written.pop("whole")
    lists = {
        name: {table: tuple(names.split()) for table, names in by_table.items()}
        for name, by_table in written.items()
    }
    for table, model in guards.models_by_table().items():
        if model._meta.app_label in whole:
            lists["readable"][table] = tuple(field.column for field in columns.columns_of(model))
    return lists


def columns_of(table: str, model: type[Model] | None) -> list[str]:
    """Return the columns of a table by its model; without one it is Django's table of migrations."""
    if model is None:
        return list(read_columns()["readable"][table])
    return [field.column for field in columns.columns_of(model)]


def roles_sql() -> str:
    """Return SQL that creates the three roles and grants each its rights in the current database. It can be
    run any number of times: before the first migration it creates the roles, afterwards it gives the tables
    to the owner and grants rights table by table. All other rights are revoked, from everybody else too.
    Until it is run again, the program can only read and insert into newer tables, and the reader sees none.
    It sets no passwords."""
    rows = (f"('{each.table}', '{each.app}', '{each.reader}')" for each in rights())
    return SCRIPT.read_text().format(wanted=",\n        ".join(rows))


def _app(table: str, model: type[Model] | None) -> str:
    if table in LOCKED:
        return f"SELECT, INSERT, UPDATE ({_name(LOCKED[table])})"
    if table in PROTECTED:
        return "SELECT, INSERT"
    if table in MIGRATED:
        return "SELECT"
    if table in EMPTIED:
        return "SELECT, INSERT, UPDATE, DELETE"
    if (
        model is not None and model._meta.auto_created
    ):  # pairs of a many-to-many: inserted and deleted, never changed
        return "SELECT, INSERT, DELETE"
    return "SELECT, INSERT, UPDATE"


def _reader(table: str, model: type[Model] | None) -> str:
    readable = read_columns()["readable"].get(table, ())
    granted = [column for column in columns_of(table, model) if column in readable] if readable else []
    return f"SELECT ({', '.join(map(_name, granted))})" if granted else ""


def _name(name: str) -> str:
    return f'"{name}"'
