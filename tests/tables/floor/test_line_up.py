"""The dealers' line-up of a house: ordered by the floor, logged, and read from pushes."""

import pytest

from ledger.errors import Refusal
from ledger.journal.acts import Act
from tables.floor.line_up import line_rows, order_line, proposed
from tests.support.replayed import bodies, judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def zoe(employ):
    return employ("zoe", "dealer")


@pytest.fixture
def order(game, floor):
    """`order(dealer, does)`: what the floor says."""

    def say(dealer, does, who=floor, key=""):
        act = Act(who, game.now, key or game.key(), "floor tablet")
        order_line(site=game.site, dealer=dealer, does=does, act=act)

    return say


def refused(order, *args, **options):
    with pytest.raises(Refusal) as error:
        order(*args, **options)
    return error.value.code


def row_of(game, dealer):
    return next(row for row in line_rows(game.site, game.now) if row.dealer == dealer)


def test_an_order_is_a_record_that_holds_and_counts_once(game, order, zoe):
    key = game.key()
    order(zoe, "line", key=key)
    order(zoe, "line", key=key)
    order(zoe, "break")
    said = [body["data"]["does"] for body in bodies() if body.get("kind") == "line_ordered"]
    assert said == ["line", "break"]
    assert judged(bodies())[0] == []
    assert refused(order, zoe, "off", key=key) == "key_reused"


def test_what_cannot_be_ordered_says_why(game, order, zoe, dealer, cashier):
    assert refused(order, dealer, "break") == "dealer_deals"
    assert refused(order, zoe, "break") == "nothing_changes"
    assert refused(order, cashier, "line") == "not_a_dealer"
    assert refused(order, zoe, "line", who=dealer) == "not_allowed"


def test_the_line_tells_minutes_hours_rounds_and_who_is_next(game, order, zoe, dealer):
    game.seat("Ann", "Bob")
    game.play()
    order(zoe, "line")
    game.minute(30)
    here, waits = row_of(game, dealer), row_of(game, zoe)
    assert (here.table, here.rounds, here.hands) == (game.session, 1, 2)
    assert here.dealt_seconds == here.minutes * 60
    assert (waits.standing.place, waits.is_next, here.is_next) == ("in_line", True, False)
    game.push(zoe)
    assert row_of(game, dealer).is_next
    assert proposed(game.site, game.now, leaving=dealer.pk) is None


def test_an_expired_licence_is_told_and_is_not_proposed(game, order, zoe):
    zoe.badge_expires = game.now.date().replace(year=2025)
    zoe.save(update_fields=["badge_expires"])
    order(zoe, "line")
    assert row_of(game, zoe).licence_days < 0
    assert proposed(game.site, game.now) is None


def test_a_dealer_whose_table_closes_is_in_line(game, floor2, dealer):
    game.close(floor2)
    assert row_of(game, dealer).standing.place == "in_line"
