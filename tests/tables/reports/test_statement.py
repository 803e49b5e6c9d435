"""The statement of a sitting: every line, the sums, the house's clock,
and what a correction leaves behind."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Sitting
from tables.reports.statements import statement
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS

pytestmark = pytest.mark.django_db


def of(game, seat):
    sittings = Sitting.objects.select_related("player", "stack", "session__table__site", "session__sheet")
    return statement(sittings.get(session=game.session, seat=seat))


def kinds(lines):
    return [line.kind for line in lines]


def test_every_line_ends_in_the_stack_that_the_books_hold(game):
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.add_on(1, 500)
    game.minute(41).play()
    ann = of(game, 1)
    assert kinds(ann.lines) == ["buy_in", "collection", "round", "add_on", "collection", "round"]
    assert ann.lines[-1].stack_cents == game.stack(1)
    assert [line.down for line in ann.lines if line.down] == [1, 2]
    assert [line.round.number for line in ann.lines if line.round] == [1, 2]


def test_the_totals_add_up_to_the_stack_and_to_nothing_once_the_player_has_left(game):
    game.seat("Ann", "Bob")
    game.play((PLAIN, LOW))
    totals = of(game, 1).totals
    assert totals.bought_in_cents == 30_000
    assert totals.collected_cents == 1000
    assert totals.stack_cents == game.stack(1)
    assert totals.won_cents + of(game, 2).totals.won_cents == 0
    game.cash_out(1)
    assert of(game, 1).totals.stack_cents == 0
    assert of(game, 1).totals.cashed_out_cents == Sitting.objects.get(seat=1).taken_away_cents


def test_a_rounds_line_says_who_paid_what(game):
    game.seat("Ann", "Bob", "Cat")
    game.play((QUEENS, FULL_HOUSE, PLAIN))
    line = of(game, 1).lines[-1]
    assert {part.other for part in line.parts} == {"Bob in seat 2", "Cat in seat 3"}
    assert sum(part.cents for part in line.parts) == line.cents


def test_a_round_in_which_nothing_moved_is_a_line_all_the_same(game):
    # Two segments against one with a pair of sixes in front: two points each way.
    kings = {"front": "Kc Qd 9s", "middle": "Ac Ad 7h 5c 3s", "back": "Ts Th Td 4c 2s"}
    sixes = {"front": "6s 6d 2c", "middle": "8s 8d Js 4h 3c", "back": "9c 9d 7s 7d Kd"}
    game.seat("Ann", "Bob")
    game.play((kings, sixes))
    line = of(game, 1).lines[-1]
    assert (line.kind, line.round.number, line.cents, line.parts) == ("round", 1, 0, ())


def test_a_correction_shows_the_reversal_and_the_new_settlement_with_the_round(game):
    game.seat("Ann", "Bob")
    request = game.ask(game.play((PLAIN, LOW)), (LOW, PLAIN))
    game.approve(request)
    ann = of(game, 1)
    assert kinds(ann.lines) == ["buy_in", "collection", "round", "reversal", "correction"]
    assert [line.round.number for line in ann.lines[2:]] == [1, 1, 1]
    assert ann.lines[2].cents == -ann.lines[3].cents
    assert ann.lines[3].entry.reason == "the dealer read a nine for a six"
    assert ann.totals.stack_cents == game.stack(1)


def test_what_a_correction_could_not_move_is_a_claim_on_both_statements(game):
    game.seat("Ann", "Bob")
    request = game.ask(game.play((PLAIN, LOW)), (LOW, PLAIN))
    game.cash_out(1)
    game.approve(request)
    (claim,) = of(game, 1).claims
    assert (str(claim.debtor), str(claim.creditor)) == ("Ann", "Bob")
    assert of(game, 2).claims == (claim,)


def test_fees_are_listed_however_they_were_paid_and_those_still_due(game):
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(3, 5000)
    game.start(in_cash=[1])
    assert [charge.payment.method for charge in of(game, 1).charges] == ["cash"]
    assert [charge.payment.method for charge in of(game, 2).charges] == ["stack"]
    assert of(game, 3).due_cents == 1000
    assert kinds(of(game, 1).lines) == ["buy_in"]


def test_an_entry_recorded_late_says_both_times(screen, game, floor2):
    game.minute(5).buy_in("Ann", 1, entered_at=game.now)
    game.minute(9).buy_in("Bob", 2, entered_at=game.minute(6).now, now=game.minute(9).now)
    assert not of(game, 1).lines[0].late
    assert of(game, 2).lines[0].late
    page = screen.get(f"/sittings/{game.sitting(2).pk}/").content.decode()
    assert "12:06:00" in page
    assert "entered 12:09:00" in page


def test_the_page_shows_the_houses_clock_and_links_each_round(screen, game):
    game.seat("Ann", "Bob")
    round_ = game.minute(90).play((PLAIN, LOW))
    page = screen.get(f"/sittings/{game.sitting(1).pk}/").content.decode()
    assert "13:30:00" in page
    assert f"/rounds/{round_.pk}/" in page
    assert "Sat 7 Mar 2026, 12:00" in page


def test_a_statement_costs_the_same_after_one_round_and_after_many(screen, game):
    game.seat("Ann", "Bob", "Cat")
    game.play()
    path = f"/sittings/{game.sitting(1).pk}/"

    def cost():
        screen.get(path)
        with CaptureQueriesContext(connection) as captured:
            screen.get(path)
        return len(captured)

    one = cost()
    for _ in range(4):
        for seat in (1, 2, 3):
            game.set_stack(seat, 50_000)
        game.play()
    assert cost() == one


def test_statements_are_for_those_who_read_tables(screen, game, counter1, dealer):
    game.seat("Ann", "Bob")
    path = f"/sittings/{game.sitting(1).pk}/"
    assert screen.as_(dealer).get(path).status_code == 200
    assert screen.as_(counter1).get(path).status_code == 403
