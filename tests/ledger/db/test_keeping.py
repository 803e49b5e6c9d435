"""Every model says how its rows are kept; silence, and records that nobody writes, are refused."""

from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import IntegrityError, connection, transaction

from casino.models import Staff
from ledger.db import append_only, keeping
from ledger.db.keeping import mutable, recorded
from ledger.db.roles import columns_of, read_columns
from ledger.journal.records import check_models
from ledger.models import AuditRecord, Count, Exclusion, Site
from tables.models import Table

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def saying(monkeypatch):
    """`saying(kept)`: the house's model, or another, says this, or nothing at all."""

    def say(kept, model=Site):
        if kept is None:
            monkeypatch.delattr(model, "keeping")
        else:
            monkeypatch.setattr(model, "keeping", kept)
        return [(error.id, error.obj) for error in check_models()]

    return say


def test_every_model_of_the_house_says_how_its_rows_are_kept():
    assert check_models() == []
    ours = {app for app in apps.get_app_configs() if (ROOT / app.label).is_dir()}
    assert {app.label for app in ours} == set(keeping.APPS)
    assert set(keeping.models()) == {model for app in ours for model in app.get_models()}


@pytest.mark.parametrize("model", [Site, Table, Staff])
def test_a_model_that_is_silent_is_refused_by_manage_check(saying, model):
    assert saying(None, model) == [("ledger.E010", model)]
    with pytest.raises(SystemCheckError, match=f"{model.__name__} does not say how its rows are kept"):
        call_command("check")


@pytest.mark.parametrize(
    ("kept", "code"),
    [("mutable", "ledger.E010"), (mutable(), "ledger.E011"), (mutable("gossip"), "ledger.E012")],
)
def test_what_a_model_says_has_to_hold(kept, code, saying):
    assert saying(kept) == [(code, Site)]


def test_a_reason_may_stand_for_a_record(saying):
    assert saying(mutable(why="Nothing reads it.")) == []


def test_a_table_that_is_written_once_and_may_begin_before_one_is_refused(monkeypatch):
    monkeypatch.setattr(Count._meta, "constraints", Count._meta.constraints[1:])
    assert [(error.id, error.obj) for error in check_models()] == [("ledger.E013", Count)]


@pytest.mark.both_databases
@pytest.mark.django_db
def test_the_database_numbers_what_is_written_once_from_one():
    with connection.cursor() as cursor:
        for table in sorted(append_only.PROTECTED):
            checks = {
                name
                for name, one in connection.introspection.get_constraints(cursor, table).items()
                if one["check"]
            }
            assert f"{table}_numbered_from_one" in checks


@pytest.mark.both_databases
@pytest.mark.django_db
@pytest.mark.parametrize("number", [0, -1])
def test_the_database_refuses_a_row_before_the_first(stocked_site, number):
    entry = stocked_site.entries.order_by("-pk")[0]
    entry.pk, entry.key = number, "before the first"
    with pytest.raises(IntegrityError, match="numbered_from_one"), transaction.atomic():
        type(entry).objects.bulk_create([entry])


def test_triggers_hold_what_says_that_it_is_written_once_and_nothing_else():
    once = {name for label in keeping.APPS for name in keeping.tables_written_once(label)}
    assert once == append_only.PROTECTED
    assert {"ledger_journalentry", "ledger_count", "tables_charge", "tables_tableevent"} <= once
    assert not {"ledger_account", "ledger_site", "tables_sitting", "tables_round"} & once


def test_every_column_is_either_readable_by_who_only_reads_or_withheld():
    """A new column must be listed in ledger/db/read_columns.toml, and a removed one must leave it."""
    columns = read_columns()
    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    tables = {*models, *columns["readable"], *columns["withheld"]}
    for table in sorted(tables):
        placed = sorted(columns["readable"].get(table, ()) + columns["withheld"].get(table, ()))
        assert placed == sorted(columns_of(table, models.get(table))), table


def test_what_is_withheld_says_so():
    assert Exclusion.keeping.withheld
    assert not Count.keeping.withheld
    assert recorded("count") == Count.keeping
    assert AuditRecord.keeping.records == ()
    assert Staff.keeping.records == ("house_event",)
