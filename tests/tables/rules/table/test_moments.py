"""The order of time at one table (R65), asked of somebody who keeps a written list."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from tables.rules.table.moments import LONGEST_WAIT, act_moment, jump, runs_back, starts_wrong

START = datetime(2026, 11, 22, 4, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_r65_an_act_whose_turn_comes_in_order_happens_when_its_clock_says():
    assert act_moment(after(5), after(0)) == after(5)
    assert act_moment(after(5), after(5)) == after(5)


def test_r65_an_act_that_waited_happens_when_the_one_before_it_did():
    assert act_moment(after(3), after(5)) == after(5)
    assert act_moment(START, START + LONGEST_WAIT) == START + LONGEST_WAIT


def test_r65_a_clock_that_is_further_behind_is_wrong():
    assert act_moment(START, START + LONGEST_WAIT + timedelta(microseconds=1)) is None


@given(st.lists(st.integers(0, 90), min_size=1, max_size=12))
def test_r65_whatever_the_clocks_say_the_list_of_a_table_is_in_order(clocks):
    book, page = [], []
    for seconds in clocks:
        waits = [at for at in page if at > seconds]  # what was written after this clock was read
        moment = act_moment(after(seconds), book[-1] if book else START)
        if waits and max(waits) - seconds > LONGEST_WAIT.total_seconds():
            assert moment is None
            continue
        page.append(max([seconds, *waits]))
        assert moment == after(page[-1])
        book.append(moment)
    assert book == sorted(book)
    assert not any(runs_back(later, earlier) for earlier, later in itertools.pairwise(book))


def test_r65_an_act_at_a_table_whose_records_are_known_to_be_ahead_takes_their_moment():
    ahead = after(3600)
    assert act_moment(START, ahead, ahead_until=ahead) == ahead
    assert act_moment(START, after(3601), ahead_until=ahead) is None


@pytest.mark.parametrize(
    ("moved", "jumped"), [(59, False), (60, False), (61, True), (3600, True), (-60, False), (-61, True)]
)
def test_a_clock_that_moves_by_more_than_a_minute_against_the_time_that_passed_has_jumped(moved, jumped):
    passed = timedelta(hours=3)
    assert jump(START, START + passed, passed) is None
    found = jump(START, START + passed + timedelta(seconds=moved), passed)
    assert found == (timedelta(seconds=moved) if jumped else None)


@pytest.mark.parametrize(
    ("since_newest", "playing", "wrong"),
    [(10, True, False), (-61, False, True), (-30, True, False), (901, True, True), (3600, False, False)],
)
def test_a_start_is_held_against_the_newest_record(since_newest, playing, wrong):
    assert starts_wrong(after(since_newest), START, playing=playing) is wrong
