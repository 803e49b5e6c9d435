"""Rows read nearly as stored equal their models, on either database."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.db.stored_rows import StoredRows, field_at, moment_of
from ledger.journal.records import moment
from ledger.models import Account, JournalEntry, Site
from tables.models import Sitting, TableEvent

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.mark.parametrize("model", [Account, JournalEntry, Site, Sitting, TableEvent])
def test_every_column_is_what_the_model_has_and_a_moment_is_written_alike(game, model):
    game.seat("Ann", "Bob", "Cat")
    game.play()
    columns = [column.attname for column in model._meta.concrete_fields]
    rows = list(model.objects.values_list(*columns))
    stored = {row[0]: row for row in StoredRows(model, columns).of([pk for pk, *_ in rows])}
    assert len(stored) == len(rows) > 0
    for row in rows:
        for value, there in zip(row, stored[row[0]], strict=True):
            if isinstance(value, datetime):
                assert (moment_of(there), moment(there)) == (value, moment(value))
            else:
                assert (there, type(there)) == (value, type(value))


@pytest.mark.parametrize("micros", [0, 5, 120_000, 999_999])
def test_a_moment_that_sqlite_stores_is_written_like_any_other(micros):
    at = datetime(2026, 3, 7, 20, 0, 1, micros, UTC)
    text = at.replace(tzinfo=None).isoformat(" ")
    assert (moment(text), moment_of(text), moment_of(at)) == (moment(at), at, at)


def test_rows_are_found_by_a_number_of_another_table_in_one_query_and_no_number_is_too_large(game):
    game.seat("Ann", "Bob")
    by_table = StoredRows(
        Sitting, ("session__table__number", "seat"), by="session__table_id", order=("seat",)
    )
    table = Sitting.objects.values_list("session__table_id", flat=True)[0]
    with CaptureQueriesContext(connection) as asked:
        assert [tuple(row) for row in by_table.of([table, 10**30, -(10**30)])] == [(1, 1), (1, 2)]
        assert by_table.of([]) == []
    assert len(asked) == 1


def test_the_field_at_the_end_of_a_path_is_that_of_the_last_table():
    assert field_at(Sitting, "session__table__pk").name == "id"
    assert field_at(Sitting, "stack_id").name == "stack"
