"""R60-R65: the table's clock and what a player owes for a down."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from tables.rules.table.downs import (
    DOWN,
    DownStart,
    Stop,
    begun_after_wait,
    begun_by,
    clock_between,
    covered,
    down_ends,
    is_owed,
    owed,
)

START = datetime(2026, 3, 7, 20, 0, tzinfo=UTC)
FEE = 1500


def at(minute: float) -> datetime:
    return START + timedelta(minutes=minute)


@pytest.mark.parametrize(
    ("entered", "rule", "cents"),
    [
        (START - timedelta(microseconds=1), "full", 1500),
        (START, "full", 1500),
        (START + timedelta(minutes=19, seconds=59, milliseconds=999), "full", 1500),
        (START + timedelta(minutes=20), "half", 750),
        (START + timedelta(minutes=39, seconds=59), "half", 750),
    ],
)
def test_r61_full_before_minute_20_and_half_from_20_00_on(entered, rule, cents):
    assert (owed(FEE, START, entered, []).rule, owed(FEE, START, entered, []).cents) == (rule, cents)


def test_r61_the_minute_of_entry_is_kept_and_is_none_before_the_down():
    assert owed(FEE, START, at(12.5), []).minute == timedelta(minutes=12, seconds=30)
    assert owed(FEE, START, at(-3), []).minute is None


def test_r61_downs_run_back_to_back_from_the_first_round():
    begun = begun_by(DownStart(1, START), at(81), [], enough=True)
    assert begun == [DownStart(2, at(40)), DownStart(3, at(80))]


def test_r61_a_down_begins_exactly_at_its_boundary():
    assert begun_by(DownStart(1, START), at(40) - timedelta(microseconds=1), [], enough=True) == []
    assert begun_by(DownStart(1, START), at(40), [], enough=True) == [DownStart(2, at(40))]


def test_r61_the_clock_waits_at_the_boundary_for_a_second_player():
    assert begun_by(DownStart(1, START), at(50), [], enough=False) == []
    assert begun_after_wait(DownStart(1, START), at(53), []) == DownStart(2, at(53), waited_from=at(40))


def test_r61_a_second_player_exactly_at_the_boundary_is_no_wait():
    assert begun_after_wait(DownStart(1, START), at(40), []) == DownStart(2, at(40))


def test_r61_nothing_begins_after_a_wait_while_the_down_still_runs():
    assert begun_after_wait(DownStart(1, START), at(39), []) is None


def test_r65_a_stopped_clock_shifts_the_rest_of_the_down():
    stops = [Stop(at(10), at(25))]
    assert down_ends(START, stops) == at(55)
    assert owed(FEE, START, at(34), stops).rule == "full"
    assert owed(FEE, START, at(35), stops).rule == "half"


def test_r65_who_enters_while_the_clock_stands_enters_at_the_minute_it_stands_at():
    assert owed(FEE, START, at(22), [Stop(at(10))]).minute == timedelta(minutes=10)


def test_r65_a_down_does_not_end_while_the_clock_stands():
    stops = [Stop(at(39))]
    assert down_ends(START, stops) is None
    assert begun_by(DownStart(1, START), at(500), stops, enough=True) == []
    assert begun_after_wait(DownStart(1, START), at(500), stops) is None


def test_r65_a_stop_across_a_boundary_belongs_to_the_down_it_began_in():
    stops = [Stop(at(39), at(60))]
    assert begun_by(DownStart(1, START), at(61), stops, enough=True) == [DownStart(2, at(61))]


def test_r65_a_stop_before_the_down_does_not_shift_it():
    assert down_ends(at(40), [Stop(at(10), at(20))]) == at(80)


def test_a_down_across_the_change_to_daylight_saving_is_still_40_minutes():
    before_the_change = datetime(2026, 3, 8, 9, 50, tzinfo=UTC)  # 01:50 in Los Angeles; 02:00 does not exist
    assert down_ends(before_the_change, []) == datetime(2026, 3, 8, 10, 30, tzinfo=UTC)


moments = st.integers(0, 200).map(at)


@st.composite
def stops_in_order(draw):
    edges = sorted(draw(st.lists(st.integers(0, 200), max_size=6, unique=True)))
    return [Stop(at(a), at(b)) for a, b in zip(edges[::2], edges[1::2], strict=False)]


@given(stops=stops_in_order())
def test_r65_exactly_40_minutes_of_the_clock_lie_between_start_and_end_of_a_down(stops):
    assert clock_between(START, down_ends(START, stops), stops) == DOWN


@given(now=st.integers(0, 400), asked=st.lists(st.integers(0, 400), max_size=5), stops=stops_in_order())
def test_r65_it_does_not_matter_how_often_or_how_late_the_clock_is_asked(now, asked, stops):
    at_once = begun_by(DownStart(1, START), at(now), stops, enough=True)
    latest, in_steps = DownStart(1, START), []
    for minute in [*sorted(asked), now]:
        if minute <= now:
            in_steps += begun_by(latest, at(minute), stops, enough=True)
            latest = in_steps[-1] if in_steps else latest
    assert in_steps == at_once


@given(entered=moments, stops=stops_in_order(), fee=st.integers(1, 10_000))
def test_r61_nobody_owes_anything_but_the_full_fee_or_half_of_it(entered, stops, fee):
    assert owed(fee, START, entered, stops).cents in {fee, fee // 2}


def test_r62_a_covered_down_costs_nothing_and_keeps_the_minute_of_entry():
    half = owed(FEE, START, at(25), [])
    assert (covered(half).rule, covered(half).cents, covered(half).minute) == ("covered", 0, half.minute)


@pytest.mark.parametrize(
    ("came", "left", "owes"),
    [(10, None, True), (10.001, None, False), (0, 10, False), (0, 10.001, True), (10, 10, False)],
)
def test_r61_who_comes_at_the_moment_of_a_start_owes_and_who_leaves_at_it_does_not(came, left, owes):
    assert is_owed([at(10)], [(at(came), None if left is None else at(left))]) is owes
