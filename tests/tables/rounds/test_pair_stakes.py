"""R32: two players may agree on a stake of their own, where the sheet has pair stakes;
it stands for the round."""

import json
from decimal import Decimal

import pytest

from ledger.errors import LedgerError
from tables.errors import TableError
from tables.models import Charge, Round, TableEvent
from tables.rules.errors import RuleError
from tables.rules.game.rounds import library, parse_round, score
from tests.support.acting import acting
from tests.support.answers import answer_to
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.support.kept import kept


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError, RuleError)) as error:
        acting(call, *args, **options)
    return error.value.code


def evidence(round_):
    return json.loads(round_.settlements.order_by("-ordinal")[0].entry.evidence)


@kept
def three(table_of):
    """Ann, Bob and Cat at a $5 table of a game with pair stakes."""
    table = table_of("pokerlistings")
    table.seat("Ann", "Bob", "Cat")
    return table


def test_r32_the_stake_of_a_pair_is_their_money_and_nobody_elses(three):
    round_ = three.play([QUEENS, FULL_HOUSE, PLAIN], pair_stakes={(1, 3): 1000})
    kept = evidence(round_)
    points = {(1, 3): Decimal(10)}
    for payment in answer_to(round_)["payments"]:
        pair = tuple(sorted((payment["from"], payment["to"])))
        assert Decimal(payment["due"]) == payment["points"] * points.get(pair, 5)
    pairs = {tuple(sorted((payment["from"], payment["to"]))) for payment in answer_to(round_)["payments"]}
    assert {(1, 3), (1, 2)} <= pairs
    assert score(parse_round(kept["input"], library())).answer_hash == kept["answer_hash"]


def test_r32_the_stakes_stand_on_the_round_whatever_the_order_of_the_seats(three):
    key = three.key()
    round_ = three.start(key=key, pair_stakes={(3, 2): 700, (1, 2): 250})
    stakes = [{"seats": [1, 2], "limit": "2.50"}, {"seats": [2, 3], "limit": "7.00"}]
    assert Round.objects.get().pair_stakes == stakes
    assert TableEvent.objects.get(kind=TableEvent.Kind.ROUND_STARTED).data["pair_stakes"] == stakes
    assert three.start(key=key, pair_stakes={(1, 2): 250, (2, 3): 700}) == round_
    assert refused(three.start, key=key, pair_stakes={(1, 2): 250}) == "key_reused"


@pytest.mark.parametrize(
    ("stakes", "code"),
    [
        ({(1, 4): 1000}, "bad_seat"),
        ({(1, 5): 1000}, "bad_seat"),
        ({(2, 2): 1000}, "bad_seat"),
        ({(1, 2): 0}, "bad_limit"),
        ({(1, 2): -500}, "bad_limit"),
    ],
)
def test_r32_stakes_that_no_two_players_have_are_refused_and_nobody_is_charged(three, stakes, code):
    three.buy_in("Dan", 4)
    assert refused(three.start, pair_stakes=stakes, declined=[4]) == code
    assert not Round.objects.exists()
    assert not Charge.objects.exists()


@pytest.mark.parametrize("code", ["face-up", "first-to-11"])
def test_r32_games_without_pair_stakes_refuse_them(table_of, code):
    table = table_of(code)
    table.seat("Ann", "Bob")
    assert refused(table.start, pair_stakes={(1, 2): 1000}) == "no_pair_stakes"


def test_r32_two_hands_each_have_one_stake_between_the_two(table_of):
    table = table_of("criss-cross")
    table.seat("Ann", "Bob")
    round_ = table.play(pair_stakes={(1, 2): 100})
    payments = answer_to(round_)["payments"]
    assert payments
    assert all(Decimal(payment["due"]) == payment["points"] for payment in payments)


class TestProposedAgain:
    """The next plan proposes what the last round had, between players who are both dealt in again."""

    STAKE = ({"seats": [1, 3], "limit": "10.00"},)

    @kept
    def staked(self, three):
        three.play([QUEENS, FULL_HOUSE, PLAIN], pair_stakes={(1, 3): 1000})
        return three

    def test_both_dealt_in_again(self, staked):
        assert staked.plan().pair_stakes == self.STAKE
        assert staked.plan(declined=[2]).pair_stakes == self.STAKE

    def test_a_proposal_is_not_an_agreement(self, staked):
        assert staked.start().pair_stakes == []

    def test_not_where_one_of_them_is_left_out(self, staked):
        assert staked.plan(declined=[3]).pair_stakes == ()

    def test_not_for_a_player_who_has_come_back(self, staked):
        staked.cash_out(3)
        staked.minute(1).buy_in("Cat", 3, points=100)
        assert staked.plan().pair_stakes == ()

    def test_not_a_round_later(self, staked):
        staked.play([QUEENS, FULL_HOUSE, PLAIN])
        assert staked.plan().pair_stakes == ()

    def test_r58_also_after_a_misdeal(self, staked):
        staked.void(staked.start(pair_stakes={(1, 3): 1000}))
        assert staked.plan().pair_stakes == self.STAKE


def test_r58_a_correction_is_scored_at_the_stakes_of_the_round(three):
    round_ = three.play([QUEENS, FULL_HOUSE, PLAIN], pair_stakes={(1, 3): 1000})
    three.approve(three.ask(round_, [QUEENS, FULL_HOUSE, LOW]))
    kept = evidence(round_)
    assert kept["input"]["pair_stakes"] == [{"seats": [1, 3], "limit": "10.00"}]
    between = next(p for p in answer_to(round_)["payments"] if {p["from"], p["to"]} == {1, 3})
    assert (between["to"], between["due"]) == (1, "60.00")  # six points for the foul hand
