"""R61-R63: what is due at this moment at all open tables,
also of a down that has begun and that nothing has written yet."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.journal.acts import Act
from ledger.models import Site
from tables.models import Player
from tables.reports.dues import Dues, dues_now
from tables.reports.reconciliation import open_fees
from tables.seats.buying_in import FirstBuyIn, buy_in
from tables.state.plan import planned_fees
from tables.state.table_state import state_of
from tests.support.cage import stock
from tests.support.game import OPENING, Game

pytestmark = pytest.mark.django_db


def shown(game):
    return [
        (row.seat, row.player, row.cents, row.taken)
        for table in dues_now(game.now).tables
        for row in table.rows
    ]


def test_nobody_owes_before_the_first_round_or_within_a_down_that_was_paid(game):
    game.seat("Ann", "Bob")
    assert dues_now(game.now).cents == 0
    game.play()
    assert dues_now(game.minute(39).now).tables == ()


def test_a_down_that_has_begun_is_due_though_nothing_has_been_written(game):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(40)
    assert shown(game) == [(1, "Ann", 1000, True), (2, "Bob", 1000, True)]
    (table,) = dues_now(game.now).tables
    assert (table.down, table.cents) == (2, 2000)
    assert [(row.since, row.minute) for row in table.rows] == [(game.now, 0)] * 2


def test_what_is_due_at_another_house_of_the_same_database_is_not_read(game):
    game.seat("Ann", "Bob")
    game.play()
    Site.objects.create(pk=0, name="The First Room", licence="GEGE-0")  # the house of this database
    assert dues_now(game.minute(40).now) == Dues((), ())


def test_who_came_late_owes_half_since_the_minute_of_coming(game):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(25).buy_in("Cat", 3)
    (table,) = dues_now(game.minute(30).now).tables
    (row,) = table.rows
    assert (row.cents, row.minute, row.since) == (500, 25, OPENING + timedelta(minutes=25))


def test_a_fee_that_the_stack_cannot_pay_must_be_paid_or_added_on_for(game):
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.set_stack(3, 5000)
    game.minute(41).play()
    assert shown(game) == [(3, "Cat", 1000, False)]
    assert dues_now(game.now).blocked_cents == 1000


def test_a_fee_that_is_covered_is_not_due(game, beside):
    game.seat("Ann", "Bob", "Cat")
    beside.buy_in("Dan", 1)
    beside.buy_in("Eve", 2)
    game.play()
    beside.play()
    game.minute(5).move(3, beside, 3, ordered=True)
    assert dues_now(game.now).tables == ()


def test_who_left_without_paying_stands_there_with_the_number(game):
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.set_stack(3, 500)
    game.minute(41).play()
    game.cash_out(3)
    (table,) = dues_now(game.now).tables
    (row,) = table.rows
    assert (row.seat, row.player, row.cents, row.uncollected) == (None, "Cat", 1000, (1,))


def test_a_clock_that_waits_or_stands_still_makes_nothing_due(game):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(30).sit_out(2)
    assert dues_now(game.minute(50).now).tables == ()


def test_the_board_says_what_the_verbs_would_take(game, thirty):
    game.seat("Ann", "Bob", "Cat")
    thirty.buy_in("Dan", 1)
    thirty.buy_in("Eve", 2)
    for table in (game, thirty):
        table.play()
    game.set_stack(2, 4600)
    now = game.minute(41).now
    by_verbs = {}
    for table in (game, thirty):
        state = state_of(table.fresh_session())
        for sitting in state.sittings:
            fees, _ = planned_fees(state, sitting, state.down_at(now), fresh_down=True)
            by_verbs[sitting.pk] = ([(fee.cents, fee.method) for fee in fees], str(sitting.player))
    dues = dues_now(now)
    rows = [row for table in dues.tables for row in table.rows]
    assert {
        row.sitting_id: ([(fee.cents, fee.method) for fee in row.fees], row.player) for row in rows
    } == by_verbs
    assert dues.cents == sum(fee.cents for fee in open_fees(game.site, now)) == 6000


def test_twenty_tables_cost_as_many_queries_as_two(stocked_site, floor, dealer, cashier, players):
    stock(stocked_site, chips=10**9, cash=10**9, by=cashier, second=floor, now=OPENING, key="more-chips")
    stocked_site.authorised_tables = 20
    stocked_site.save(update_fields=["authorised_tables"])

    def table(number):
        game = Game(stocked_site, floor, dealer, players, number=number)
        game.sell(60_000, cashier)
        for seat in (1, 2):
            person = Player.objects.create(site=stocked_site, name=f"Player {number}-{seat}")
            buy_in(
                session_id=game.session.pk,
                who=person,
                entry=FirstBuyIn(seat, 30_000, "chips"),
                act=Act(key=game.key(), actor=floor, now=game.now),
            )
        game.play()
        return game

    def cost():
        with CaptureQueriesContext(connection) as queries:
            dues = dues_now(OPENING + timedelta(minutes=41))
        return len(queries), dues.rows

    table(1), table(2)
    two = cost()
    for number in range(3, 21):
        table(number)
    assert (two, cost()) == ((two[0], 4), (two[0], 40))
    assert two[0] <= 10
