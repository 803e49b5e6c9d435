"""What a public board says of those who wait."""

from datetime import timedelta

import pytest

from tables.rules.table.waits import initials, likely_wait, may_say


@pytest.mark.parametrize(
    ("minutes", "likely"),
    [
        ([], None),
        ([10, 10, 10, 10], None),
        ([10, 10, 10, 10, 10], 10),
        ([1, 2, 11, 60, 90], 15),
        ([0, 0, 0, 0, 0], 5),
        ([10, 20, 21, 22, 30, 40], 25),
    ],
)
def test_a_likely_wait_is_the_median_rounded_up_to_five_minutes(minutes, likely):
    assert likely_wait([timedelta(minutes=one) for one in minutes]) == likely


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("Ann Lee", "A.L."),
        ("josé maría de la Cruz", "J.M.D."),
        ("(red) cap", "R.C."),
        ("王 小明", "王.小."),
        ("علي حسن", "ع.ح."),
        ("  --  ", ""),
    ],
)
def test_a_board_shows_initials(name, alias):
    assert initials(name) == alias


def test_each_thing_is_said_once_and_more_time_is_asked_in_a_call_alone():
    assert may_say("waiting", coming=False, more=False) == ("coming", "off")
    assert may_say("called", coming=False, more=False) == ("coming", "more", "off")
    assert may_say("called", coming=True, more=False) == ("more", "off")
    assert may_say("called", coming=True, more=True) == ("off",)
    for state in ("held", "expired"):
        assert may_say(state, coming=True, more=False) == ("off",)
