"""Which count of a box stands, and who signs its sheet."""

import pytest

from ledger.rules.count_sheets import CountAttempt, agreed, calls_supervisor, wrong_signers
from ledger.rules.denominations import Pieces

FIVES, ONES = Pieces({500: 2}), Pieces({100: 10})


def attempts(*found):
    return [CountAttempt(number, counter, pieces) for number, counter, pieces in found]


def test_two_counters_agree_piece_by_piece():
    assert agreed(attempts((1, 5, FIVES), (1, 6, FIVES))) == FIVES
    assert agreed(attempts((1, 5, Pieces()), (1, 6, Pieces()))) == Pieces()
    assert agreed(attempts((1, 5, FIVES), (1, 6, ONES))) is None


def test_one_counter_alone_agrees_with_nobody():
    assert agreed([]) is None
    assert agreed(attempts((1, 5, FIVES))) is None
    assert agreed(attempts((1, 5, FIVES), (1, 5, FIVES))) is None


def test_only_the_last_attempt_counts():
    first = attempts((1, 5, FIVES), (1, 6, FIVES))
    assert agreed([*first, *attempts((2, 5, ONES))]) is None
    assert agreed([*first, *attempts((2, 5, ONES), (2, 6, ONES))]) == ONES


@pytest.mark.parametrize(("attempt", "called"), [(1, False), (3, False), (4, True), (9, True)])
def test_a_supervisor_is_called_once_three_attempts_have_differed(attempt, called):
    assert calls_supervisor(attempt, agree=False) == called
    assert not calls_supervisor(attempt, agree=True)


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (5, 6, None),
        (6, 5, None),
        (5, None, "second_person"),
        (5, 5, "second_person"),
        (5, 7, "did_not_count"),
        (7, 5, "did_not_count"),
    ],
)
def test_two_different_people_who_counted_sign(first, second, code):
    wrong = wrong_signers(first, second, {5, 6})
    assert (wrong and wrong[0]) == code
