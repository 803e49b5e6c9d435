"""Compiled queries return the rows of the query itself, for any ids and any moment."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from ledger.db.compiled import Compiled, after, among
from ledger.models import Account, Site
from tests.support.game import OPENING

pytestmark = pytest.mark.django_db

ACCOUNTS = Compiled(
    lambda _: Account.objects.filter(among("site_id")).annotate(house=F("site__name")).order_by("pk"),
    joined="site",
    added="house",
)


@pytest.fixture
def houses(site):
    """Three houses with an account each, made a minute apart."""
    others = (Site.objects.create(name=f"House {number}", licence=f"GEGE-00000{number}") for number in (2, 3))
    made = [site, *others]
    for minute, house in enumerate(made):
        Account.objects.create(
            site=house,
            kind="patrons",
            asset="chips",
            label=house.name,
            opened_at=OPENING + timedelta(minutes=minute),
        )
    return made


def test_one_statement_answers_for_any_number_of_ids(houses):
    for some in (houses, houses[1:], houses[:1], []):
        wanted = [account.pk for account in Account.objects.filter(site__in=some).order_by("pk")]
        assert [row.pk for row in ACCOUNTS.rows([house.pk for house in some])] == wanted


def test_rows_come_with_what_was_joined_and_added_and_ask_nothing_more(houses):
    rows = ACCOUNTS.rows([house.pk for house in houses])
    with CaptureQueriesContext(connection) as asked:
        assert [row.site.name for row in rows] == [row.house for row in rows]
        assert [row.opened_at for row in rows if row.label == "House 3"] == [OPENING + timedelta(minutes=2)]
    assert len(asked) == 0


def test_what_the_database_says_is_the_same_again_until_a_row_changes(houses):
    ids = [house.pk for house in houses]
    before = ACCOUNTS.values(ids)
    assert ACCOUNTS.values(ids) == before
    Account.objects.filter(label="House 2").update(balance_cents=0, label="House B")
    changed = [now for now, then in zip(ACCOUNTS.values(ids), before, strict=True) if now != then]
    assert [values[ACCOUNTS.column("label")] for values in changed] == ["House B"]
    assert ACCOUNTS.made(before)[0].label == houses[0].name


def test_a_statement_is_asked_for_one_id_or_one_moment_as_well(houses):
    later = Compiled(lambda site: Account.objects.filter(after("opened_at"), site=site))
    second = houses[1].pk
    assert [row.label for row in later.rows(second, OPENING)] == ["House 2"]
    assert later.rows(second, OPENING + timedelta(minutes=1)) == []


def test_a_row_that_is_not_there_is_said_as_by_the_query_itself(houses):
    by_id = Compiled(lambda pk: Site.objects.filter(pk=pk))
    assert by_id.get(houses[2].pk).name == "House 3"
    with pytest.raises(Site.DoesNotExist):
        by_id.get(0)


def test_an_id_may_be_text(houses):
    by_name = Compiled(lambda name: Site.objects.filter(name=name))
    assert [row.pk for row in by_name.rows("House 2")] == [houses[1].pk]
    assert by_name.first("House 9") is None
