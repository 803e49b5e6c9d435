"""Every point has its reason: what the explanation of a round says, against the lines of the engine."""

import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given

from tables.rules.errors import RuleError
from tables.rules.game.cards import tally
from tables.rules.game.ranking import front_strength, high_table, low_table
from tables.rules.game.rounds import parse_round, score
from tables.rules.words.explanation import explain, story
from tables.rules.words.reasons.words import segment_words
from tests.support.chance import entries
from tests.support.play import SHEETS, play, variant

DATA = Path(__file__).parents[3] / "support" / "data"
ANSWERS = (DATA / "answers.jsonl").read_text().splitlines()
AGREED = [
    json.loads(entry)
    for entry, answer in zip((DATA / "rounds.jsonl").read_text().splitlines(), ANSWERS, strict=True)
    if "error" not in json.loads(answer)
]

QUEENS = "Qs Qh 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d"
FULL = "Ah Kc 8h / 3c 3d 7s 7c 4h / Ts Th Tc 6h 6c"
# The front and middle of QUEENS again, in other suits, and a better back.
TIED = "Qd Qc 2h / 5d 6h 7c 8c 9h / Ac Kc 9c 4c 3c"
JACK_HIGH = "Ac Jd 6s / 2h 2s Ks Qd 8c / 9c Jc Td 7d 3s"


def told(result, *positions):
    """The rows between these two positions, or with one position those of the hand, as (rule, title,
    fact)."""
    whole = story(result)
    if len(positions) == 1:
        rows = next(hand.told for hand in whole.hands if hand.score.position == positions[0])
    else:
        rows = [
            row
            for step in whole.steps
            if set(step.payment.positions) == set(positions)
            for row in (*step.told, *([step.cut] if step.cut else []))
        ]
    return [(row.rule, row.title, row.fact) for row in rows]


def said(result):
    return dict.fromkeys(says for _, says in story(result).rules)


def assert_everything_is_told(result):
    whole = story(result)
    for step in whole.steps:
        won = Counter()
        for row in step.told:
            won[row.to] += row.points
        payer, receiver = step.payment.positions
        assert won[receiver] - won[payer] == step.payment.points
        assert (step.cut is not None) == (step.payment.paid_cents < step.payment.due_cents)
        assert step.told
    lines = [line for payment in (*result.payments, *result.pushed) for line in payment.lines]
    rows = [row for step in whole.steps for row in step.told if row.points]
    assert sorted(line.points for line in lines) == sorted(row.points for row in rows)
    paying = [step for step in whole.steps if step.payment.points]
    assert [step.payment for step in paying] == list(result.payments)
    for step in paying:
        assert step.payment.due_cents == step.payment.points * step.stake_cents
    told_pairs = {frozenset(step.payment.positions) for step in whole.steps}
    seat = {hand.position: hand.seat for hand in result.hands}
    if result.race is None:
        assert told_pairs == {frozenset(two) for two in combinations(seat, 2) if seat[two[0]] != seat[two[1]]}
    else:
        assert not whole.steps
        assert result.race == {
            one: sum(row.points for row in whole.race if row.to == position) for position, one in seat.items()
        }
    for rule, says in whole.rules:
        assert re.fullmatch(r"R\d+", rule)
        assert re.fullmatch(r"[A-Z0-9].*\.", says)
    assert {rule for rule, _ in whole.rules} >= {row.rule for row in rows}
    for hand in result.hands:
        about = [row for one in whole.hands if one.score.position == hand.position for row in one.told]
        assert hand.foul == any(row.title in ("Foul", "False declaration") and row.says for row in about) or (
            not hand.foul and any(row.title == "False declaration" for row in about)
        )


def test_every_point_of_the_agreed_rounds_is_told_once():
    assert len(AGREED) > 250
    for entry in AGREED:
        result = score(parse_round(entry, SHEETS))
        assert_everything_is_told(result)
        assert explain(result)


@given(entries())
def test_every_point_of_any_round_is_told_once(entry):
    assert_everything_is_told(score(parse_round(entry, SHEETS)))


HOUSE = {
    "cancelling": 'bonus.cancel = true\nbonus.to = "holder"\nbonus.declared = false',
    "one a hand": "bonus.one_per_hand = true",
    "broken": "bonus.broken = true\nbonus.declared = false",
    "fouls that play": "foul.plays = true",
    "replacing, to the holder": 'bonus.mode = "replace"\nbonus.to = "holder"\n'
    "bonus.double_same_category = true",
    "running stacks": 'stakes = "running_stack"',
    "uncapped": 'stakes = "uncapped_win"',
    "equal allowed": 'equal_segments = "allowed"\nfirst = "left_of_button"\nties = "button"',
}


@pytest.mark.parametrize("changes", HOUSE.values(), ids=HOUSE)
def test_every_point_of_a_house_s_own_game_is_told_once(changes):
    sheets = variant("2-4", changes)
    told_rounds = 0
    for entry in AGREED:
        hands = [{key: hand[key] for key in hand if key != "fantasy_land"} for hand in entry["hands"]]
        own = entry | {"sheet": "house", "version": 1, "hands": hands}
        try:
            deal = parse_round(own, sheets)
        except RuleError:  # a clean sweep or a setting of its own game
            continue
        assert_everything_is_told(score(deal))
        told_rounds += 1
    assert told_rounds > 100


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("As Kd Js 9h 2c", "high card A-K-J-9-2"),
        ("Ts Td 9c 4h 2s", "pair of tens with 9-4-2"),
        ("Ks Kd 6c 6h 2s", "two pairs of kings and sixes with 2"),
        ("7s 7d 7c Jh 3s", "three sevens with J-3"),
        ("5s 4d 3c 2h As", "straight to the 5"),
        ("As Kd Qc Jh Ts", "straight to the A"),
        ("Ks Js 9s 8s 7s", "flush K-J-9-8-7"),
        ("Ts Td Tc 6h 6s", "full house, tens over sixes"),
        ("9s 9d 9c 9h Ks", "four nines with K"),
        ("Td 9d 8d 7d 6d", "straight flush to the 10"),
        ("As Ks Qs Js Ts", "royal flush"),
    ],
)
def test_r1_a_segment_is_told_to_the_last_card_that_counts(cards, words):
    assert segment_words(high_table("lowest").strength(tally(cards.split()))) == words


def test_r2_r3_r6_wheels_fronts_and_low_middles_are_told_as_what_they_are():
    wheel, low = tally("5s 4d 3c 2h As".split()), tally("7s 5d 4c 3h 2s".split())
    assert segment_words(high_table("second").strength(wheel)) == "straight to the 5"
    assert segment_words(low_table().strength(wheel)) == "high card A-5-4-3-2"
    assert segment_words(low_table().strength(low)) == "high card 7-5-4-3-2"
    assert segment_words(front_strength(tally("Qs Qh 2c".split()))) == "pair of queens with 2"
    assert segment_words(0) == ""


def test_r5_a_foul_says_which_segment_does_not_beat_which():
    result = play("face-up", f"1: {JACK_HIGH}", f"2: {QUEENS}")
    fact = "the back, high card J-10-9-7-3, does not beat the middle, pair of twos with K-Q-8"
    assert told(result, 1) == [("R5", "Foul", fact)]


def test_r5_an_equal_middle_and_back_is_told_as_equal_and_a_front_that_is_too_good_as_unbeaten():
    equal = play("2-4", "1: As Qd 4d / Jh Jd 9c 8c 6h / Js Jc 9s 8s 6d", "2: , surrenders")
    pair = "pair of jacks with 9-8-6"
    assert told(equal, 1) == [("R5", "Foul", f"the back, {pair}, only equals the middle, {pair}")]
    front = play("2-4", "1: Qs Qd 4d / Jh Jd 9c 8c 6h / Ks Kd 9s 8s 5d", "2: , surrenders")
    fact = f"the middle, {pair}, does not beat the front, pair of queens with 4"
    assert told(front, 1) == [("R5", "Foul", fact)]


def test_r6_only_back_against_front_fouls_where_the_middle_is_low():
    result = play("low-middle", "1: Ah Ad 9s / 8c 6d 4s 3h 2c / Ks Kd Jc Tc 5s", "2: , surrenders")
    fact = "the back, pair of kings with J-10-5, does not beat the front, pair of aces with 9"
    assert told(result, 1) == [("R6", "Foul", fact)]


def test_r7_r20_a_mis_set_hand_says_so_and_what_bonuses_it_lost():
    result = play("face-up", f"1: {QUEENS}, misset", f"2: {FULL}")
    assert told(result, 1) == [
        ("R7", "Foul", "mis-set as it lay"),
        ("R20", "No bonuses", "15 points of bonuses lost"),
    ]
    assert told(result, 1, 2)[0] == ("R20", "Foul hand", "the hand of seat 1 is foul")
    assert told(result, 1, 2)[1] == ("R20", "Bonus in back", "full house, tens over sixes earns 6")


def test_r10_the_button_is_named_where_it_wins_a_tie_and_a_push_earns_nothing():
    with_button = play("face-up", f"1: {QUEENS}", f"2: {TIED}", button=2)
    row = ("R10", "Front won", "both pair of queens with 2; seat 2 has the button")
    assert row in told(with_button, 1, 2)
    elsewhere = play("face-up", f"1: {QUEENS}", f"2: {TIED}", button=3)
    assert ("R10", "Front tied", "both pair of queens with 2") in told(elsewhere, 1, 2)
    assert "Equal segments push: nobody wins them." in said(elsewhere)


def test_r6_r10_of_two_low_middles_the_lower_wins():
    result = play(
        "low-middle",
        "1: Ah Kd 9s / 8c 6d 4s 3h 2c / Ks Kc Jc Tc 5s",
        "2: Ac Qd 9h / 8d 7d 4c 3d 2d / Qs Qc Jd Td 5d",
    )
    row = ("R10", "Middle won", "high card 8-6-4-3-2 is lower than high card 8-7-4-3-2")
    assert row in told(result, 1, 2)


def test_r11_r12_majority_and_scoop_name_the_segments_that_were_won():
    assert ("R11", "Two of three segments or more", "front and middle won") in told(
        play("2-4", f"1: {QUEENS}", f"2: {FULL}"), 1, 2
    )
    low = "As Js 8d / 4c 4s Jh 9h 3h / 5d 5h 5s Kh Qc"
    assert ("R12", "All three segments", "front, middle and back won") in told(
        play("1-6", f"1: {QUEENS}", f"2: {low}"), 1, 2
    )


QUADS = "Ah Jc 8d / Qs Qd 9h 9c 3s / 7s 7h 7d 7c 2d"
BEATEN = "Kh Qc 9d / 2s 2h Jh 6h 4d / 5s 5h 5c 5d Td"
BETTER = "Kh Qc 9d / 2s 2h Jh 6h 4d / Ts Th Td Tc 5d"


def test_r13_a_bonus_that_was_not_announced_is_told_with_its_hand():
    result = play(
        "2-4", f"1: {QUADS}, royalties front", f"2: {FULL.replace('Ah', 'As').replace('7s 7c', '2s 2c')}"
    )
    assert told(result, 1) == [("R13", "Bonus in back", "four sevens with 2 would earn 4")]
    assert "Only bonuses that were announced before the showdown count." in said(result)


def test_r13_a_bonus_that_was_lost_with_its_segment_is_told_with_the_pair():
    result = play("2-4", f"1: {QUADS}", f"2: {BEATEN}, royalties back")
    fact = "four fives with 10 of seat 2 would earn 4; the segment was lost"
    assert ("R13", "Bonus in back", fact) in told(result, 1, 2)


def test_r13_bonuses_of_a_tied_segment_are_told_as_one():
    tied = "8s 7h 7d / 3c 3d 3h 2s 4c / Ks Js 9s 5s 4s"
    other = "8d Qh Jd / Ah Kd Tc 5c 4d / Kh Jh 9h 5h 4h"
    result = play(
        "house",
        f"1: {tied}",
        f"2: {other}",
        sheets=variant("2-4", "bonus.declared = false\nbonus.back = { flush = 2 }"),
    )
    rows = told(result, 1, 2)
    assert ("R10", "Back tied", "both flush K-J-9-5-4") in rows
    assert ("R13", "Bonus in back", "both would earn 2; the segment was tied") in rows


def test_r13_a_doubled_bonus_says_what_it_doubles_and_replaces_the_point():
    result = play("eastern", f"1: {QUADS}", f"2: {BEATEN}")
    assert ("R13", "Bonus in back", "four sevens with 2 earns 4, doubled") in told(result, 1, 2)
    assert (
        "A bonus is paid to the hand that wins its segment, in place of the segment's point; "
        "it doubles where it beats a segment of the same category."
    ) in said(result)


HOLDER = "A bonus is paid to its holder, also from a segment that was lost or tied"
IN_PLACE = f"{HOLDER}, in place of the segment's point."


@pytest.mark.parametrize(
    ("mode", "beaten", "says"),
    [("add", BEATEN, HOLDER + "."), ("replace", BEATEN, IN_PLACE), ("replace", BETTER, HOLDER + ".")],
)
def test_r13_only_a_bonus_that_replaces_the_point_of_a_segment_won_is_in_place_of_it(mode, beaten, says):
    sheets = variant("2-4", f'bonus.mode = "{mode}"\nbonus.to = "holder"\nbonus.declared = false')
    result = play("house", f"1: {QUADS}", f"2: {beaten}", sheets=sheets)
    bonuses = [
        row.says for step in story(result).steps for row in step.told if row.to == 1 and row.rule == "R13"
    ]
    assert bonuses == [says]


def test_r13_bonuses_that_cancel_and_bonuses_beside_the_highest_are_told():
    cancelling = variant("2-4", "bonus.cancel = true\nbonus.declared = false")
    result = play("house", f"1: {QUADS}", f"2: {BEATEN}", sheets=cancelling)
    assert ("R13", "Bonus in back", "both have one, 4 and 4") in told(result, 1, 2)
    highest = variant("2-4", "bonus.one_per_hand = true\nbonus.declared = false")
    both = "7h 7d 7c / 3c 3d 3h 4s 4c / Ts Th Tc Td 6c"
    result = play(
        "house", f"1: {both}", f"2: {QUEENS.replace('7h', '7s').replace('4d', '3s')}", sheets=highest
    )
    rows = told(result, 1 if result.hands[0].seat == 1 else 2)
    assert ("R13", "Bonus in front", "three sevens would earn 3") in rows
    assert ("R13", "Bonus in the middle", "full house, threes over fours would earn 2") in rows


def test_r22_a_clean_sweep_that_was_not_declared_is_told_and_so_is_a_false_one():
    dragon = "2s 3c 4s / Ts Jh Qs Kd Ac / 5c 6d 7d 8s 9h"
    undeclared = play("western", f"1: {dragon}", "2: , surrenders")
    rows = told(undeclared, next(hand.position for hand in undeclared.hands if hand.seat == 1))
    assert ("R22", "Not declared", "holds dragon and three straights") in rows
    false = play("western", f"1: {QUEENS}, declares dragon", f"2: {FULL}")
    rows = told(false, next(hand.position for hand in false.hands if hand.seat == 1))
    assert ("R22", "False declaration", "dragon declared, which the hand does not have") in rows
    assert "A declaration that is not true makes the hand foul." in said(false)
    saved = play("western", f"1: {QUEENS}, declares dragon", "2: , surrenders")
    assert not any(hand.foul for hand in saved.hands)
    assert any("does not foul where an opponent surrenders" in says for says in said(saved))


def test_r23_r24_r27_what_does_not_compare_says_why():
    dragon = "dealt 2s 3c 4s Ts Jh Qs Kd Ac 5c 6d 7d 8s 9h, declares dragon"
    twice = play("2-4", f"1: {dragon}", "2: , surrenders", "4: , misset", "5: , surrenders")
    at = {hand.seat: hand.position for hand in twice.hands}
    assert ("R23", "Clean sweep", "dragon against a foul hand") in told(twice, at[1], at[4])
    assert ("R27", "Clean sweep", "dragon against a surrendered hand") in told(twice, at[1], at[2])
    assert told(twice, at[2], at[5]) == [("R27", "Nothing owed", "both surrender")]
    assert told(twice, at[2], at[4]) == [("R27", "Surrender", "seat 2 surrenders")]
    other = "dealt 2h 3h 4h Th Js Qh Kh Ah 5h 6h 7h 8h 9s, declares dragon"
    push = play("2-4", f"1: {dragon.replace('Jh', 'Jd').replace('9h', '9d')}", f"2: {other}")
    assert told(push, 1, 2) == [("R24", "Nothing owed", "dragon against dragon")]


def test_a_cut_of_thousands_has_its_commas_like_any_other_amount():
    rich = play(
        "face-up", f"1: {QUEENS}, stack 5000.00", f"2: {FULL}, stack 1234.50", button=1, limit="1000.00"
    )
    assert ("R33", "Cut by table stakes", "seat 2 has only $1,234.50 left") in told(rich, 1, 2)


def test_r20_two_foul_hands_owe_nothing():
    assert told(play("2-4", "1: , misset", "2: , misset"), 1, 2) == [("R20", "Nothing owed", "both foul")]


def test_r33_a_cut_says_whose_stack_ended_it():
    poor_payer = play("face-up", f"1: {QUEENS}, stack 200.00", f"2: {FULL}, stack 4.00", button=1)
    cut = ("R33", "Cut by table stakes", "seat 2 has only $4.00 left")
    assert cut in told(poor_payer, 1, 2)
    poor_winner = play("face-up", f"1: {QUEENS}, stack 4.00", f"2: {FULL}, stack 200.00", button=1)
    cut = ("R33", "Cut by table stakes", "seat 1 can win only $4.00 more")
    assert cut in told(poor_winner, 1, 2)
    assert (
        "Nobody wins or loses more in a round than the stack they began it with."
        " What was cut is never owed later." in said(poor_winner)
    )


def test_r35_two_hands_of_a_player_have_names_and_do_not_meet():
    low = "As Js 8d / 4c 4s Jh 9h 3h / 5d 5h 5s Kh Qc"
    result = play("face-up", f"1: {QUEENS}", f"1: {low}", f"2: {FULL}", f"2: {JACK_HIGH}", button=1)
    whole = story(result)
    assert list(whole.names.values()) == [
        "seat 1, first hand",
        "seat 2, first hand",
        "seat 1, second hand",
        "seat 2, second hand",
    ]
    assert [set(step.payment.positions) for step in whole.steps] == [{1, 2}, {1, 4}, {2, 3}, {3, 4}]


def test_r41_fantasy_land_says_by_what_it_is_earned_and_kept():
    assert "It is earned by a pair of queens or better in front, in a hand that is not foul." in said(
        play("face-up", f"1: {QUEENS}", f"2: {FULL}")
    )
    quads = QUADS.replace("Qs Qd", "Ks Kd")
    kept = said(play("face-up", f"1: {quads}, fantasy", "2: , misset"))
    assert any(
        says.startswith("A player in it stays by three of a kind in front, a full house") for says in kept
    )


def test_r42_a_race_says_who_has_the_best_of_each_segment_and_who_ties():
    result = play("first-to-11", f"1: {QUEENS}", f"2: {TIED}", "3: , misset")
    rows = [(row.title, row.fact, row.points) for row in story(result).race]
    assert rows == [
        ("Best front", "pair of queens with 2: seat 1 and seat 2", 0),
        ("Best middle", "straight to the 9: seat 1 and seat 2", 0),
        ("Best back", "flush A-K-9-4-3", 1),
        ("Foul", "seat 3", 0),
    ]
