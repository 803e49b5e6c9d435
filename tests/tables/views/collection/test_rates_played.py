"""R64: where a table changed its rate, its papers say at which it played, and from which down."""

import re

import pytest

from ledger.journal.acts import Act
from tables.collection import rates
from tables.models import TableSession
from tables.reports.downs import name_rates
from tests.support.evening import DAY


def words(page):
    assert page.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.content.decode()))


@pytest.fixture
def changed(evening, manager):
    """Table 1 plays downs 1 and 2 at a limit of $5, and down 3 at $10."""
    game = evening
    dearer = rates.publish_rate(
        site=game.session.table.site,
        entry=rates.RateEntry(1000, 1200, "BGC-7", game.session.box.gaming_day),
        act=Act(actor=manager, now=game.now),
    )
    game.announce(dearer, 100_000)
    game.minute(81).play()
    return game


def test_the_papers_of_an_evening_have_every_limit_that_was_played(changed, at, regulator, ann):
    limits = "limit $5.00; from down 3 limit $10.00"
    sitting = changed.sitting(1).pk
    for path in (f"/audit/days/{DAY}/", f"/audit/players/{ann.pk}/?day={DAY}", f"/sittings/{sitting}/"):
        assert limits in words(at(regulator).get(path)), path


def test_where_fees_are_shown_each_limit_has_its_own(changed, at, regulator):
    old = changed.session.downs.get(number=1).rate
    said = (
        f"limit $5.00, $10.00 a player and down (option {old.option}, version {old.version},"
        f" {old.approval_reference}); from down 3"
        " limit $10.00, $12.00 a player and down (option 9, version 1, BGC-7)"
    )
    assert said in words(at(regulator).get(f"/audit/sessions/{changed.session.pk}/"))
    assert said in words(at(regulator).get(f"/audit/days/{DAY}/"))


def test_a_rate_that_is_only_announced_was_not_played(evening, at, regulator):
    page = words(at(regulator).get(f"/audit/days/{DAY}/"))
    assert "limit $5.00" in page
    assert "from down" not in page


def test_any_number_of_tables_take_two_queries(game, beside, django_assert_num_queries):
    game.seat("Ann", "Bob")
    game.play()
    opened = list(TableSession.objects.order_by("pk"))
    with django_assert_num_queries(2):
        name_rates(opened)
    assert [[rate.from_down for rate in session.rates_played] for session in opened] == [[1], [1]]
