"""Restore the database after a test that commits. Django deletes from every table and migrates again, half a
second a test. Here SQLite is copied back from memory, and PostgreSQL deletes from the tables with rows, with
triggers off for the session. Within a test the triggers work."""

import sqlite3
from typing import Any

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import TransactionTestCase

from ledger.db.append_only import unprotected

_kept: dict[str, Any] = {}
"""By database: its copy, or what the migrations wrote into which tables."""


class Emptied(TransactionTestCase):
    @classmethod
    def _fixture_setup(cls):
        _setup(cls)
        for alias in cls._databases_names(include_mirrors=False):
            if alias not in _kept:
                _kept[alias] = _keep(connections[alias])

    def _fixture_teardown(self):
        for alias in self._databases_names(include_mirrors=False):
            if not _put_back(connections[alias], _kept[alias]):
                _teardown(self)


_setup = TransactionTestCase._fixture_setup.__func__
_teardown = TransactionTestCase._fixture_teardown


def put_in() -> None:
    TransactionTestCase._fixture_setup = Emptied.__dict__["_fixture_setup"]
    TransactionTestCase._fixture_teardown = Emptied._fixture_teardown


def _keep(connection: BaseDatabaseWrapper) -> Any:
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        copy = sqlite3.connect(":memory:", check_same_thread=False)
        connection.connection.backup(copy)
        return copy
    filled = _filled(connection, connection.introspection.table_names())
    return {table: _content(connection, table) for table in filled}


def _put_back(connection: BaseDatabaseWrapper, kept: Any) -> bool:
    """Restore; return whether that sufficed, else Django's own way is used."""
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        kept.backup(connection.connection)
        return True
    others = [table for table in connection.introspection.table_names() if table not in kept]
    filled = _filled(connection, others)
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table in filled:
            cursor.execute(f'DELETE FROM "{table}"')
    same = all(_content(connection, table) == content for table, content in kept.items())
    return same and not unprotected(connection)


def _filled(connection: BaseDatabaseWrapper, tables: list[str]) -> list[str]:
    asked = " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in tables
    )
    with connection.cursor() as cursor:
        cursor.execute(asked)
        return [table for (table,) in cursor.fetchall()]


def _content(connection: BaseDatabaseWrapper, table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT md5(string_agg(r::text, '|' ORDER BY r::text)) FROM \"{table}\" r")
        return cursor.fetchone()[0]
