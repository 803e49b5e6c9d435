"""Count sheets in the log: what comes too early, too late or twice is named."""

from tests.support.books_by_hand import codes
from tests.support.log_by_hand import find, night


def night_without(record):
    return [body for body in night() if body["record"] != record]


def test_a_box_that_was_signed_off_before_its_count_sheet_is_named():
    assert codes(night_without("count_sheet_signed")) == [("sheet_not_signed", 97), ("sheet_not_signed", 98)]


def test_what_comes_after_the_signatures_of_a_sheet_is_named():
    bodies = night()
    signed = find(bodies, "count_sheet_signed", 153)
    bodies.remove(signed)
    bodies.insert(bodies.index(find(bodies, "count_note", 152)), signed)
    assert ("sheet_signed", 152) in codes(bodies)
    assert ("sheet_signed", 95) in codes(bodies)


def test_a_second_sheet_of_a_day_is_named_while_one_is_open():
    bodies = night()
    first = find(bodies, "count_sheet", 151)
    bodies.insert(bodies.index(first) + 1, {**first, "id": 154, "number": 2, "key": "another"})
    assert codes(bodies) == [("sheet_begun", 154), ("sheet_not_signed", 98)]
