"""A table's closing in a log by hand: its bank goes to the cage on a closer as two people counted it."""

import pytest

from tests.support.books_by_hand import before_closing, codes, field, run
from tests.support.closing_by_hand import IN_BANK
from tests.support.entries_by_hand import BANK_CASH, BANK_CHIPS, OVER_CASH, OVER_CHIPS, entry, moves
from tests.support.log_by_hand import at, night

COUNT = 112
CLOSED = ("wrong_closer", 57)


def said(**more):
    def change(body):
        body["evidence"] = body["evidence"] | more

    return change


def without(*gone):
    """The night up to its closing, without these records."""
    return [body for body in night()[:-1] if (body["record"], body["id"]) not in gone]


STEPS = [("document_step", 135), ("document_step", 136), ("document_step", 137)]
CLOSER = [("document", 122), *STEPS, ("entry", 94), ("entry", 95)]


def test_a_closing_that_is_right_has_nothing_wrong():
    found, check = run(night())
    assert (found, check.checked["documents begun"]) == ([], 2)


def test_a_bank_that_went_to_the_cage_on_no_closer_is_named():
    bodies = without(*CLOSER)
    assert codes(bodies)[:2] == [CLOSED, ("not_empty", 57)]


@pytest.mark.parametrize(
    ("record", "number", "change"),
    [
        ("entry", COUNT, said(closer=None)),
        ("entry", COUNT, said(closer=121)),
        ("entry", COUNT, said(pieces=IN_BANK | {"cash": [[5_000, 4]]})),
        ("entry", COUNT, said(pieces={"chips": [], "cash": []})),
        ("entry", COUNT, field(actor=6)),
        ("entry", COUNT, field(approver=6)),
        ("entry", COUNT, field(occurred_at=at(39))),
        ("document_step", 135, field(person=6)),
        ("document_step", 136, field(person=6)),
        ("document_step", 135, field(at=at(39))),
        ("document_step", 136, field(at=at(41))),
        ("document", 122, field(chips=31)),
        ("document", 122, field(kind="credit")),
    ],
)
def test_a_closer_that_is_not_what_two_people_counted_is_named(record, number, change):
    found, _ = run(before_closing(record, number, change))
    assert ("wrong_closer", "table event 57") in [(one.code, one.record) for one in found]


def test_a_closer_that_is_sent_after_the_closing_is_named():
    bodies = without()
    late = [body for body in bodies if (body["record"], body["id"]) in (("entry", 94), STEPS[1])]
    rest = [body for body in bodies if body not in late]
    closing = next(leaf for leaf, body in enumerate(rest) if body["id"] == 57)
    assert codes([*rest[: closing + 1], *late, *rest[closing + 1 :]])[:2] == [CLOSED, ("not_empty", 57)]


def test_a_bank_that_still_holds_something_is_named():
    bodies = before_closing("entry", COUNT, field(transfers=moves((OVER_CHIPS, BANK_CHIPS, 500))))
    assert codes(bodies) == [("not_empty", 57)]


def test_a_closer_without_a_closing_is_named():
    bodies = without(("table_event", 57))
    found, _ = run(bodies)
    assert [(one.code, one.record) for one in found] == [("no_closing", "document 122")]


def test_an_empty_bank_has_no_closer():
    empty = {"chips": [], "cash": []}
    lines = (BANK_CHIPS, OVER_CHIPS, 180_000), (BANK_CASH, OVER_CASH, 20_000)
    evidence = night_count() | {"pieces": empty, "closer": None}
    gone = entry(COUNT, "bank_count", 40, *lines, approver=4, evidence=evidence)
    bodies = [gone if (one["record"], one["id"]) == ("entry", COUNT) else one for one in without(*CLOSER)]
    assert [one for one in codes(bodies) if one[1] in (57, COUNT)] == []


def night_count():
    return next(one for one in night() if (one["record"], one["id"]) == ("entry", COUNT))["evidence"]


@pytest.mark.parametrize("cut", range(6))
def test_a_part_of_a_log_that_begins_within_a_closing_accuses_nobody(cut):
    first = next(leaf for leaf, body in enumerate(night()) if body["id"] == 122)
    found, _ = run(night()[first + cut :], whole=False)
    assert found == []
