"""Counts that were refused, in a log by hand: in order, before the receipt, by who may count, and wrong."""

import pytest

from ledger.papers.counting import CountSheetsPaper, StruckCountsPaper
from ledger.papers.paper import PaperSource
from tests.ledger.proof.audit.checks.test_box_custody import BROUGHT, RECEIVED, sealed
from tests.support.books_by_hand import codes
from tests.support.entries_by_hand import BANK_CHIPS, VAULT_CHIPS, other
from tests.support.log_by_hand import find, night
from tests.support.whole_records import at

SHORT = {"pieces": {"chips": [], "cash": [[100, 1]]}, "chips_cents": 0, "cash_cents": 100}
AS_FOUND = {name: RECEIVED[name] for name in SHORT}


def struck(number, minute, **said):
    said = {"sheet": None, "document": None, "attempt": 1, "terminal": "", "request": "struck"} | SHORT | said
    return other("struck_count", number, minute, at=at(minute), **said)


def names(bodies):
    return [code for code, _ in codes(bodies)]


def counted(*after, **said):
    """A cashier, 7, counts wrongly before the receipt of the sheet, or `after` it."""
    bodies = sealed(brought=BROUGHT, received=RECEIVED)
    place = bodies.index(find(bodies, "count_sheet_received", 162)) + bool(after)
    bodies[place:place] = [struck(171, 53, **{"sheet": 151, "person": 7} | said)]
    return bodies


def at_sheet(*after, **said):
    return names(counted(*after, **said))


def at_opener(step, **said):
    """The dealer, 5, counts wrongly after this step of the opener."""
    bodies = night()
    place = bodies.index(find(bodies, "document_step", step)) + 1
    bodies[place:place] = [struck(171, 2, **{"document": 121, "person": 5} | said)]
    return names(bodies)


def test_a_count_that_was_refused_is_right():
    assert at_sheet() == at_opener(133) == []


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"attempt": 2}, "number_gap"),
        (AS_FOUND, "counts_differ"),
        ({"person": 5}, "counted_by_signer"),
        ({"cash_cents": 200}, "wrong_sum"),
        ({"sheet": 159}, "sheet_not_signed"),
        ({"place": "Count sheet 9"}, "other_sheet"),
    ],
)
def test_what_is_wrong_with_a_cashiers_count_is_named(said, code):
    assert at_sheet(**said) == [code]


def test_no_count_was_refused_after_the_receipt():
    assert at_sheet("the receipt") == ["sheet_not_signed"]
    assert at_opener(134) == ["no_document"]
    assert at_opener(132) == ["wrong_step"]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"attempt": 2}, "number_gap"),
        ({"person": 4}, "second_person"),
        ({"chips_cents": 5}, "wrong_sum"),
        ({"place": "Opener 9"}, "wrong_document"),
        (
            {"pieces": {"chips": [[2_500, 80]], "cash": []}, "chips_cents": 200_000, "cash_cents": 0},
            "counts_differ",
        ),
    ],
)
def test_what_is_wrong_with_a_count_of_a_document_is_named(said, code):
    assert at_opener(133, **said) == [code]


BANK = {"bank": BANK_CHIPS, "place": "Table 1", "second": 4, "second_pieces": {"chips": [], "cash": []}}


def at_bank(*after, **said):
    """Two people, 3 and 4, count the bank otherwise than each other before the table closes, or `after`."""
    bodies = night()
    closed = next(one for one in bodies if one["record"] == "table_event" and one["kind"] == "closed")
    counted = struck(171, 2, **BANK | {"person": 3} | said)
    bodies.insert(bodies.index(closed) + 1 if after else bodies.index(closed) - 4, counted)
    return names(bodies)


def test_two_counts_of_a_bank_that_differ_are_right():
    assert at_bank() == []


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"attempt": 2}, "number_gap"),
        ({"second": 3}, "second_person"),
        ({"second_pieces": SHORT["pieces"]}, "counts_differ"),
        ({"cash_cents": 200}, "wrong_sum"),
        ({"bank": VAULT_CHIPS}, "no_document"),
        ({"place": "Table 8"}, "wrong_document"),
    ],
)
def test_what_is_wrong_with_two_counts_of_a_bank_is_named(said, code):
    assert at_bank(**said) == [code]


def test_no_bank_is_counted_once_its_table_has_closed():
    assert at_bank("the closing") == ["no_document"]


def test_the_paper_of_refused_counts_has_a_line_for_each_person():
    paper = StruckCountsPaper(PaperSource())
    (first, second) = paper.take(struck(171, 2, person=3, **BANK))
    line = f",,Table 1,1,struck,3,{at(2)},".encode()
    assert first.startswith(line)
    assert (first.rstrip()[-17:], second.rstrip()[-11:]) == (b"0.00,1.00,,1 x $1", b"0.00,0.00,,")


def test_the_paper_of_count_sheets_has_it_struck_before_what_was_received():
    paper = CountSheetsPaper(PaperSource())
    lines = [
        line.decode().split(",") for body in counted() if takes(paper, body) for line in paper.take(body)
    ]
    last = [(line[2], line[5], line[6], line[7], line[11], line[12]) for line in lines[-2:]]
    assert last == [
        ("received", "1", "struck", "7", "0.00", "1.00"),
        ("received", "", "", "7", "15.00", "14.00"),
    ]


def takes(paper, body):
    return body["record"] in paper.takes
