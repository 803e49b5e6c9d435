"""The race over rounds (R42): points add up, somebody is there first, and the others pay the stake."""

import pytest
from hypothesis import given, strategies as st

from tables.rules.game.matches import MatchPayment, match_payments, points_after, winner

SEATS = st.integers(1, 5)


def test_r42_points_add_up_and_who_was_not_dealt_in_keeps_theirs():
    assert points_after({1: 3, 2: 0, 4: 10}, {1: 1, 2: 2}) == {1: 4, 2: 2, 4: 10}


def test_r42_a_seat_outside_the_match_scores_nothing_in_it():
    assert points_after({1: 3, 2: 0}, {1: 0, 2: 1, 5: 2}) == {1: 3, 2: 1}


@pytest.mark.parametrize(
    ("points", "button", "won_by"),
    [
        ({1: 10, 2: 10, 3: 0}, 1, None),
        ({1: 10, 2: 11, 3: 0}, 1, 2),
        ({1: 12, 2: 13, 3: 11}, 1, 2),  # the higher total, however near the others are
        ({1: 11, 3: 11, 4: 11}, 3, 3),  # the button itself is nearest
        ({1: 11, 3: 11, 4: 11}, 2, 3),
        ({1: 11, 3: 11, 4: 11}, 5, 1),  # past the last seat it goes on with the first
        ({1: 12, 3: 11, 4: 12}, 3, 4),  # nearer only among those with the most
    ],
)
def test_r42_the_first_there_wins_then_the_higher_total_then_who_is_nearer_to_the_button(
    points, button, won_by
):
    assert winner(points, 11, button) == won_by


def test_r42_a_house_may_race_to_another_number():
    assert (winner({1: 6, 2: 7}, 7, 1), winner({1: 6, 2: 7}, 11, 1)) == (2, None)


def test_r42_each_other_player_pays_the_stake_clockwise_from_the_winner():
    assert match_payments(3, 5000, {1: 30_000, 3: 100, 4: 5000, 5: 20_000}) == (
        MatchPayment(4, 3, 5000, 5000),
        MatchPayment(5, 3, 5000, 5000),
        MatchPayment(1, 3, 5000, 5000),
    )


@pytest.mark.parametrize(("stack", "paid"), [(5001, 5000), (5000, 5000), (4999, 4999), (0, 0)])
def test_r42_a_payment_is_cut_to_the_stack_that_is_there(stack, paid):
    assert match_payments(1, 5000, {1: 0, 2: stack}) == (MatchPayment(2, 1, 5000, paid),)


@given(st.dictionaries(SEATS, st.integers(0, 14), min_size=2, max_size=4), SEATS, st.integers(1, 12))
def test_r42_nobody_wins_with_fewer_points_than_another_or_before_the_number(points, button, race_to):
    won_by = winner(points, race_to, button)
    if won_by is None:
        assert max(points.values()) < race_to
    else:
        assert points[won_by] == max(points.values()) >= race_to
        best = [seat for seat in points if points[seat] == points[won_by]]
        assert all((seat - button) % 5 >= (won_by - button) % 5 for seat in best)


@given(st.dictionaries(SEATS, st.integers(0, 100_000), min_size=2, max_size=4), st.integers(1, 100_000))
def test_r34_no_payment_is_more_than_the_stake_or_the_stack(stacks, stake):
    for won_by in stacks:
        payments = match_payments(won_by, stake, stacks)
        assert {payment.from_seat for payment in payments} == stacks.keys() - {won_by}
        assert all(payment.paid_cents == min(stake, stacks[payment.from_seat]) for payment in payments)
