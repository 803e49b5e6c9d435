"""R35 and R54: exactly two players who both agree play two hands each."""

import json

import pytest

from ledger.errors import LedgerError
from ledger.journal.acts import Act
from tables.errors import TableError
from tables.models import Claim, Hand, Settlement, TableEvent
from tables.reports.corrections import comparison
from tables.reports.rounds import round_record
from tables.rounds import corrections, settling
from tables.rounds.entry import RoundEntry, by_position, normal_form, which_hand
from tables.rounds.scoring import check_entry
from tables.rules.errors import RuleError
from tables.rules.game.rounds import library, parse_round, score
from tests.support.acting import acting
from tests.support.answers import answer_to
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.support.kept import kept

# By position: Ann's first, Bob's first, Ann's second, Bob's second.
FOUR = (QUEENS, FULL_HOUSE, PLAIN, LOW)
BOTH = (1, 2)


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError, RuleError)) as error:
        acting(call, *args, **options)
    return error.value.code


@kept
def pair(game):
    """Ann at seat 1, who has the buttons first, and Bob at seat 2."""
    game.seat("Ann", "Bob")
    return game


def named(round_, hands=FOUR):
    """The hands by position as a tablet sends them: each with its seat and position."""
    dealt = round_.hands.all()
    return tuple(
        {"seat": hand.seat, "position": hand.position, **cards}
        for hand, cards in zip(dealt, hands, strict=False)
    )


def settle(game, round_, hands=FOUR, key=None):
    entry = RoundEntry(round_.pk, key or game.key(), named(round_, hands))
    return settling.settle_round(entry=entry, act=Act(actor=game.dealer, now=game.now))


def ask_for(game, round_, hands):
    entry = RoundEntry(round_.pk, game.key(), named(round_, hands))
    return corrections.ask_correction(
        entry=entry, act=Act(reason="the second hand was mis-set", actor=game.dealer, now=game.now)
    )


def evidence(round_):
    return json.loads(round_.settlements.order_by("-ordinal")[0].entry.evidence)


def test_r54_two_players_who_both_agree_are_dealt_two_hands_each(pair):
    round_ = pair.start(two_hands=BOTH)
    dealt = [(hand.position, hand.seat, hand.stack_cents) for hand in round_.hands.all()]
    assert dealt == [(1, 1, 29_000), (2, 2, 29_000), (3, 1, 29_000), (4, 2, 29_000)]
    started = TableEvent.objects.get(kind=TableEvent.Kind.ROUND_STARTED)
    assert started.data["hands_each"] == 2


def test_r54_without_an_agreement_they_have_one_each(pair):
    assert pair.plan().two_hands_possible
    assert [hand.seat for hand in pair.start().hands.all()] == [1, 2]


@pytest.mark.parametrize("agreed", [[1], [2], [1, 3], [1, 2, 3]])
def test_r54_both_must_agree_and_nobody_else(pair, agreed):
    assert refused(pair.start, two_hands=agreed) == "two_hands_not_agreed"
    assert not Hand.objects.exists()
    assert pair.stacks() == {1: 30_000, 2: 30_000}


def test_r54_two_hands_each_are_for_exactly_two(pair):
    pair.buy_in("Cat", 3)
    assert not pair.plan().two_hands_possible
    assert refused(pair.start, two_hands=BOTH) == "two_hands_not_agreed"
    assert pair.plan(declined=[3]).two_hands_possible
    assert pair.start(two_hands=BOTH, declined=[3]).hands.count() == 4


def test_r54_the_agreement_is_part_of_what_a_key_starts(pair):
    key = pair.key()
    round_ = pair.start(key=key, two_hands=BOTH)
    assert pair.start(key=key, two_hands=(2, 1)) == round_
    assert refused(pair.start, key=key) == "key_reused"


def test_r35_who_compares_first_is_a_in_a1_b1_a2_b2(pair):
    settle(pair, pair.start(two_hands=BOTH))
    second = pair.start(two_hands=BOTH)
    assert second.button_seat == 2
    assert [hand.seat for hand in second.hands.all()] == [2, 1, 2, 1]


def test_r35_each_hand_meets_the_other_players_two_only(pair):
    round_ = settle(pair, pair.start(two_hands=BOTH))
    answer = answer_to(round_)
    assert [hand["seat"] for hand in answer["hands"]] == [1, 2, 1, 2]
    met = {frozenset(payment["positions"]) for payment in answer["payments"]}
    assert met == {frozenset(places) for places in ((1, 2), (1, 4), (2, 3), (3, 4))}
    assert answer["net"]["1"] == f"{(pair.stack(1) - 29_000) / 100:.2f}"
    assert sum(pair.stacks().values()) == 58_000


def test_r35_the_evidence_lists_the_first_hand_first_and_scores_the_same_again(pair):
    round_ = pair.start(two_hands=BOTH)
    entry = RoundEntry(round_.pk, pair.key(), named(round_)[::-1])
    settling.settle_round(entry=entry, act=Act(actor=pair.dealer, now=pair.now))
    kept = evidence(round_)
    assert [hand["front"] for hand in kept["input"]["hands"]] == [cards["front"] for cards in FOUR]
    assert score(parse_round(kept["input"], library())).answer_hash == kept["answer_hash"]


def test_r35_the_stack_with_its_limits_belongs_to_the_player(pair):
    pair.set_stack(2, 5500)
    round_ = settle(pair, pair.start(two_hands=BOTH), [QUEENS, {"misset": True}, PLAIN, {"misset": True}])
    assert {hand.stack_cents for hand in round_.hands.filter(seat=2)} == {4500}
    assert pair.stacks() == {1: 29_000 + 4500, 2: 0}


def test_r35_nine_points_are_asked_of_the_player_not_of_each_hand(pair):
    pair.set_stack(2, 4500 + 1000)
    assert pair.start(two_hands=BOTH).hands.count() == 4


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"position": None}, "wrong_position"),
        ({"position": 2}, "wrong_position"),
        ({"position": 3}, "bad_entry"),
        ({"seat": 3}, "hand_for_empty_seat"),
        ({"front": "As Qh 2c"}, "duplicate_card"),
        ({"fantasy_land": True}, "fantasy_land_not_earned"),
    ],
)
def test_r35_a_hand_that_is_not_clear_is_refused_and_nothing_changes(pair, change, code):
    round_ = pair.start(two_hands=BOTH)
    first, *others = named(round_)
    entry = RoundEntry(round_.pk, pair.key(), ({**first, **change}, *others))
    assert refused(settling.settle_round, entry=entry, actor=pair.dealer, now=pair.now) == code
    assert not Settlement.objects.exists()


def test_r35_a_missing_second_hand_is_missed(pair):
    round_ = pair.start(two_hands=BOTH)
    assert refused(settle, pair, round_, FOUR[:3]) == "hand_missing"


def test_r35_the_other_hands_cards_are_another_content(pair):
    round_, key = pair.start(two_hands=BOTH), pair.key()
    settle(pair, round_, key=key)
    assert settle(pair, round_, key=key).state == "settled"
    assert refused(settle, pair, round_, (PLAIN, FULL_HOUSE, QUEENS, LOW), key=key) == "key_reused"
    assert Settlement.objects.count() == 1


def test_one_hand_each_needs_no_position_and_says_the_same_with_it(pair):
    round_, key = pair.start(), pair.key()
    pair.settle(round_, [QUEENS, FULL_HOUSE], key=key)
    assert settle(pair, round_, (QUEENS, FULL_HOUSE), key=key).state == "settled"
    assert Settlement.objects.count() == 1


def test_one_hand_each_refuses_a_position_of_another_seat_and_a_hand_twice(pair):
    round_ = pair.start()
    first, second = named(round_, FOUR[:2])
    for hands, code in [
        (({**first, "position": 2}, second), "wrong_position"),
        (({**first, "position": 3}, second), "wrong_position"),
        ((first, {"seat": 1, **PLAIN}, second, {"seat": 2, **LOW}), "bad_entry"),
    ]:
        entry = RoundEntry(round_.pk, pair.key(), hands)
        assert refused(settling.settle_round, entry=entry, actor=pair.dealer, now=pair.now) == code


def test_r54_fantasy_land_is_played_with_the_first_hand_whichever_earned_it(pair):
    settle(pair, pair.start(two_hands=BOTH), (PLAIN, FULL_HOUSE, QUEENS, LOW))
    assert pair.sitting(1).fantasy_land
    round_ = pair.start(two_hands=BOTH)
    assert [(hand.seat, hand.fantasy_land) for hand in round_.hands.all()] == [
        (2, False),
        (1, True),
        (2, False),
        (1, False),
    ]
    second = {**named(round_)[3], "fantasy_land": True}
    entry = RoundEntry(round_.pk, pair.key(), (*named(round_)[:3], second))
    code = refused(settling.settle_round, entry=entry, actor=pair.dealer, now=pair.now)
    assert code == "fantasy_land_not_earned"
    settle(pair, round_, (PLAIN, FULL_HOUSE, QUEENS, LOW))
    hands = evidence(round_)["input"]["hands"]
    assert [hand.get("fantasy_land") for hand in hands] == [None, True, None, None]


def test_r54_a_fantasy_land_earned_with_two_hands_is_played_with_one(pair):
    settle(pair, pair.start(two_hands=BOTH), (PLAIN, FULL_HOUSE, QUEENS, LOW))
    assert {hand.seat: hand.fantasy_land for hand in pair.start().hands.all()} == {1: True, 2: False}


def test_a_half_filled_entry_is_checked_hand_by_hand_over_all_four(pair):
    round_ = pair.start(two_hands=BOTH)
    entered = [
        {"seat": 1, "position": 1, "front": "Qs Qh 2c"},
        {"seat": 1, "position": 3, "front": "Qs"},
        {"seat": 2, "front": "Ah Kc 8h"},
        {"seat": 2, "position": 4, "front": "Ac Jd 6s"},
    ]
    check = check_entry(pair.session, round_, list(round_.hands.all()), entered)
    assert [(hand.position, hand.error and hand.error.code) for hand in check.hands] == [
        (1, None),
        (3, "duplicate_card"),
        (None, "wrong_position"),
        (4, None),
    ]
    assert check.hands[0].setting.front == "pair"
    assert check.score is None


def test_a_whole_entry_of_four_hands_is_scored_while_it_is_checked(pair):
    round_ = pair.start(two_hands=BOTH)
    dealt = list(round_.hands.all())
    assert check_entry(pair.session, round_, dealt, named(round_)[:3]).score is None
    assert sum(check_entry(pair.session, round_, dealt, named(round_)).score.net_cents.values()) == 0


def test_r58_a_card_of_a_second_hand_is_corrected(pair):
    round_ = settle(pair, pair.start(two_hands=BOTH))
    before = pair.stacks()
    other = (QUEENS, FULL_HOUSE, {"misset": True}, LOW)
    asked = ask_for(pair, round_, other)
    compared = comparison(asked).hands
    assert [(hand.seat, hand.which) for hand in compared if hand.changed] == [(1, "second hand")]
    assert [hand.which for hand in compared] == ["second hand", "first hand", "first hand", "second hand"]
    pair.approve(asked)
    result = evidence(round_)["result"]
    assert pair.stacks() == {seat: 29_000 + result[str(seat)][1] for seat in BOTH}
    assert pair.stacks() != before
    assert not Claim.objects.exists()


def test_r58_the_same_four_hands_change_nothing(pair):
    round_ = settle(pair, pair.start(two_hands=BOTH))
    assert refused(ask_for, pair, round_, FOUR) == "nothing_changes"
    assert refused(ask_for, pair, round_, FOUR[:3]) == "hand_missing"


def test_a_record_has_both_hands_of_a_seat_and_its_money_once(pair):
    round_ = settle(pair, pair.start(two_hands=BOTH))
    shown = round_record(round_).standing.hands
    assert [(one.hand.seat, one.which, one.cards["front"]) for one in shown] == [
        (1, "first hand", QUEENS["front"]),
        (2, "first hand", FULL_HOUSE["front"]),
        (1, "second hand", PLAIN["front"]),
        (2, "second hand", LOW["front"]),
    ]
    assert [one.says["foul"] for one in shown] == [False, False, False, True]
    assert {one.after_cents for one in shown if one.hand.seat == 1} == {pair.stack(1)}


def test_r58_a_voided_round_of_two_hands_each_leaves_everything_as_it_was(pair):
    before = pair.start(two_hands=BOTH)
    pair.void(before)
    again = pair.start()
    assert again.button_seat == before.button_seat
    assert again.hands.count() == 2


def test_listed_hands_find_their_positions_and_their_names():
    dealt = [Hand(seat=seat, position=place) for place, seat in enumerate((4, 2, 4, 2), 1)]
    listed = [
        {"seat": 4, "is": "4a"},
        {"seat": 4, "is": "4b"},
        {"seat": 2, "is": "2a"},
        {"seat": 2, "is": "2b"},
    ]
    found = by_position(dealt, listed)
    assert {place: hand["is"] for place, hand in found.items()} == {1: "4a", 2: "2a", 3: "4b", 4: "2b"}
    assert [which_hand(dealt, hand) for hand in dealt] == ["first hand"] * 2 + ["second hand"] * 2
    assert which_hand(dealt[:2], dealt[0]) == ""
    assert normal_form(dealt, [{"seat": 4, "position": 3}]) == [{"seat": 4, "position": 3}]
    assert normal_form(dealt[:2], [{"seat": 4, "position": 1}, {"seat": 2, "position": 1}]) == [
        {"seat": 4},
        {"seat": 2, "position": 1},
    ]
