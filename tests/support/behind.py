"""Change what is written once, as somebody with access to the database could: with triggers off."""

import contextlib

from django.db import connection

from ledger.db import append_only


@contextlib.contextmanager
def behind_the_constraints(table):
    """Drop this table's CHECKs inside the block. PostgreSQL restores them with the rollback."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            found = "SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = %s::regclass"
            cursor.execute(found, [table])
            for (name,) in cursor.fetchall():
                cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
            yield
            return
        cursor.execute("PRAGMA ignore_check_constraints = ON")
        try:
            yield
        finally:
            cursor.execute("PRAGMA ignore_check_constraints = OFF")


@contextlib.contextmanager
def behind_the_triggers(*tables):
    """Let these tables be changed inside the block; the check for missing triggers skips them."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET session_replication_role = replica")
            yield
            cursor.execute("SET session_replication_role = origin")
            return
        guarded = append_only.PROTECTED.intersection(tables)
        for table in tables:
            for trigger in append_only.TRIGGERS["sqlite"]:
                cursor.execute(f'DROP TRIGGER IF EXISTS "{table}_{trigger}"')
        append_only.PROTECTED.difference_update(tables)
        try:
            yield
        finally:
            append_only.PROTECTED.update(guarded)
        append_only.protect(connection, guarded)
