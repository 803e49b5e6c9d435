"""An entry that was recorded at another time than the records around it is named; a clock accuses nobody."""

import pytest

from ledger.proof.audit.checks.order import Order
from tests.support.entries_by_hand import entry, other as other_record
from tests.support.log_by_hand import at, house_event, table_event


def named(*bodies):
    order = Order()
    for leaf, body in enumerate(bodies):
        order.take(leaf, body)
    return [(one.code, one.leaf) for one in order.finish()]


def entries(*minutes):
    return [entry(number, "chip_sale", minute) for number, minute in enumerate(minutes, 1)]


@pytest.mark.parametrize("other", [5, 58, 62, 300])
def test_an_entry_of_another_time_than_those_around_it_is_named(other):
    assert named(*entries(60, other, 60)) == [("other_time", 1)]
    assert named(*entries(59, 60, other, other, 60, 61)) == [("other_time", 2), ("other_time", 3)]


def test_what_happens_at_a_table_counts_as_neighbour():
    assert named(table_event(1, "left", 60), *entries(20), table_event(2, "left", 60)) == [("other_time", 1)]
    assert named(*entries(60), table_event(1, "left", 20), *entries(60)) == []


@pytest.mark.parametrize(
    "minutes",
    [
        (60, 120, 180),
        (60, 60, 60),
        (180, 20, 21, 22),  # the clock was put back
        (60, 180, 20, 21),  # it was ahead, and put back further
        (60, 59, 60),  # an act waited
        (60, 20, 200),  # nothing was recorded before and after for longer than it is off
        (60, 20),
    ],
)
def test_a_clock_that_is_put_back_and_an_act_that_waited_accuse_nobody(minutes):
    assert named(*entries(*minutes)) == []


def test_what_the_house_says_of_its_clock_excuses():
    doubted = house_event(1, "clock_doubted", 60, None, clock=at(180), expected=at(61))
    confirmed = house_event(2, "time_confirmed", 62, ahead_until=at(180), clock=at(62), reason="")
    before, wrong, after = entries(60, 180, 61)
    assert named(before, wrong, after) == [("other_time", 1)]
    assert named(before, wrong, doubted, after) == []
    assert named(before, wrong, after, confirmed) == []
    assert named(confirmed, before, wrong, after) == []
    later = {**confirmed, "data": {**confirmed["data"], "ahead_until": at(179)}}
    assert named(before, wrong, after, later) == [("other_time", 1)]


@pytest.mark.parametrize("record", ["cage_slip", "cage_slip_result", "document", "document_step"])
def test_a_slip_or_a_document_of_another_time_than_the_records_around_it_is_named(record):
    before, after = entries(60, 61)
    assert named(before, other_record(record, 1, 20), after) == [("other_time", 1)]
    assert named(before, other_record(record, 1, 60), after) == []
