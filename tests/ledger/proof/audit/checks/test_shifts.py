"""Shifts in a log: closed in order, by two, over, with nothing of them open, and before their day. The night
by hand is played from noon to one, in the first of two shifts, which ends at six in the evening."""

import pytest

from tests.support.books_by_hand import codes, run
from tests.support.entries_by_hand import ANNA, PATRONS, entry, other
from tests.support.log_by_hand import DAY, at, drawer, house_event, night

EVENING = 6 * 60


def closed(number=1, minute=EVENING, row=301, **more):
    said = {"gaming_day": DAY, "number": number, "closed_at": at(minute), "closed_by": 7, "closed_with": 8}
    return other("closed_shift", row, minute, **said | {"key": f"shift {row}", "terminal": ""} | more)


def of_shifts(*closings, shifts=2, without=()):
    """The night in a house of so many shifts, closed before its day."""
    bodies = [body for body in night() if (body["record"], body["id"]) not in without]
    bodies[0]["data"]["shifts"] = shifts
    return [*bodies[:-1], *closings, bodies[-1]]


def before_its_day(*closings, **more):
    """The same without the day's closing, whose sums would differ too."""
    return of_shifts(*closings, **more)[:-1]


def test_a_night_whose_shift_was_closed_before_its_day_is_right():
    found, check = run(of_shifts(closed()))
    assert found == []
    assert check.checked["shifts closed"] == 1


def test_a_day_that_was_closed_before_its_shift_is_named():
    assert codes(of_shifts()) == [("shift_not_closed", 98)]
    assert codes(of_shifts(shifts=1)) == []


def test_a_shift_of_a_house_of_one_is_no_shift():
    assert codes(before_its_day(closed(), shifts=1)) == [("last_shift", 301)]


@pytest.mark.parametrize(
    ("closing", "code"),
    [
        (closed(minute=EVENING - 1), "shift_not_over"),
        (closed(2, minute=23 * 60), "last_shift"),
        (closed(3, minute=23 * 60), "no_such_shift"),
        (closed(0), "no_such_shift"),
        (closed(closed_with=7), "second_person"),
        (closed(closed_by=8, closed_with=7), "second_person"),  # who signed off its box
        (closed(closed_at=at(EVENING - 1), minute=EVENING), "other_time"),
    ],
)
def test_a_closing_at_another_time_of_no_shift_or_by_one_is_named(closing, code):
    assert code in [one for one, number in codes(before_its_day(closing)) if number == 301]


def test_a_shift_is_closed_once_and_not_after_a_later_one():
    again = closed(row=302, minute=EVENING + 1)
    assert codes(before_its_day(closed(), again)) == [("shift_already_closed", 302)]
    four = closed(3, minute=23 * 60), closed(1, row=302, minute=23 * 60)
    assert codes(before_its_day(*four, shifts=4)) == [
        ("shift_not_closed", 301),
        ("shift_already_closed", 302),
    ]


def test_a_shift_of_a_closed_day_was_closed_with_it():
    late = closed(row=302, minute=24 * 60 + 1)
    assert codes([*of_shifts(closed()), late]) == [("shift_already_closed", 302)]


@pytest.mark.parametrize(
    ("without", "code"),
    [
        (
            {("house_event", 4), ("count", 22), ("count", 23), ("entry", 110), ("sign_off", 24)},
            "box_not_pulled",
        ),
        ({("document_step", 134)}, "not_ended"),
    ],
)
def test_what_was_open_when_its_shift_was_closed_is_named(without, code):
    found, _ = run(before_its_day(closed(), without=without))
    assert code in [one.code for one in found if one.record == "closed shift 301"]


def test_a_drawer_of_the_shift_that_was_open_is_named_and_one_of_the_next_not():
    ahead = {(body["record"], body["id"]) for body in drawer()}
    first, *rest = before_its_day(closed(), without=ahead)
    assert ("drawer_open", 301) in codes([first, *drawer(1, ahead=0), *rest])
    assert codes(before_its_day(closed())) == []


def test_what_is_installed_after_its_end_is_of_the_next_shift():
    box = {"box": 29, "number": 2, "place": "Table 1", "gaming_day": DAY, "chips": 991, "cash": 992}
    installed = house_event(30, "box_installed", EVENING, **box)
    assert codes(before_its_day(installed, closed(minute=EVENING + 5))) == []
    installed = house_event(30, "box_installed", EVENING - 1, **box)
    assert codes(before_its_day(installed, closed(minute=EVENING + 5))) == [("box_not_pulled", 301)]


def test_a_part_without_the_clock_judges_no_shift_and_says_so():
    bodies = of_shifts(closed())[-2:]
    _, check = run(bodies, whole=False)
    assert check.checked["shifts closed by a clock that is not in these records, not judged"] == 1


def test_a_part_accuses_nobody_of_a_shift_that_may_have_been_closed_before_it():
    """The clock is known, and something of the first shift was recorded after its closing."""
    clock = house_event(30, "house_changed", EVENING + 1, **night()[0]["data"] | {"shifts": 2})
    late = entry(300, "buy_in", 5, (PATRONS, ANNA, 100), recorded_at=at(EVENING + 2))
    assert codes([clock, late, night()[-1]], whole=False) == []
    clock["recorded_at"] = at(4)  # the shift was open when the part began
    assert codes([clock, late, night()[-1]], whole=False) == [("shift_not_closed", 98)]
