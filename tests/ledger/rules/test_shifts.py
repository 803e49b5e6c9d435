"""The shifts of a gaming day: where they begin and end, what is in them, and in which order they close."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st

from ledger.rules.gaming_days import Clock, bounds_of, clock_in, day_of
from ledger.rules.shifts import (
    Clocks,
    bounds_of_shift,
    first_open,
    shift_by_clock,
    shift_name,
    shift_of,
    starts_of,
    wrong_shift,
)

LA = ZoneInfo("America/Los_Angeles")
THREE = Clock(LA, 6, 3)
SATURDAY = date(2026, 11, 21)
HOUR = timedelta(hours=1)


def at(hour, day=21, minute=0):
    """A moment by the house's clock in November 2026."""
    return datetime(2026, 11, day, hour, minute, tzinfo=LA).astimezone(UTC)


def test_three_shifts_begin_at_six_at_two_and_at_ten():
    assert starts_of(SATURDAY, THREE) == (at(6), at(14), at(22), at(6, 22))
    assert bounds_of_shift(SATURDAY, 3, THREE) == (at(22), at(6, 22))
    names = [shift_name(number, THREE) for number in (1, 2, 3)]
    assert names == ["Shift 1, 06:00 to 14:00", "Shift 2, 14:00 to 22:00", "Shift 3, 22:00 to 06:00"]


@pytest.mark.parametrize(
    ("shifts", "names"),
    [
        (1, ["Shift 1, 06:00 to 06:00"]),
        (2, ["Shift 1, 06:00 to 18:00", "Shift 2, 18:00 to 06:00"]),
        (4, [f"Shift {one}, {times}" for one, times in enumerate(
            ("06:00 to 12:00", "12:00 to 18:00", "18:00 to 00:00", "00:00 to 06:00"), 1)]),
    ],
)  # fmt: skip
def test_shifts_have_the_same_length_by_the_clock(shifts, names):
    clock = Clock(LA, 6, shifts)
    assert [shift_name(number, clock) for number in range(1, shifts + 1)] == names


@pytest.mark.parametrize(
    ("moment", "shift"),
    [(at(6), 1), (at(13, minute=59), 1), (at(14), 2), (at(21, minute=59), 2), (at(22), 3), (at(5, 22), 3)],
)
def test_a_moment_is_in_the_shift_that_has_begun(moment, shift):
    assert shift_of(moment, SATURDAY, THREE) == shift


def test_what_a_day_got_before_its_start_or_after_its_end_is_in_its_first_or_last_shift():
    assert shift_of(at(5), SATURDAY, THREE) == 1
    assert shift_of(at(9, 22), SATURDAY, THREE) == 3


def test_the_shift_in_which_the_clocks_change_is_an_hour_longer_or_shorter():
    longer, shorter = date(2026, 10, 31), date(2026, 3, 7)
    for day, length in ((longer, 9), (shorter, 7)):
        lengths = [end - start for start, end in (bounds_of_shift(day, one, THREE) for one in (1, 2, 3))]
        assert lengths == [8 * HOUR, 8 * HOUR, length * HOUR]
    first, second = (datetime(2026, 11, 1, 1, 30, tzinfo=LA, fold=fold).astimezone(UTC) for fold in (0, 1))
    assert [shift_of(one, longer, THREE) for one in (first, second)] == [3, 3]
    one_o_clock = Clock(LA, 17, 3)  # at 17, 1 and 9: the clocks go back to the start of a shift
    assert [shift_of(one, longer, one_o_clock) for one in (first, second)] == [2, 2]


@pytest.mark.parametrize("number", [0, 4, -1])
def test_a_day_has_no_other_shifts(number):
    with pytest.raises(IndexError):
        bounds_of_shift(SATURDAY, number, THREE)


ZONES = ["America/Los_Angeles", "Europe/Vienna", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu"]


@given(
    st.sampled_from(ZONES),
    st.integers(0, 23),
    st.integers(1, 4),
    st.dates(date(1990, 1, 1), date(2035, 1, 1)),
    st.integers(0, 24 * 60),
)
def test_shifts_follow_each_other_without_a_gap_and_fill_their_day(zone, hour, shifts, day, minute):
    clock = Clock(ZoneInfo(zone), hour, shifts)
    starts = starts_of(day, clock)
    assert len(starts) == shifts + 1
    assert (starts[0], starts[-1]) == bounds_of(day, clock)
    assert list(starts) == sorted(starts)
    moment = starts[0] + timedelta(minutes=minute)
    if moment < starts[-1]:
        start, end = bounds_of_shift(day, shift_of(moment, day, clock), clock)
        assert start <= moment < end


@given(
    st.sampled_from([zone for zone in ZONES if zone != "Pacific/Apia"]),  # which once left a day out
    st.integers(0, 23),
    st.integers(1, 4),
    st.integers(946_684_800, 2_051_222_400).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
)
def test_papers_find_the_same_shift_by_the_offset_alone(zone, hour, shifts, moment):
    clock = Clock(ZoneInfo(zone), hour, shifts)
    local, day = moment.astimezone(clock.zone), day_of(moment, clock)
    assert shift_by_clock(local, day, hour, shifts) == shift_of(moment, day, clock)
    for change in (date(2026, 3, 7), date(2026, 10, 31), date(2026, 3, 28), date(2026, 10, 24)):
        for start in starts_of(change, clock):
            for moment in (start - timedelta(minutes=1), start):
                day, local = day_of(moment, clock), moment.astimezone(clock.zone)
                assert shift_by_clock(local, day, hour, shifts) == shift_of(moment, day, clock)


def test_papers_count_what_a_day_got_later_to_its_last_shift():
    assert [shift_by_clock(at(5, day).astimezone(LA), SATURDAY, 6, 3) for day in (21, 25)] == [1, 3]


# --- Closing them


@pytest.mark.parametrize(
    ("seen", "closed_to", "open_"),
    [
        ([at(7)], 0, 1),
        ([at(15)], 0, 2),
        ([at(23)], 0, None),  # the last is closed with the day
        ([at(15), at(7)], 1, 2),
        ([at(15), at(7)], 2, None),
        ([at(5), at(9, 22)], 0, None),  # dated in the day, and happened before or after it
        ([], 0, None),
    ],
)
def test_the_first_shift_that_saw_an_entry_waits_to_be_closed(seen, closed_to, open_):
    assert first_open(seen, SATURDAY, THREE, closed_to) == open_


def test_a_house_of_one_shift_has_none_to_close():
    assert first_open([at(7)], SATURDAY, Clock(LA, 6), 0) is None
    assert wrong_shift(SATURDAY, 1, Clock(LA, 6), closed_to=0, open_=None, at=at(7, 22))[0] == "last_shift"


@pytest.mark.parametrize(
    ("number", "closed_to", "open_", "moment", "code"),
    [
        (1, 0, 1, at(14), None),
        (2, 0, None, at(22), None),
        (2, 1, 2, at(22), None),
        (1, 0, 1, at(13, minute=59), "shift_not_over"),
        (2, 0, 1, at(22), "shift_not_closed"),
        (1, 1, None, at(22), "shift_already_closed"),
        (1, 2, None, at(22), "shift_already_closed"),
        (3, 2, None, at(9, 22), "last_shift"),
        (4, 2, None, at(9, 22), "no_such_shift"),
        (0, 0, None, at(9, 22), "no_such_shift"),
    ],
)
def test_shifts_close_in_order_once_and_after_their_end(number, closed_to, open_, moment, code):
    wrong = wrong_shift(SATURDAY, number, THREE, closed_to=closed_to, open_=open_, at=moment)
    assert (wrong and wrong[0]) == code


# --- The house's clocks


def clocks(*said):
    found = Clocks()
    for recorded_at, shifts in said:
        found.take(
            datetime.fromisoformat(recorded_at),
            {"time_zone": "America/Los_Angeles", "day_starts_at": 6, "shifts": shifts},
        )
    return found


def test_the_clock_of_a_moment_is_what_was_said_last_before_it():
    found = clocks(("2026-11-01T12:00:00+00:00", 1), ("2026-11-21T12:00:00+00:00", 3))
    shifts = [found.at(at(hour, day)).shifts for hour, day in ((5, 1), (3, 21), (4, 21), (9, 22))]
    assert shifts == [1, 1, 3, 3]
    assert Clocks().at(at(3)) is None


@pytest.mark.parametrize("shifts", [0, 5, -1, "many", None])
def test_a_record_with_other_numbers_of_shifts_sets_no_clock(shifts):
    assert clock_in({"time_zone": "UTC", "day_starts_at": 6, "shifts": shifts}) is None
