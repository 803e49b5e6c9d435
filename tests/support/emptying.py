"""Putting the database back after a test that commits: as it was after the migrations, triggers and all.

Django's own way deletes from every table and migrates the rest anew, half a second a test. Here SQLite is copied back whole
from memory, and PostgreSQL deletes from the tables that have rows, with all triggers off by one switch of the session. Within
a test the triggers hold, as they do in the house.
"""

import sqlite3
from typing import Any

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import TransactionTestCase

from ledger.db.append_only import unprotected

_kept: dict[str, Any] = {}
"""By database: its copy, or what the migrations wrote into which tables."""


class Emptied(TransactionTestCase):
    """Two methods that take the place of Django's own, `put_in` before any test."""

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
    """Have every test that commits set up and cleaned up here; a TestCase that rolls back does neither."""
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
    """Whether everything is as it was; if not, Django's own way is left to do it."""
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
    """Those that have a row."""
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
