"""A compiled query gives the rows that Django gives,
of every table of a house in which everything has happened."""

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.db.compiled import Compiled
from tables.models import Charge

MODELS = [model for app in ("ledger", "tables", "casino") for model in apps.get_app_config(app).get_models()]


def columns(row):
    return {name: (value, type(value)) for name, value in vars(row).items() if name != "_state"}


@pytest.mark.django_db
@pytest.mark.both_databases
def test_every_column_of_every_row_is_what_django_reads(busy_house):
    for model in MODELS:
        compiled = Compiled(lambda _, model=model: model.objects.order_by("pk"))
        wanted = [columns(row) for row in model.objects.order_by("pk")]
        first = [columns(row) for row in compiled.rows()]
        assert first == [columns(row) for row in compiled.rows()] == wanted, model


@pytest.mark.django_db
@pytest.mark.both_databases
def test_what_is_joined_is_there_and_where_nothing_is_joined_nobody_asks_for_it(busy_house):
    compiled = Compiled(
        lambda _: Charge.objects.order_by("pk"), joined="round round__match uncollected", unread="rule"
    )
    wanted = [
        (charge.round, getattr(charge.round, "match", None), getattr(charge, "uncollected", None))
        for charge in Charge.objects.select_related("round__match", "uncollected").order_by("pk")
    ]
    rows = compiled.rows()
    with CaptureQueriesContext(connection) as asked:
        found = [
            (charge.round, getattr(charge.round, "match", None), getattr(charge, "uncollected", None))
            for charge in rows
        ]
    assert found == wanted
    assert len({uncollected is None for _, _, uncollected in wanted}) == 2, (
        "some are uncollected, some are not"
    )
    assert (len(asked), rows[0].rule) == (0, Charge.objects.get(pk=rows[0].pk).rule)
