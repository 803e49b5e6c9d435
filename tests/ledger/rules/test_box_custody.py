"""Custody of pulled boxes by example: seals, times, who brings and receives, where a difference falls."""

from datetime import datetime, timedelta

import pytest

from ledger.rules.box_custody import (
    drop_times,
    due_since,
    is_emergency,
    shares,
    together,
    wrong_bringers,
    wrong_receipt,
    wrong_seal,
)
from ledger.rules.denominations import Pieces

FIVE, TEN = Pieces(chips={500: 1}), Pieces(chips={500: 2})


def code(found):
    return found and found[0]


def at(hour, minute=0):
    return datetime(2026, 11, 21, hour, minute)  # noqa: DTZ001  (the house's clock)


def test_a_pull_is_on_time_half_an_hour_around_a_filed_time_also_over_midnight():
    times = drop_times("14:00 00:00")
    assert times == (0, 14 * 60)
    assert [is_emergency(at(14, one), times) for one in (0, 30, 31)] == [False, False, True]
    assert [is_emergency(at(23, one), times) for one in (29, 30)] == [True, False]
    assert not is_emergency(at(9), drop_times(""))


@pytest.mark.parametrize("text", ["6:00", "24:00", "06.00", "06:00,14:00"])
def test_times_are_written_in_one_way(text):
    with pytest.raises(ValueError, match="06:00"):
        drop_times(text)


def test_a_box_is_due_from_the_last_filed_time_since_it_was_installed():
    times = drop_times("14:00 06:00")
    assert due_since(at(13), at(13, 59), times) is None
    assert due_since(at(13), at(14), times) == at(14)
    assert due_since(at(14), at(23), times) is None
    assert due_since(at(5), at(23), times) == at(14)
    assert due_since(at(14) - timedelta(days=1, minutes=1), at(5), times) == at(14) - timedelta(days=1)
    assert due_since(at(5), at(23), drop_times("")) is None


def test_a_seal_is_the_boxs_or_has_a_reason():
    assert wrong_seal("17", "17", "") is None
    assert wrong_seal("", "", "") is None
    assert code(wrong_seal("17", "18", "")) == "seal_differs"
    assert wrong_seal("17", "18", "torn") is None
    assert code(wrong_seal("17", "", "torn")) == "seal_differs"
    assert code(wrong_seal("", "17", "torn")) == "seal_differs"


def test_two_bring_a_box_one_of_them_pulled_it_and_another_receives_it_in_the_count_room():
    assert code(wrong_bringers("storage", 1, 1, (1, 2))) == "second_person"
    assert code(wrong_bringers("storage", 1, None, (1, 2))) == "second_person"
    assert code(wrong_bringers("storage", 3, 4, (1, 2))) == "second_person"
    assert wrong_bringers("storage", 1, 2, (1, 2)) is None
    assert code(wrong_bringers("count_room", 1, 2, (1, 2))) == "second_person"
    assert wrong_bringers("count_room", 3, 2, (1, 2)) is None
    assert wrong_bringers("count_room", 3, 4, ()) is None


def test_a_cashier_receives_what_was_counted_or_two_sign_that_it_differs():
    assert wrong_receipt(TEN, TEN, 7, None, "", {1, 2}) is None
    assert code(wrong_receipt(TEN, TEN, 1, None, "", {1, 2})) == "counted_by_signer"
    assert code(wrong_receipt(TEN, TEN, 7, 8, "why", {1, 2})) == "counts_differ"
    assert code(wrong_receipt(TEN, FIVE, 7, None, "", {1, 2})) == "counts_differ"
    assert code(wrong_receipt(TEN, FIVE, 7, 8, "", {1, 2})) == "counts_differ"
    assert code(wrong_receipt(TEN, FIVE, 7, 7, "why", {1, 2})) == "second_person"
    assert wrong_receipt(TEN, FIVE, 7, 8, "why", {1, 2}) is None


def test_a_difference_falls_on_the_fullest_box_and_what_it_has_not_on_the_next():
    assert shares({1: 500, 2: 800, 3: 800}, 2100) == {1: 500, 2: 800, 3: 800}
    assert shares({1: 500, 2: 800, 3: 800}, 2200) == {1: 500, 2: 900, 3: 800}
    assert shares({1: 500, 2: 800, 3: 800}, 2000) == {1: 500, 2: 700, 3: 800}
    assert shares({1: 500, 2: 800, 3: 800}, 400) == {1: 400, 2: 0, 3: 0}
    assert shares({1: 0}, 0) == {1: 0}


def test_pieces_of_several_boxes_are_one_sum():
    assert together([FIVE, TEN, Pieces(cash={100: 1})]) == Pieces(chips={500: 3}, cash={100: 1})
