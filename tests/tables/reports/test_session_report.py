"""A table's session and a player's day: their figures fit each other,
and say so where somebody has changed one."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.journal.acts import Act
from ledger.models import Account
from tables.floor import opening
from tables.models import Claim, Player, TableSession
from tables.reports import statement_csv
from tables.reports.session_report import session_report, sessions_to_report
from tables.reports.statements import player_day
from tests.support.game import LOW, OPENING, PLAIN, QUEENS
from tests.support.kept import kept

pytestmark = pytest.mark.django_db


@kept
def evening(game, beside, cashier, floor2):
    """Fees from stacks, in cash and at the cage; a second box, a move, a correction that leaves a claim,
    a void round.

    Ann and Eve still sit at table 1, Bob at table 2, and Cat has cashed out.
    """
    game.seat("Ann", "Bob", "Cat")
    first = game.play((PLAIN, LOW, QUEENS), in_cash=[1])
    opening.change_box(
        session_id=game.session.pk, second=floor2, act=Act(key="second box", actor=game.floor, now=game.now)
    )
    game.minute(25).buy_in("Eve", 5)
    game.pay(5, "cage", actor=cashier)
    game.minute(30).move(2, beside, 1, ordered=True)
    game.cash_out(3)
    game.approve(game.ask(first, (LOW, PLAIN, QUEENS)), actor=floor2)
    game.minute(41).play((PLAIN, LOW))
    game.void(game.minute(45).start())
    return game


def report_of(game):
    return session_report(sessions_to_report().get(pk=game.session.pk))


def broken(report):
    """What does not fit, in its sentences."""
    return [proof.says for proof in report.proofs if not proof.fits]


def test_after_an_evening_with_everything_in_it_every_figure_fits(evening, beside):
    for game in (evening, beside):
        assert broken(report_of(game)) == []
    report = report_of(evening)
    assert report.totals.carried_away_cents == report_of(beside).totals.carried_in_cents > 0
    assert (report.settled, report.void) == (2, 1)
    assert (report.sums.cash_cents, report.sums.cage_cents) == (1000, 500)
    assert [row.box.number for row in report.boxes] == sorted(row.box.number for row in report.boxes)
    assert len(report.boxes) == 2


def test_once_everybody_has_left_and_the_table_is_closed_nothing_is_left(evening, floor2):
    for seat in evening.stacks():
        evening.cash_out(seat)
    evening.close(floor2)
    report = report_of(evening)
    assert broken(report) == []
    assert report.held_cents == 0
    assert [bank.held_cents for bank in report.banks] == [0, 0]


@pytest.mark.parametrize(
    ("which", "says"),
    [
        ("stack", "What came to the stacks less what left them is what lies on them."),
        ("bank_chips", "What came into the bank in chips less what left it is what it holds."),
        ("bank_cash", "What came into the bank in cash less what left it is what it holds."),
    ],
)
def test_a_balance_that_somebody_changed_is_named_and_nothing_else(evening, which, says):
    account = evening.sitting(1).stack_id if which == "stack" else getattr(evening.session, f"{which}_id")
    Account.objects.filter(pk=account).update(balance_cents=1)
    report = report_of(evening)
    assert broken(report) == [says]
    assert not report.adds_up


def test_the_rounds_of_a_session_have_their_entries_and_who_won(evening):
    rows = report_of(evening).rounds
    assert [row.round.number for row in rows] == [1, 2, 3]
    assert [len(row.entries) for row in rows] == [2, 1, 0]
    assert all(sum(cents for _, _, cents in row.net) == 0 for row in rows)
    assert rows[0].corrected


def test_a_session_costs_the_same_after_one_round_and_after_many(game):
    game.seat("Ann", "Bob", "Cat")
    game.play()

    def cost():
        with CaptureQueriesContext(connection) as queries:
            report_of(game)
        return len(queries)

    one = cost()
    for minute in (10, 20, 41, 50):
        for seat in (1, 2, 3):
            game.set_stack(seat, 50_000)
        game.minute(minute).play()
    assert cost() == one


def test_the_csv_of_a_session_has_the_figures_of_its_page(evening):
    report = report_of(evening)
    rows = list(csv.DictReader(io.StringIO("".join(statement_csv.session_lines(report)))))
    won = [row["amount"] for row in rows if (row["part"], row["figure"]) == ("sitting", "won")]
    assert len(won) == len(report.sittings)
    assert sum(round(float(amount) * 100) for amount in won) == 0
    proofs = [row["amount"] for row in rows if row["part"] == "proof"]
    assert proofs[::2] == proofs[1::2]


def day_of(player):
    return player_day(player, OPENING, OPENING.replace(day=8))


def test_a_players_day_adds_up_over_two_tables(evening, bob):
    day = day_of(bob)
    assert [str(one.sitting.session.table) for one in day.statements] == ["Table 1", "Table 2"]
    assert day.adds_up
    assert day.carried_cents == 0
    totals = day.totals
    came = totals.bought_in_cents + totals.won_cents
    assert came - totals.collected_cents - totals.cashed_out_cents == day.held_cents > 0


def test_a_players_day_has_fees_however_they_were_paid_and_claims(evening, ann, eve, cat):
    assert (day_of(ann).fees_in_cash_cents, day_of(ann).charged_cents) == (1000, 2000)
    assert day_of(eve).fees_in_cash_cents == 500
    claims = [claim for claim in Claim.objects.order_by("number") if cat in (claim.debtor, claim.creditor)]
    assert list(day_of(cat).claims) == claims != []


def test_somebody_who_was_not_here_has_an_empty_day(site, evening):
    day = day_of(Player.objects.create(site=site, name="Zoe"))
    assert (day.statements, day.claims, day.held_cents) == ((), (), 0)


@pytest.mark.parametrize("who", ["floor", "dealer", "cashier", "counter1"])
@pytest.mark.parametrize("page", ["audit/sessions/{}/", "audit/sessions/{}/session.csv"])
def test_a_session_is_for_those_who_read_the_books(screen, evening, request, who, page):
    person = request.getfixturevalue(who)
    assert screen.as_(person).get(f"/{page.format(evening.session.pk)}").status_code == 403


def test_the_page_of_a_session_says_that_it_fits_and_where_it_does_not(screen, evening, regulator):
    address = f"/audit/sessions/{evening.session.pk}/"
    assert "All of them" in screen.as_(regulator).get(address).content.decode()
    bank = TableSession.objects.get(pk=evening.session.pk).bank_cash_id
    Account.objects.filter(pk=bank).update(balance_cents=1)
    page = screen.get(address).content.decode()
    assert "Not all of them" in page
    assert page.count("Differs") == 1
