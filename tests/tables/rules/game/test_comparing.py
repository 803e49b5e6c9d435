"""Two hands against each other, segment by segment and with their bonuses (R10-R14)."""

import pytest

from tests.support.play import at, play, points, reasons, variant

# Wins front and middle of BETA, loses the back.
ALPHA = "1: Ac Kd 2c / Qc Qd 5c 4d 3c / Kc Ks 9c 8d 7c"
BETA = "2: Ah Qh 3h / Jc Jd 5d 4c 3d / As Ad 9d 8c 6d"
# Equal front and middle, lower back.
TIED = "1: Ac Kd 2c / Qc Qd 5c 4d 3c / Kc Ks 9c 8d 7c"
EVEN = "2: Ah Kh 2d / Qh Qs 5d 4c 3d / As Ad 9d 8c 6d"


def test_r10_each_segment_is_a_point_for_the_better_one():
    result = play("eastern", ALPHA, BETA)
    assert reasons(result) == [(1, "front", 1), (1, "middle", 1), (2, "back", 1)]
    assert points(result) == {1: 1, 2: -1}


@pytest.mark.parametrize(("button", "expected"), [(1, {1: 1, 2: -1}), (2, {1: -3, 2: 3}), (5, {1: -1, 2: 1})])
def test_r10_the_button_wins_ties_where_the_sheet_says_so_and_only_of_its_own_hands(button, expected):
    assert points(play("face-up", TIED, EVEN, button=button)) == expected


def test_r10_ties_push_elsewhere():
    assert reasons(play("2-4", TIED, EVEN, button=1)) == [(2, "back", 1)]


def test_r10_a_tie_won_by_the_button_counts_as_won_for_majority_and_scoop():
    sheets = variant("face-up", "majority = 1\nscoop = 5")
    result = play("house", TIED, EVEN, button=2, sheets=sheets)
    assert reasons(result, to=2) == [("front", 1), ("middle", 1), ("back", 1), ("majority", 1), ("scoop", 5)]


def test_r10_a_tie_won_by_the_button_wins_the_bonus_but_never_doubles_it():
    sheets = variant("eastern", 'ties = "button"\nbonus.middle = { pair = 2 }')
    result = play("house", TIED, EVEN, button=1, sheets=sheets)
    assert reasons(result, to=1) == [("front", 1), ("bonus_middle", 2)]


def test_r11_majority_is_two_or_three_segments_and_one_each_with_a_tie_is_none():
    assert ("majority", 1) in reasons(play("2-4", ALPHA, BETA), to=1)
    one_each = "2: Ah Kh 2d / Jh Js 5d 4c 3d / As Ad 9d 8c 6d"
    assert [reason for _, reason, _ in reasons(play("2-4", TIED, one_each))] == ["middle", "back"]
    two_of_two = "2: Ah Kh 2d / Jh Js 5d 4c 3d / Qh Qs 9d 8c 6d"
    assert reasons(play("2-4", TIED, two_of_two), to=1) == [("middle", 1), ("back", 1), ("majority", 1)]


def test_r12_scoop_is_all_three_and_a_push_is_no_win():
    loser = "2: Ah Jh 3h / Jc Jd 5d 4c 3d / Qh Qs 9d 8c 6d"
    assert reasons(play("1-6", ALPHA, loser), to=1)[-1] == ("scoop", 3)
    pushed = "2: Ah Kh 2d / Jc Jd 5d 4c 3d / Qh Qs 9d 8c 6d"
    assert points(play("1-6", ALPHA, pushed)) == {1: 2, 2: -2}


# Trips in front on both sides; the first wins it. Quads in the back for the second, who wins that.
HIGH_TRIPS = "1: Kc Kd Kh / Ac Ad As 5c 4d / 2c 3d 4h 5s 6c, royalties front middle back"
LOW_TRIPS = "2: Tc Td Th / Jc Jd Jh 5d 4c / 9c 9d 9h 9s 8c, royalties front middle back"


def test_r13_the_winner_alone_is_paid_where_bonuses_go_to_the_winner():
    result = play("2-4", HIGH_TRIPS, LOW_TRIPS)
    assert reasons(result) == [
        (1, "bonus_front", 3),
        (1, "front", 1),
        (1, "middle", 1),
        (2, "bonus_back", 4),
        (2, "back", 1),
        (1, "majority", 1),
    ]


def test_r13_the_holder_is_paid_also_in_a_segment_that_was_lost_or_tied():
    sheets = variant("2-4", 'bonus.to = "holder"')
    assert reasons(play("house", HIGH_TRIPS, LOW_TRIPS, sheets=sheets))[:3] == [
        (1, "bonus_front", 3),
        (2, "bonus_front", 3),
        (1, "front", 1),
    ]
    both = "2: Ah Kh 2d / Qh Qs 5d 4c 3d / As Ad 9d 8c 6d"
    sheets = variant("face-up", 'ties = "push"\nbonus.middle = { pair = 4 }')
    result = play("house", TIED, both, sheets=sheets)
    assert reasons(result)[:2] == [(1, "bonus_middle", 4), (2, "bonus_middle", 4)]


def test_r13_replace_pays_the_bonus_in_place_of_the_point_and_the_loser_s_besides():
    assert reasons(play("eastern", HIGH_TRIPS.split(", roy")[0], LOW_TRIPS.split(", roy")[0])) == [
        (1, "bonus_front", 6),  # three kings over three tens: doubled
        (1, "middle", 1),
        (2, "bonus_back", 4),
    ]
    sheets = variant("eastern", 'bonus.to = "holder"')
    result = play("house", HIGH_TRIPS.split(", roy")[0], LOW_TRIPS.split(", roy")[0], sheets=sheets)
    assert reasons(result)[:2] == [(2, "bonus_front", 3), (1, "bonus_front", 6)]  # seat 2 has position 1
    assert (1, "front", 1) not in reasons(result)


def test_r13_replace_leaves_the_winner_s_point_where_only_the_loser_holds_a_bonus():
    sheets = variant("eastern", 'bonus.to = "holder"\nbonus.middle = { pair = 4 }')
    loser = "2: Ah Qh 3h / Jc Jd 5d 4c 3d / As Ad 9d 8c 6d"
    winner = "1: Ac Kd 2c / Qc Qd 5c 5s 3c / Kc Ks 9c 8d 9h"
    assert reasons(play("house", winner, loser, sheets=sheets))[1:3] == [
        (2, "bonus_middle", 4),
        (1, "middle", 1),
    ]


@pytest.mark.parametrize(("own", "paid"), [("", 10), (", royal-flush = 7", 7)])
def test_r13_a_royal_flush_doubles_over_a_straight_flush_only_without_a_bonus_of_its_own(own, paid):
    sheets = variant("eastern", f"bonus.back = {{ quads = 4, straight-flush = 5{own} }}")
    royal = "1: 2c 3d 4h / 6c 6d 9h 9s 2d / Ah Kh Qh Jh Th"
    straight_flush = "2: 2h 3s 4d / 7c 7d 8h 8s 2s / 9c Tc Jc Qc Kc"
    result = play("house", royal, straight_flush, sheets=sheets)
    assert ("bonus_back", paid) in reasons(result, to=1)


def test_r13_a_royal_flush_earns_the_straight_flush_s_bonus_where_none_is_named():
    royal = "1: 2c 3d 4h / 6c 6d 9h 9s 2d / Ah Kh Qh Jh Th"
    other = "2: 2h 3s 5d / 7c 7d 8h 8s 2s / 9c Td Jc Qc Kc"
    assert at(play("eastern", royal, other), 1).bonuses == (0, 0, 5, 0)
    assert at(play("2-4", royal, other), 1).bonuses == (0, 0, 10, 0)


def test_r13_cancel_pays_neither_where_both_hold_a_bonus_that_counts():
    sheets = variant("2-4", 'bonus.cancel = true\nbonus.to = "holder"')
    assert reasons(play("house", HIGH_TRIPS, LOW_TRIPS, sheets=sheets))[:2] == [
        (1, "front", 1),
        (1, "middle", 1),
    ]
    unannounced = LOW_TRIPS.replace("royalties front", "royalties")
    assert reasons(play("house", HIGH_TRIPS, unannounced, sheets=sheets))[0] == (1, "bonus_front", 3)
    # In place of the point: with both cancelled the winner has the point again.
    sheets = variant("eastern", "bonus.cancel = true")
    result = play("house", HIGH_TRIPS.split(", roy")[0], LOW_TRIPS.split(", roy")[0], sheets=sheets)
    assert reasons(result)[0] == (1, "front", 1)


def test_r13_only_announced_bonuses_count_where_they_are_declared():
    silent = HIGH_TRIPS.replace(", royalties front middle back", ", royalties back")
    result = play("2-4", silent, LOW_TRIPS)
    assert result.hands[0].bonuses == (3, 0, 0, 0)  # what it holds
    assert result.hands[0].counted == (0, 0, 0, 0)  # what counts
    assert ("bonus_front", 3) not in reasons(result, to=1)


def test_r13_one_bonus_a_hand_is_the_highest_announced_and_of_two_alike_the_back_s():
    big = "1: 2c 2d 2h / 6c 6d 6h 9s 9d / 8c 8d 8h 8s Td, royalties front middle back"
    other = "2: Qc Jd 3h / Kc Kd 4h 5s 7d / Ac Ad 4d 5c 7h"
    assert play("house", big, other, sheets=variant("2-4", "bonus.one_per_hand = true")).hands[0].counted == (
        0,
        0,
        4,
        0,
    )
    alike = variant("2-4", "bonus.one_per_hand = true\nbonus.back = { quads = 3 }")
    assert play("house", big, other, sheets=alike).hands[0].counted == (0, 0, 3, 0)
    middle_first = variant(
        "2-4", "bonus.one_per_hand = true\nbonus.back = { quads = 1 }\nbonus.middle = { full-house = 3 }"
    )
    assert play("house", big, other, sheets=middle_first).hands[0].counted == (0, 3, 0, 0)
    quiet = big.replace("royalties front middle back", "royalties front middle")
    assert play("house", quiet, other, sheets=variant("2-4", "bonus.one_per_hand = true")).hands[
        0
    ].counted == (3, 0, 0, 0)


BROKEN_QUADS = "1: 7c 3h 2d / 7d 7h Kc 4c 2h / 7s 8s 9d Th Jc, royalties back"
PLAIN = "2: 5c 4h 3d / 8d 8h Qc 4d 2s / Ac Ad Qh 6s 5d"


def test_r13_a_broken_four_of_a_kind_earns_the_back_s_bonus_also_where_the_hand_loses():
    sheets = variant("2-4", "bonus.broken = true")
    result = play("house", BROKEN_QUADS, PLAIN, sheets=sheets)
    assert ("bonus_broken", 4) in reasons(result, to=1)
    assert result.as_json()["hands"][0]["bonus"] == {"front": 0, "middle": 0, "back": 0, "broken": 4}
    assert result.as_json()["hands"][1]["bonus"]["broken"] == 0
    # In lines of their own, behind the back and before what is won over the segments.
    assert [reason for _, reason, _ in reasons(result)] == [
        "front",
        "middle",
        "back",
        "bonus_broken",
        "majority",
    ]


def test_r13_a_broken_bonus_needs_the_back_announced_and_no_bonus_in_the_back():
    sheets = variant("2-4", "bonus.broken = true")
    silent = BROKEN_QUADS.replace("royalties back", "royalties front")
    assert play("house", silent, PLAIN, sheets=sheets).hands[0].bonuses == (0, 0, 0, 0)
    quads_in_back = "1: 7c 3h 2d / 7d 7h Kc 4c 2h / 9s 9c 9d 9h 7s, royalties back"
    assert play("house", quads_in_back, PLAIN, sheets=sheets).hands[0].bonuses == (0, 0, 4, 0)
    whole_in_middle = "1: 3h 4c 2d / 7d 7h 7c 7s 2h / 9s Ts Js Qs 8s, royalties back"
    other = PLAIN.replace("3d", "3c")
    sheets = variant("2-4", "bonus.broken = true\nbonus.back = { quads = 4 }")
    assert play("house", whole_in_middle, other, sheets=sheets).hands[0].bonuses == (0, 8, 0, 0)


def test_r13_the_highest_broken_combination_counts_once():
    sheets = variant("2-4", "bonus.broken = true")
    hand = "1: 7c 5s 3h / 7d 7h 6s 8s 2c / 7s 9s 9h 9c 2h, royalties back"
    other = PLAIN.replace("6s", "6c")
    assert play("house", hand, other, sheets=sheets).hands[0].bonuses == (0, 0, 0, 5)
    royal = "1: Ks 8c 3h / As Qs 9s 2c 4c / Js Ts Jh Jc 2h, royalties back"
    other = "2: 5c 4h 3d / 8d 8h Qc 4d 2s / Ac Ad Qh 6s 5d"
    assert play("house", royal, other, sheets=sheets).hands[0].bonuses == (0, 0, 0, 10)


def test_r13_a_broken_bonus_never_cancels_and_a_foul_hand_has_none():
    sheets = variant("2-4", "bonus.broken = true\nbonus.cancel = true")
    other = "2: 5c 4h 3d / 8d 8h Qc 4d 2s / Ac Ad Ah As 5d, royalties back"
    result = play("house", BROKEN_QUADS, other, sheets=sheets)
    assert ("bonus_broken", 4) in reasons(result, to=1)
    assert ("bonus_back", 4) in reasons(result, to=2)
    foul = "1: 7c 7d 2d / 3h 7h Kc 4c 2h / 7s 8s 9d Th Jc, royalties back"
    assert play("house", foul, PLAIN, sheets=sheets).hands[0].bonuses == (0, 0, 0, 0)


def test_r14_lines_both_ways_are_netted_to_one_payment():
    result = play("2-4", HIGH_TRIPS, LOW_TRIPS)
    (payment,) = result.payments
    to_first = sum(points for seat, _, points in reasons(result) if seat == 1)
    to_second = sum(points for seat, _, points in reasons(result) if seat == 2)
    assert (payment.from_seat, payment.to_seat, payment.points) == (2, 1, to_first - to_second)
