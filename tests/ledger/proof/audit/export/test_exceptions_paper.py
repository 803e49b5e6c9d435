"""The paper of exceptions: which records are one, with old and new value, and gaps in a series."""

import re

import pytest

from ledger.papers.exceptions import EXCEPTIONS, KINDS
from ledger.papers.paper import PaperSource
from tests.ledger.proof.audit.export.test_papers import rows
from tests.support import declarations
from tests.support.entries_by_hand import ANNA, BERT, PUBLIC, entry, house_event, other
from tests.support.log_by_hand import DAY, round_evidence, table_event

CLOCK = {"time_zone": "UTC", "day_starts_at": 6, "shifts": 2}
EARLY = "2026-11-21T03:00:00.000000Z"  # still of the gaming day before, until that is closed


def told(bodies, kind=None, *, source=None):
    lines = rows(bodies, "exceptions.csv", source=source)
    return [
        (line["object"], line["old"], line["new"], line["reason"])
        for line in lines
        if kind in (None, line["kind"])
    ]


def test_a_correction_shows_what_each_seat_had_and_has():
    first = entry(1, "round", 10, (ANNA, BERT, 500), evidence=round_evidence(500))
    right = round_evidence(-500) | {"corrects": 1}
    again = entry(2, "correction", 12, (BERT, ANNA, 500), evidence=right, approver=4, reason="misread")
    (line,) = rows([first, again], "exceptions.csv")
    assert (line["kind"], line["object"], line["reason"]) == ("correction", "entry 1", "misread")
    assert (line["old"], line["new"]) == ("seat 1 5.00, seat 2 -5.00", "seat 1 -5.00, seat 2 5.00")
    assert (line["actor"], line["approver"], line["record"], line["record_id"]) == ("3", "4", "entry", "2")


def test_other_cards_are_told_where_they_change_no_result():
    hands = [{"seat": seat, "front": "2h 3h 4h", "middle": "", "back": f"{seat}s"} for seat in (1, 2)]
    was = round_evidence(500) | {"input": {"hands": hands}}
    now = round_evidence(500) | {"input": {"hands": [hands[0], hands[1] | {"back": "9s"}]}, "corrects": 1}
    bodies = [entry(1, "round", 10, evidence=was), entry(2, "correction", 12, evidence=now)]
    assert told(bodies) == [("entry 1", "seat 2 -5.00 (2h 3h 4h / 2s)", "seat 2 -5.00 (2h 3h 4h / 9s)", "")]


def test_what_an_entry_of_an_earlier_day_was_is_left_to_the_papers_of_that_day():
    first = entry(1, "round", 10, (ANNA, BERT, 500), evidence=round_evidence(500), gaming_day="2026-11-01")
    again = entry(2, "correction", 12, evidence=round_evidence(-500) | {"corrects": 1})
    assert [old for _, old, _, _ in told([first, again])] == [""]


def test_a_refused_pin_says_who_it_was_said_to_be_where_and_when():
    refused = house_event(
        1, "pin_refused", 9, None, guessed="pin", username="zoe", count=2, since="", terminal="table 3"
    )
    refused["terminal"] = "table 3"
    (line,) = rows([refused], "exceptions.csv")
    assert (line["kind"], line["object"], line["new"], line["terminal"]) == (
        "refused",
        "zoe",
        "2 wrong PINs",
        "table 3",
    )


def test_a_change_of_staff_shows_only_what_differs_and_later_lines_have_the_roles():
    facts = {"username": "zoe", "roles": ["dealer"]}
    changed = house_event(
        1, "staff_changed", 1, 4, staff=3, before=facts, after=facts | {"roles": ["floor"]}, approver=5
    )
    stop = table_event(2, "clock_stopped", 2, reason="a spilled drink", key="k")
    lines = rows([changed, stop], "exceptions.csv")
    assert [(line["old"], line["new"], line["approver"]) for line in lines[:1]] == [
        ("roles dealer", "roles floor", "5")
    ]
    assert (lines[1]["actor"], lines[1]["role"], lines[1]["session"]) == ("3", "floor", "5")


def test_only_counted_stacks_that_differ_are_exceptions():
    stacks = [
        {"seat": 1, "sitting": 1, "expected_cents": 5_000, "difference_cents": 0},
        {"seat": 2, "sitting": 2, "expected_cents": 7_000, "difference_cents": -500},
    ]
    right = table_event(1, "chips_counted", 1, counted={}, stacks=stacks[:1], key="a")
    wrong = table_event(2, "chips_counted", 1, counted={}, stacks=stacks, key="b")
    assert told([right, wrong], "variance") == [("stacks at the table", "seat 2 70.00", "seat 2 65.00", "")]


def test_a_number_that_never_came_is_a_gap_once_its_day_is_closed_and_order_does_not_matter():
    sold = [
        entry(number, "chip_sale", number, (PUBLIC, BERT, 100), receipt=receipt)
        for number, receipt in ((1, 2), (2, 1), (3, 4), (4, 6))
    ]
    closed = other("closed_day", 9, 9, gaming_day=DAY)
    lines = rows([*sold, closed], "exceptions.csv")
    assert [(line["kind"], line["object"], line["gaming_day"]) for line in lines] == [
        ("gap", "receipt 3", DAY),
        ("gap", "receipt 5", DAY),
    ]
    assert told(sold[3:], "gap", source=PaperSource(whole=False)) == []


def test_after_its_closing_nothing_more_is_of_a_gaming_day():
    source = PaperSource(offsets=(("", "+00:00"),))
    opened = house_event(1, "house_opened", 0, None, **CLOCK)
    marked = [house_event(number, "checkpoint_taken", 0, 3, size=number) for number in (2, 3)]
    for one in marked:
        one["recorded_at"] = EARLY
    closed = other("closed_day", 9, 9, gaming_day="2026-11-20")
    days = [
        line["gaming_day"]
        for line in rows([opened, marked[0], closed, marked[1]], "exceptions.csv", source=source)
    ]
    assert days == ["2026-11-20", "2026-11-21"]


@pytest.mark.parametrize("told", EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_every_exception_is_of_a_kind_that_the_page_filters_by(told):
    assert told.kind in KINDS


EVENTS = [key for key in EXCEPTIONS if key.startswith("table_event ")]


@pytest.mark.parametrize("key", EVENTS)
def test_what_somebody_wrote_of_an_event_at_a_table_is_on_the_paper(key):
    one, (form,) = EXCEPTIONS[key], declarations.forms_of(*key.split())
    said = " ".join(part for part in (one.what, one.old, one.new, one.reason) if isinstance(part, str))
    texts = [name for name, field in form.fields.items() if field.look.words == "text" and name != "key"]
    untold = [name for name in texts if not re.search(rf"{{data\.{name}[}}:]", said)]
    where = declarations.where(form)
    assert untold == [], f"tables/audit/exceptions.py tells nothing of it, which is in {where}."
