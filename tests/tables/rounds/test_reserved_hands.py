"""R43: two players may keep the two undealt hands for the next round;
no card occurs twice over the two rounds."""

import json

import pytest

from ledger.errors import LedgerError
from tables.errors import TableError
from tables.models import Round, Settlement, TableEvent
from tables.rounds.scoring import check_entry
from tables.rules.errors import RuleError
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, HANDS, LOW, PLAIN, QUEENS
from tests.support.kept import kept

# The first round is played with these, so that their cards are gone from the deck.
FIRST = (QUEENS, FULL_HOUSE)
# The undealt half of the same deck.
KEPT = (PLAIN, LOW)
WITH_AN_OLD_CARD = {**PLAIN, "front": "Qs Js 8d"}  # the queen of spades was in the first round


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError, RuleError)) as error:
        acting(call, *args, **options)
    return error.value.code


@kept
def pair(table_of):
    """Ann and Bob at a closed game, one round settled."""
    table = table_of("western")
    table.seat("Ann", "Bob")
    table.first = table.play(FIRST)
    return table


def test_r43_the_undealt_hands_are_played_in_the_next_round(pair):
    assert pair.plan().reserved_possible
    round_ = pair.settle(pair.start(reserved=True), KEPT)
    assert Round.objects.get(pk=round_.pk).reserved_from == pair.first
    started = TableEvent.objects.filter(kind=TableEvent.Kind.ROUND_STARTED).last()
    assert started.data["reserved_from"] == 1
    evidence = json.loads(Settlement.objects.get(round=round_).entry.evidence)
    assert evidence["reserved_from"] == {"round_id": pair.first.pk, "round": 1}


def test_r43_a_round_from_a_deck_of_its_own_says_nothing_of_another(pair):
    round_ = pair.play(FIRST)
    evidence = json.loads(Settlement.objects.get(round=round_).entry.evidence)
    assert "reserved_from" not in evidence


def test_r43_a_card_of_the_round_before_is_refused(pair):
    round_ = pair.start(reserved=True)
    assert refused(pair.settle, round_, [WITH_AN_OLD_CARD, LOW]) == "duplicate_card"
    assert Settlement.objects.count() == 1


def test_r43_it_is_refused_while_it_is_entered(pair):
    round_ = pair.start(reserved=True)
    hands = pair.entry(round_, [{"front": "Qs"}, {"front": "As"}]).hands
    checked = check_entry(pair.session, round_, list(round_.hands.all()), hands)
    assert [hand.error and hand.error.code for hand in checked.hands] == ["duplicate_card", None]


def test_r43_that_hands_are_kept_is_part_of_what_a_key_starts(pair):
    key = pair.key()
    round_ = pair.start(key=key, reserved=True)
    assert pair.start(key=key, reserved=True) == round_
    assert refused(pair.start, key=key) == "key_reused"


class TestNothingWasKept:
    """Where the round before left no two hands for these two players, there are none to play."""

    def refuse(self, table, **options):
        before, rounds = table.stacks(), Round.objects.count()
        assert not table.plan(
            **{name: value for name, value in options.items() if name != "reserved"}
        ).reserved_possible
        assert refused(table.start, reserved=True, **options) == "no_reserved_hands"
        assert (table.stacks(), Round.objects.count()) == (before, rounds)

    def test_r43_before_the_first_round(self, table_of):
        table = table_of("western")
        table.seat("Ann", "Bob")
        self.refuse(table)

    def test_r43_in_an_open_face_game(self, game):
        game.seat("Ann", "Bob")
        game.play(FIRST)
        self.refuse(game)

    def test_r43_after_a_round_that_played_them(self, pair):
        pair.settle(pair.start(reserved=True), KEPT)
        self.refuse(pair)

    def test_r43_after_a_misdeal(self, pair):
        pair.void(pair.start(reserved=True))
        self.refuse(pair)

    def test_r43_with_two_hands_each(self, pair):
        self.refuse(pair, two_hands=(1, 2))

    def test_r43_after_two_hands_each(self, pair):
        pair.settle(pair.start(two_hands=(1, 2)), HANDS)
        self.refuse(pair)

    def test_r43_with_a_third_player(self, pair):
        pair.buy_in("Cat", 3)
        self.refuse(pair)

    def test_r43_after_a_round_of_three(self, pair):
        pair.buy_in("Cat", 3)
        pair.play([QUEENS, FULL_HOUSE, PLAIN])
        self.refuse(pair, declined=[3])

    def test_r43_with_another_player(self, pair):
        pair.buy_in("Cat", 3)
        self.refuse(pair, declined=[2])

    def test_r43_with_a_player_who_has_come_back(self, pair):
        pair.cash_out(2)
        pair.minute(1).buy_in("Bob", 2, points=100)
        self.refuse(pair)


class TestCorrections:
    """R58 and R43: neither of two rounds from one deck is corrected to a card of the other."""

    @kept
    def both(self, pair):
        pair.second = pair.settle(pair.start(reserved=True), KEPT)
        return pair

    def test_the_second_takes_no_card_of_the_first(self, both):
        assert refused(both.ask, both.second, [WITH_AN_OLD_CARD, LOW]) == "duplicate_card"

    def test_the_first_takes_no_card_of_the_second(self, both):
        wrong = {**QUEENS, "front": "Qs Qh 8d"}
        with pytest.raises(RuleError) as error:
            both.ask(both.first, [wrong, FULL_HOUSE])
        assert (error.value.code, error.value.message) == (
            "duplicate_card",
            "seat 2: 8d was in round 2, which shares the deck",
        )

    def test_what_counts_is_what_stands(self, both):
        both.approve(both.ask(both.first, [{"misset": True}, FULL_HOUSE]))
        both.approve(both.ask(both.second, [WITH_AN_OLD_CARD, LOW]))
        assert Settlement.objects.count() == 4
        assert refused(both.ask, both.first, FIRST) == "duplicate_card"

    def test_two_corrections_asked_at_once_do_not_both_stand(self, both):
        both.approve(both.ask(both.first, [{"misset": True}, FULL_HOUSE]))
        first = both.ask(both.first, FIRST)
        second = both.ask(both.second, [WITH_AN_OLD_CARD, LOW])
        both.approve(second)
        assert refused(both.approve, first) == "duplicate_card"
        assert Settlement.objects.filter(round=both.first).count() == 2

    def test_a_voided_second_round_keeps_no_card_from_the_first(self, pair):
        pair.void(pair.start(reserved=True))
        pair.approve(pair.ask(pair.first, [{**QUEENS, "front": "Qs Qh 8d"}, FULL_HOUSE]))
        assert Settlement.objects.count() == 2
