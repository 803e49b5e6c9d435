"""R30, R35, R50, R51, R58: where the buttons lie, who is dealt in, and in what order hands compare."""

import pytest
from hypothesis import given, strategies as st

from tables.rules.table.dealing import LastButton, button_seat, by_position, dealt_in

SEATS = st.sets(st.integers(1, 5), min_size=2)


def test_r50_a_game_opens_at_the_first_occupied_seat_from_the_house_dealers_left():
    assert button_seat({3, 5, 2}, None) == 2


@pytest.mark.parametrize(
    ("last", "eligible", "next_"), [(2, {2, 3}, 3), (3, {2, 3}, 2), (5, {1, 5}, 1), (1, {1, 4}, 4)]
)
def test_r50_the_buttons_move_clockwise_to_the_next_player_who_is_dealt_in(last, eligible, next_):
    assert button_seat(eligible, LastButton(last)) == next_


def test_r58_a_voided_round_leaves_the_buttons_where_they_were():
    assert button_seat({1, 2, 3}, LastButton(2, voided=True)) == 2


def test_r58_after_a_voided_round_the_buttons_pass_a_player_who_has_left():
    assert button_seat({1, 3}, LastButton(2, voided=True)) == 3


def test_r51_with_five_the_button_and_the_three_clockwise_from_it_are_dealt_in():
    assert dealt_in({1, 2, 3, 4, 5}, 4) == [4, 5, 1, 2]


def test_r51_the_fifth_comes_in_when_one_of_the_four_declines():
    assert dealt_in({1, 3, 4, 5}, 4) == [4, 5, 1, 3]


@given(eligible=SEATS, last=st.integers(1, 5))
def test_r50_the_buttons_always_lie_before_a_dealt_hand(eligible, last):
    button = button_seat(eligible, LastButton(last))
    assert dealt_in(eligible, button)[0] == button


@given(eligible=st.just({1, 2, 3, 4, 5}))
def test_r51_in_five_rounds_each_of_five_players_waits_once(eligible):
    waited, last = [], None
    for _ in range(5):
        button = button_seat(eligible, last)
        waited += eligible - set(dealt_in(eligible, button))
        last = LastButton(button)
    assert sorted(waited) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("first", "order"),
    [("button", [3, 4, 1]), ("left_of_button", [4, 1, 3]), ("right_of_puck", [1, 3, 4])],
)
def test_r30_the_sheet_says_from_where_hands_compare(first, order):
    assert by_position({1, 3, 4}, 3, first) == order


@pytest.mark.parametrize(
    ("first", "order"),
    [("button", [4, 2, 4, 2]), ("left_of_button", [2, 4, 2, 4]), ("right_of_puck", [2, 4, 2, 4])],
)
def test_r35_with_two_hands_each_the_players_take_turns(first, order):
    assert by_position({2, 4}, 4, first, 2) == order
