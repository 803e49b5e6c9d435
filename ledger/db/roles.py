"""Generate SQL for the PostgreSQL roles: who owns the tables, who writes to them, and who only reads.

Triggers protect write-once rows from the program; these roles protect them from anybody who has the program's password.
The owner creates and alters tables and is used for upgrades only. The program's own role owns nothing: it reads, inserts,
and updates only what must change. The SQL follows from the models of every app. A database administrator runs it; nothing
here does.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.apps import apps
from django.db.models import Model

from ledger.db.append_only import PROTECTED

LOCKED = {"ledger_auditlog": "id"}
"""Write-once tables whose rows the program locks, which in PostgreSQL requires the right to UPDATE some column.

The role may update the column named here; the trigger refuses it.
"""
MIGRATED = frozenset(
    {"auth_group", "auth_group_permissions", "auth_permission", "django_content_type", "django_migrations"}
)
"""Tables whose rows come from migrations: the program only reads them."""
ADDED_TO = frozenset({"django_admin_log"})
"""Tables without triggers in which the program changes nothing all the same."""
EMPTIED = frozenset(
    {
        *("casino_attempts", "casino_notice", "django_session"),
        *("mfa_authenticator", "usersessions_usersession"),
    }
)
"""Tables whose rows the program also deletes."""
COLUMNS = Path(__file__).parent / "read_columns.toml"
"""What the reader may read, and what is withheld from it: lists of columns by table."""
LONGEST_NAME = 63
"""Bytes of a name: PostgreSQL truncates longer ones."""


@dataclass(frozen=True)
class Rights:
    """What the program and the reader may do in one table, as a GRANT list; empty means nothing."""

    table: str
    app: str
    reader: str


def rights() -> list[Rights]:
    """Return the rights in every table of the installed apps, by name of table."""
    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    tables = sorted(models.keys() | {"django_migrations"})
    return [
        Rights(table, _app(table, models.get(table)), _reader(table, models.get(table))) for table in tables
    ]


@cache
def read_columns() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the columns by list (`readable`, `withheld`) and table."""
    lists = tomllib.loads(COLUMNS.read_text())
    return {
        name: {table: tuple(columns.split()) for table, columns in by_table.items()}
        for name, by_table in lists.items()
    }


def columns_of(table: str, model: type[Model] | None) -> list[str]:
    """Return the columns that a table has by its model; those of the table of migrations are Django's."""
    if model is None:
        return list(read_columns()["readable"][table])
    return [field.column for field in model._meta.local_concrete_fields if field.column]


def roles_sql(
    *,
    owner: str = "casino_owner",
    app: str = "casino_app",
    reader: str = "casino_reader",
    schema: str = "public",
) -> str:
    """Return SQL that creates the three roles and grants each its rights in the database it is run in.

    It can be run any number of times: before the first migration it creates the roles, afterwards it gives the tables to
    the owner and grants rights table by table. All other rights are revoked, from everybody else too. Until it is run
    again, the program can only read and insert into newer tables, and the reader sees none. It sets no passwords.

    Raises ValueError for names that are empty, too long or the same.
    """
    names = (owner, app, reader)
    for name in (*names, schema):
        if not name or len(name.encode()) > LONGEST_NAME or "\0" in name:
            raise ValueError(f"{name!r} cannot be the name of a role or schema")
    if len(set(names)) < len(names):
        raise ValueError("owner, app and reader must be three different roles")
    return "\n".join(
        [
            "-- Who owns the tables, who works in them, who reads. Run it as an administrator of PostgreSQL.",
            "BEGIN;",
            "SET LOCAL client_min_messages = warning;",
            _make_roles(owner, app, reader),
            _open_the_database(owner, app, reader, schema),
            _hand_over(owner, app, reader, schema),
            "COMMIT;",
            "",
        ]
    )


def _app(table: str, model: type[Model] | None) -> str:
    if table in LOCKED:
        return f"SELECT, INSERT, UPDATE ({_name(LOCKED[table])})"
    if table in PROTECTED or table in ADDED_TO:
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


def _make_roles(owner: str, app: str, reader: str) -> str:
    """Return SQL that creates the roles. It refuses a role that could bypass every right."""
    lines = []
    for role in (owner, app, reader):
        lines += [
            f"    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {_text(role)}) THEN",
            f"        CREATE ROLE {_name(role)} LOGIN;",
            "    END IF;",
        ]
    for role in (app, reader):
        mighty = f"(rolsuper OR rolcreaterole OR pg_has_role(oid, {_text(owner)}, 'MEMBER'))"
        lines += [
            f"    IF EXISTS (SELECT FROM pg_roles WHERE rolname = {_text(role)} AND {mighty}) THEN",
            f"        RAISE EXCEPTION USING MESSAGE = {_text(f'The role {role} could grant itself any right.')};",
            "    END IF;",
        ]
    return _block(["BEGIN", *lines, "END"])


def _open_the_database(owner: str, app: str, reader: str, schema: str) -> str:
    """Return SQL for who may connect and create tables, and for the rights in later tables."""
    o, a, r, s = map(_name, (owner, app, reader, schema))
    here = "current_database()"
    everybody = [_text(owner), _text(app), _text(reader)]
    found_only_here = (
        _run("ALTER ROLE %I IN DATABASE %I SET search_path = %I", role, here, _text(schema))
        for role in everybody
    )
    later = f"ALTER DEFAULT PRIVILEGES FOR ROLE {o} IN SCHEMA {s}"
    return "\n".join(
        [
            f"CREATE SCHEMA IF NOT EXISTS {s};",
            _block(
                [
                    "BEGIN",
                    _run("REVOKE ALL ON DATABASE %I FROM PUBLIC, %I, %I", here, *everybody[1:]),
                    _run("GRANT CONNECT ON DATABASE %I TO %I, %I, %I", here, *everybody),
                    *found_only_here,
                    "END",
                ]
            ),
            _close_large_objects(owner),
            f"REVOKE ALL ON SCHEMA {s} FROM PUBLIC, {a}, {r};",
            f"GRANT USAGE, CREATE ON SCHEMA {s} TO {o};",
            f"GRANT USAGE ON SCHEMA {s} TO {a}, {r};",
            f"{later} GRANT SELECT, INSERT ON TABLES TO {a};",
        ]
    )


def _close_large_objects(owner: str) -> str:
    """Return SQL that leaves large objects to the owner: one that anybody else made could not be dumped by the owner."""
    return _block(
        [
            "DECLARE here record;",
            "BEGIN",
            "    FOR here IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace",
            "    AND (starts_with(proname, 'lo_') OR proname IN ('loread', 'lowrite')) LOOP",
            "    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', here.name);",
            f"    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', here.name, {_text(owner)});",
            "    END LOOP;",
            "END",
        ]
    )


def _hand_over(owner: str, app: str, reader: str, schema: str) -> str:
    """Return SQL for owner and rights of every existing table. Identity columns need no right to their sequences."""
    o, a, r, s = map(_text, (owner, app, reader, schema))
    rows = (f"({_text(each.table)}, {_text(each.app)}, {_text(each.reader)})" for each in rights())
    wanted = ",\n        ".join(rows)
    return _block(
        [
            "DECLARE here record;",
            "BEGIN",
            f"    FOR here IN SELECT wanted.* FROM (VALUES\n        {wanted}",  # noqa: S608 (quoted by _text)
            "    ) AS wanted (name, app, reader)",
            f"    JOIN pg_tables ON schemaname = {s} AND tablename = wanted.name LOOP",
            _run("ALTER TABLE %I.%I OWNER TO %I", s, "here.name", o),
            _run("REVOKE ALL ON TABLE %I.%I FROM PUBLIC, %I, %I", s, "here.name", a, r),
            _run("GRANT %s ON TABLE %I.%I TO %I", "here.app", s, "here.name", a),
            "    IF here.reader <> '' THEN",
            _run("GRANT %s ON TABLE %I.%I TO %I", "here.reader", s, "here.name", r),
            "    END IF;",
            "    END LOOP;",
            "    FOR here IN SELECT DISTINCT proname AS name FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid",
            "    JOIN pg_namespace ON pg_namespace.oid = pronamespace",
            f"    WHERE NOT tgisinternal AND nspname = {s} LOOP",
            _run("ALTER FUNCTION %I.%I() OWNER TO %I", s, "here.name", o),
            "    END LOOP;",
            "END",
        ]
    )


def _run(template: str, *values: str) -> str:
    """Return a statement formatted by the server: %I becomes a quoted name, %s stays as it is; the values are SQL."""
    return f"    EXECUTE format({_text(template)}, {', '.join(values)});"


def _block(lines: list[str]) -> str:
    """Return an anonymous block, dollar-quoted with a tag that does not occur in it."""
    text = "\n".join(lines)
    number = 0
    while (quote := f"$block{number or ''}$") in text:
        number += 1
    return f"DO {quote}\n{text}\n{quote};"


def _name(name: str) -> str:
    """Quote any name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    """Quote a text for SQL; with a backslash it needs the E'' form."""
    escaped = text.replace("'", "''")
    return "E'" + escaped.replace("\\", "\\\\") + "'" if "\\" in text else f"'{escaped}'"
