"""Anything between the database's rows and their readers is named by `audit verify`."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from ledger.db import append_only, fixed_columns, guards, sheet_order
from ledger.proof.log import sealing, verifying

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SQLITE = {
    "a trigger of somebody's own": (
        "CREATE TRIGGER mine AFTER INSERT ON ledger_count BEGIN SELECT 1; END",
        ("schema_differs", "trigger mine"),
    ),
    "a trigger on a table of the framework": (
        "CREATE TRIGGER mine AFTER UPDATE ON django_session BEGIN SELECT 1; END",
        ("schema_differs", "trigger mine"),
    ),
    "a view in the place of a table": (
        "ALTER TABLE tables_waitingplace RENAME TO aside; then "
        "CREATE VIEW tables_waitingplace AS SELECT * FROM aside WHERE id < 0",
        ("schema_differs", "table tables_waitingplace"),
    ),
}
POSTGRESQL = {
    "a trigger of somebody's own": (
        "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; then "
        "CREATE TRIGGER mine BEFORE INSERT ON ledger_count FOR EACH ROW EXECUTE FUNCTION nothing()",
        ("schema_differs", "trigger mine"),
    ),
    "a view in the place of a table": (
        "ALTER TABLE tables_waitingplace RENAME TO aside; then "
        "CREATE VIEW tables_waitingplace AS SELECT * FROM aside WHERE id < 0",
        ("schema_differs", "table tables_waitingplace"),
    ),
    "a rule": (
        "CREATE RULE never AS ON INSERT TO ledger_count DO INSTEAD NOTHING",
        ("schema_differs", "table ledger_count"),
    ),
    "a row policy": (
        "CREATE POLICY unseen ON ledger_count USING (current_query() NOT LIKE '%box%')",
        ("schema_differs", "table ledger_count"),
    ),
    "rows shown by policies": (
        "ALTER TABLE ledger_count ENABLE ROW LEVEL SECURITY",
        ("schema_differs", "table ledger_count"),
    ),
    "rows of another table": (
        "CREATE TABLE more () INHERITS (ledger_count)",
        ("schema_differs", "table ledger_count"),
    ),
    "a table that a role would find first": (
        "DO $$ BEGIN EXECUTE format('CREATE SCHEMA %I', session_user || '_reader');"
        " EXECUTE format('CREATE ROLE %I', session_user || '_reader');"
        " EXECUTE format('CREATE TABLE %I.ledger_count (id int)', session_user || '_reader'); END $$",
        ("schema_differs", "table ledger_count"),
    ),
    "a table that a role is told to find first": (
        "DO $$ BEGIN EXECUTE format('CREATE ROLE %I', session_user || '_told'); END $$; then "
        "CREATE SCHEMA elsewhere; then CREATE TABLE elsewhere.ledger_count (id int); then "
        "DO $$ BEGIN EXECUTE format('ALTER ROLE %I SET search_path = elsewhere, public',"
        " session_user || '_told'); END $$",
        ("schema_differs", "table ledger_count"),
    ),
    "a database whose triggers are switched off": (
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role = replica',"
        " current_database()); END $$",
        ("schema_differs", "database {database}"),
    ),
    "a role whose triggers are switched off": (
        "DO $$ BEGIN EXECUTE format('CREATE ROLE %I', session_user || '_off');"
        " EXECUTE format('ALTER ROLE %I SET session_replication_role = replica',"
        " session_user || '_off'); END $$",
        ("schema_differs", "role {user}_off"),
    ),
    "a database that finds other functions first": (
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog',"
        " current_database()); END $$",
        ("schema_differs", "database {database}"),
    ),
    "references that are switched off": (
        "ALTER TABLE ledger_count DISABLE TRIGGER ALL; then ALTER TABLE ledger_count ENABLE TRIGGER USER",
        ("schema_differs", "table ledger_count"),
    ),
    "a disabled trigger": (
        "ALTER TABLE ledger_count DISABLE TRIGGER ledger_count_no_change",
        ("trigger_missing", "trigger ledger_count_no_change"),
    ),
    "a function that holds nothing": (
        "CREATE OR REPLACE FUNCTION ledger_site_demo_fixed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN"
        " RETURN NEW; END'",
        ("trigger_missing", "trigger ledger_site_demo_fixed"),
    ),
    "a function that looks elsewhere": (
        "ALTER FUNCTION ledger_site_demo_fixed() SET search_path TO elsewhere",
        ("trigger_missing", "trigger ledger_site_demo_fixed"),
    ),
}


def run(script):
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for statement in script.split("; then "):
            cursor.execute(statement)


def found(site):
    return {(one.code, one.record) for one in verifying.Verification(site).run()}


@pytest.fixture
def books(site):
    sealing.seal(site, now=timezone.now())
    return site


def test_honest_books_have_every_guard_and_nothing_else(books):
    assert guards.all_lacking(connection) == []
    assert [*guards.foreign(connection)] == []
    assert [*guards.damaged(connection)] == []
    assert found(books) == set()


@pytest.mark.parametrize("what", sorted(SQLITE | POSTGRESQL))
def test_what_the_house_did_not_make_is_named(books, what):
    attacks = SQLITE if connection.vendor == "sqlite" else POSTGRESQL
    if what not in attacks:  # the other database knows no such thing
        return
    script, (code, whose) = attacks[what]
    at = connection.settings_dict
    named = code, whose.format(database=at["NAME"], user=at["USER"])
    run(script)
    assert named in found(books)
    assert {code for code, _ in found(books)} <= {named[0]}


@pytest.mark.django_db(transaction=True)
def test_an_index_that_lacks_a_row_is_named(books):
    if connection.vendor == "postgresql":  # only its administrator could write an index past its table
        assert [*guards.damaged(connection)] == []
        return
    with connection.cursor() as cursor:
        cursor.execute("CREATE INDEX lying ON ledger_site (name) WHERE id < 0")
        cursor.execute("PRAGMA writable_schema = ON")
        cursor.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ' WHERE id < 0', '') WHERE name = 'lying'"
        )
        cursor.execute("PRAGMA schema_version = 1000000")
        cursor.execute("PRAGMA writable_schema = RESET")
    try:
        with transaction.atomic():
            assert ("file_damaged", "the database's file") in found(books)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP INDEX lying")


def test_a_virtual_table_is_named_whatever_its_statement_says(books):
    if connection.vendor == "postgresql":  # it has no such thing
        return
    run(
        "ALTER TABLE tables_waitingplace RENAME TO aside; then "
        "CREATE VIRTUAL TABLE tables_waitingplace USING fts5(id); then PRAGMA writable_schema = ON; then "
        "UPDATE sqlite_master SET sql = replace(sql, 'CREATE V', 'CREATE /**/ V'); then "
        "PRAGMA writable_schema = RESET"
    )
    assert ("schema_differs", "table tables_waitingplace") in found(books)


def test_a_table_that_is_gone_is_named_and_nothing_is_called_right(books, capsys):
    with connection.cursor() as cursor:
        cascade = " CASCADE" if connection.vendor == "postgresql" else ""
        if cascade:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"DROP TABLE ledger_dropsignoff{cascade}")
    assert found(books) == {("table_missing", "table ledger_dropsignoff")}
    with pytest.raises(CommandError, match="Nothing was verified"):
        call_command("audit", "verify")
    assert "table ledger_dropsignoff" in capsys.readouterr().out


def test_the_triggers_of_every_module_are_declared(books):
    declared = guards.all_lacking
    with connection.cursor() as cursor:
        for table in ("ledger_count", "ledger_site"):
            if connection.vendor == "postgresql":
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
                continue
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table])
            for (name,) in cursor.fetchall():
                cursor.execute(f'DROP TRIGGER "{name}"')
    assert declared(connection) == [
        *append_only.unprotected(connection),
        *fixed_columns.HELD.lacking(connection),
        *sheet_order.HELD.lacking(connection),
    ]
    assert len(declared(connection)) == (8 if connection.vendor == "sqlite" else 6)
