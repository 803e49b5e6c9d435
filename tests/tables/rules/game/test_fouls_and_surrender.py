"""Foul hands, mis-set hands and surrendered ones against every other kind of hand (R7, R20, R21, R27)."""

import pytest

from tables.rules.errors import CardCount, NoSurrender, UnsetHand
from tables.rules.game.ranking import category_name
from tests.support.play import at, play, points, reasons, variant

FOUL = "1: Ac Ad 2c / 3c 4d 5h 6s 8c / Kc Kd 9c 8d 7c"
GOOD = "2: Qh 8h 3h / Jc Jd 5d 4c 3d / As Ah Ks Kh 6c"
FULL_HOUSE = "2: 6h 6d 3h / Jc Jd 5d 4c 3d / As Ah Qs Qd Qh"
SWEEP = "3: 2d 2h 4s / 5s 5c 7d 7h 9d / 9h Th Td Jh Js, declares six-pairs"
GIVEN_UP = "4: , surrenders"


def test_r20_a_foul_hand_pays_the_penalty_and_has_no_bonuses():
    result = play("2-4", FOUL, GOOD)
    assert (at(result, 1).foul, at(result, 1).bonuses, at(result, 1).fantasy_land_next) == (
        True,
        (0, 0, 0, 0),
        False,
    )
    assert reasons(result) == [(2, "foul", 4)]


def test_r20_a_foul_hand_pays_the_opponent_s_bonuses_where_the_sheet_says_so():
    assert reasons(play("face-up", FOUL, FULL_HOUSE)) == [
        (2, "foul", 9),
        (2, "bonus_front", 1),
        (2, "bonus_back", 6),
    ]
    trips = "2: 6h 6d 6s / 7d 7h 7s 4c 3d / As Ah Qs Qd Qh"
    # Undoubled and whoever would have won; the kings in the foul back would beat nothing.
    assert reasons(play("eastern", FOUL.replace("6s", "6c"), trips), to=2) == [
        ("foul", 3),
        ("bonus_front", 3),
    ]


def test_r20_a_foul_hand_pays_only_bonuses_that_count():
    sheets = variant("2-4", "foul.pays_bonuses = true")
    trips = "2: 6h 6d 6c / 7d 7h 7s 4c 3d / Qs Qd Qh Jd Jh, royalties back"
    assert reasons(play("house", FOUL, trips, sheets=sheets), to=2) == [("foul", 4)]
    assert reasons(play("house", FOUL, trips + " front", sheets=sheets), to=2) == [
        ("foul", 4),
        ("bonus_front", 3),
    ]


def test_r20_two_foul_hands_owe_each_other_nothing():
    other = "2: As Ah 2h / 3h 4h 5d 6d 8h / Qc Qd 9h 8s 7d"
    assert points(play("face-up", FOUL, other)) == {1: 0, 2: 0}


def test_r20_fouls_that_play_are_compared_as_they_lie_without_their_bonuses():
    sheets = variant("face-up", 'foul.plays = true\nties = "push"')
    result = play("house", FOUL, FULL_HOUSE, sheets=sheets)
    assert at(result, 1).foul
    assert reasons(result) == [
        (2, "bonus_front", 1),
        (1, "front", 1),
        (2, "middle", 1),
        (2, "bonus_back", 6),
        (2, "back", 1),
    ]
    other = "2: As Ah 3h / 3d 4h 5d 6d 8h / Qc Qd 9h 8s 7d"
    assert reasons(play("house", FOUL, other, sheets=sheets)) == [(2, "front", 1), (1, "back", 1)]


def test_r20_fouls_that_play_pay_no_penalty_to_a_clean_sweep():
    result = play("house", FOUL, SWEEP, sheets=variant("face-up", "foul.plays = true"))
    assert reasons(result) == [(3, "clean_sweep", 3)]


def test_r20_fouls_that_play_need_their_cards():
    sheets = variant("face-up", "foul.plays = true")
    with pytest.raises(CardCount):
        play("house", "1: Ac Ad / 3c 4d 5h 6s 8c / Kc Kd 9c 8d 7c, misset", GOOD, sheets=sheets)
    with pytest.raises(UnsetHand):
        play("house", "1: , misset", GOOD, sheets=sheets)
    sheets = variant("western", "foul.plays = true")
    unset = "1: dealt Ac Ad 2c 3c 4d 5h 6s 8c Kc Kd 9c 8d 7c, declares dragon"
    with pytest.raises(UnsetHand):
        play("house", unset, GOOD, sheets=sheets)


@pytest.mark.parametrize(
    "cards", ["", "Ac Ad 2c 5h / 3c 4d 6s 8c / Kc Kd 9c 8d 7c", "2c 3s 4h / Kc Kd 9c 8d 7c / Ac Ad 9h 8s 7h"]
)
def test_r7_a_misset_hand_is_foul_whatever_its_cards(cards):
    result = play("2-4", f"1: {cards}, misset", GOOD)
    assert at(result, 1).foul
    assert reasons(result) == [(2, "foul", 4)]
    known = at(result, 1)
    if not cards:
        assert known.strengths == (0, 0, 0)


def test_r7_segments_of_a_misset_hand_are_named_where_they_are_full():
    hand = at(play("2-4", "1: Ac Ad 2c 5h / 3c 4d 6s 8c / Kc Kd 9c 8d 7c, misset", GOOD), 1)
    assert [*map(category_name, hand.strengths)] == [None, None, "pair"]


def test_r21_a_foul_hand_pays_a_clean_sweep_its_value_and_by_the_sheet_the_penalty_besides():
    result = play("face-up", FOUL, SWEEP)
    assert [(p.points, [line.reason for line in p.lines]) for p in result.payments] == [
        (3, ["clean_sweep"]),
        (9, ["foul"]),
    ]
    assert reasons(play("2-4", FOUL, SWEEP)) == [(3, "clean_sweep", 3)]


def test_r21_the_penalty_to_a_clean_sweep_is_the_points_alone():
    sweep = "3: 6h 6d 4s / 9s 9h Th Td 4c / Js Jh Jd Jc Qh, declares six-pairs"
    result = play("face-up", FOUL.replace("6s", "7s"), sweep)
    first, second = result.payments
    assert [tuple(line)[1:] for line in first.lines] == [
        ("clean_sweep", 3),
        ("bonus_front", 1),
        ("bonus_back", 8),
    ]
    assert [tuple(line)[1:] for line in second.lines] == [("foul", 9)]


def test_r27_a_surrendered_hand_pays_each_opponent_and_nothing_else_is_compared():
    result = play("2-4", "1: 2c 3s 4h / 5c 5h 9h 8h 7h / Kc Kd 9c 8d 7c, surrenders", FULL_HOUSE)
    assert (at(result, 1).surrendered, at(result, 1).foul) == (True, False)
    assert reasons(result) == [(2, "surrender", 3)]
    assert reasons(play("1-6", "1: , surrenders", FULL_HOUSE)) == [(2, "surrender", 4)]


def test_r27_a_surrendered_hand_is_never_foul_and_shows_no_bonuses():
    hand = at(
        play(
            "2-4",
            "1: Ac Ad Ah / 3c 4d 5h 6s 8c / Kc Kd 9c 8d 7c, surrenders, misset",
            FULL_HOUSE.replace("As Ah", "As Js"),
        ),
        1,
    )
    assert (hand.foul, hand.surrendered, hand.bonuses) == (False, True, (0, 0, 0, 0))


def test_r27_two_surrendered_hands_owe_each_other_nothing():
    assert points(play("2-4", "1: , surrenders", "2: , surrenders")) == {1: 0, 2: 0}


def test_r27_a_foul_hand_pays_nothing_to_a_surrendered_one_but_collects():
    assert reasons(play("2-4", FOUL, GIVEN_UP)) == [(1, "surrender", 3)]
    assert reasons(play("western", FOUL, GIVEN_UP)) == [(1, "surrender", 3)]


def test_r27_clean_sweeps_before_surrenders_collect_from_them_and_take_no_surrender():
    assert reasons(play("2-4", SWEEP, GIVEN_UP)) == [(3, "clean_sweep", 3)]


def test_r27_surrenders_before_clean_sweeps_owe_just_the_surrender():
    result = play("western", SWEEP, GIVEN_UP)
    assert reasons(result) == [(3, "surrender", 3)]


def test_r27_a_game_without_surrender_refuses_it():
    with pytest.raises(NoSurrender):
        play("face-up", GIVEN_UP, GOOD)


def test_r27_a_surrendered_hand_comes_with_all_its_cards_or_none():
    with pytest.raises(CardCount):
        play("2-4", "1: 2c 3s / 5c 5h 9h 8s 7h / Kc Kd 9c 8d 7c, surrenders", GOOD)
    assert reasons(play("2-4", "1:  /  / , surrenders", GOOD)) == [(2, "surrender", 3)]
