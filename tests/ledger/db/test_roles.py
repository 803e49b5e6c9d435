"""The SQL of the database roles, without a server; tests/services runs it on one."""

from django.apps import apps

from ledger.db import append_only, roles
from ledger.db.columns import columns_of
from ledger.db.roles import LOCKED, rights


def test_every_table_has_its_rights():
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    assert [each.table for each in rights()] == sorted(tables | {"django_migrations"})


def test_what_is_written_once_is_read_and_added_to():
    given = {each.table: each.app for each in rights()}
    assert set(LOCKED) <= append_only.PROTECTED <= set(given)
    for table in append_only.PROTECTED - set(LOCKED):
        assert given[table] == "SELECT, INSERT", table


def test_a_table_of_another_app_that_is_written_once_is_held_as_well():
    append_only.register("tables_player")
    try:
        assert {each.table: each.app for each in rights()}["tables_player"] == "SELECT, INSERT"
    finally:
        append_only.PROTECTED.discard("tables_player")


def test_the_reader_is_given_nothing_but_reading():
    for each in rights():
        assert each.reader == "" or each.reader.startswith("SELECT")
        assert not {"INSERT", "UPDATE", "DELETE", "ALL"} & set(each.reader.replace(",", " ").split())


def test_the_reader_reads_the_columns_that_are_listed_and_no_others():
    given = {each.table: each.reader for each in rights()}
    assert given["casino_setuplink"] == 'SELECT ("id", "made_at", "used_at")'
    assert given["django_session"] == given["casino_attempts"] == ""
    for hashed in ("password", "pin", "code"):
        assert f'"{hashed}"' not in given["casino_staff"]


def test_the_reader_reads_the_books_and_the_floor_whole():
    given = {each.table: each.reader for each in rights()}
    for model in (*apps.get_app_config("ledger").get_models(), *apps.get_app_config("tables").get_models()):
        columns = ", ".join(f'"{field.column}"' for field in columns_of(model))
        assert given[model._meta.db_table] == f"SELECT ({columns})"


def test_a_column_that_nobody_has_placed_is_not_granted(monkeypatch):
    monkeypatch.setattr(roles, "read_columns", lambda: {"readable": {"ledger_site": ("id",)}, "withheld": {}})
    monkeypatch.setattr(roles, "columns_of", lambda table, model: ["id", "secret_of_tomorrow"])
    given = {each.table: each.reader for each in rights()}
    assert given["ledger_site"] == 'SELECT ("id")'
    assert given["ledger_account"] == ""
