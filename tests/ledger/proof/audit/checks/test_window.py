"""The window in a log by hand: which chips, and whose."""

import pytest

from tests.support.books_by_hand import codes, run, sale
from tests.support.entries_by_hand import entry, other
from tests.support.log_by_hand import drawer, night

FOUR = {"chips": [[2_500, 4]], "cash": []}
IN_THE_REGISTER = other("player_change", 90, 9, player=7, before="", after="a commitment", actor=3)
ASKED = {"pieces": FOUR, "patron_from": 300_000}


def evening(*entries):
    """Return the house with its float, the drawer of 3 with $500 in chips, and these entries."""
    return [*night()[:6], *drawer(5), *entries]


def sold(number, cents=10_000, **said):
    return sale(number, 10, cents, evidence={"cents": cents, "receipt": number - 149} | said)


def change(number, **said):
    return entry(number, "chip_change", 10, actor=3, evidence={"cents": 10_000, **said})


def test_a_sale_in_pieces_is_right_and_so_is_one_of_before_pieces_were_written_down():
    found, check = run(evening(sold(150), sold(151, **ASKED)))
    assert found == []
    assert check.checked["acts at the window in pieces"] == 1


def test_once_the_window_says_which_chips_it_goes_on_to():
    assert codes(evening(sold(150, **ASKED), sold(151))) == [("no_pieces", 151)]


def test_chips_that_do_not_come_to_the_amount_are_named():
    forged = ASKED | {"pieces": {"chips": [[2_500, 3]], "cash": []}}
    assert codes(evening(sold(150, **forged))) == [("wrong_pieces", 150)]


def test_chips_that_the_house_has_not_are_named():
    bodies = evening(sold(150, **ASKED))
    bodies[0]["data"]["chip_values"] = "1 5 100"
    assert codes(bodies) == [("wrong_pieces", 150)]


@pytest.mark.parametrize("said", [{"pieces": FOUR}, ASKED | {"patron_from": 10_000}])
def test_a_large_amount_without_its_patron_is_named(said):
    assert codes(evening(sold(150, **said))) == [("no_patron", 150)]


def test_a_patron_who_is_named_is_in_the_register():
    named = sold(150, **ASKED | {"patron_from": 10_000, "player": 7})
    assert codes(evening(IN_THE_REGISTER, named)) == []
    assert codes(evening(named)) == [("no_patron", 150)]


def test_the_chips_usual_in_a_jurisdiction_are_known_where_its_file_is_at_hand():
    bodies = evening(sold(150, **ASKED))
    bodies[0]["data"]["chip_values"] = ""
    for chips, expected in (((2_500,), []), ((500,), [("wrong_pieces", 150)])):
        assert codes(bodies, usual={bodies[0]["data"]["jurisdiction"]: chips}) == expected


def test_change_is_as_much():
    right = ASKED | {"given": {"chips": [[10_000, 1]], "cash": []}, "receipt": 1}
    assert codes(evening(change(150, **right))) == []
    less = right | {"given": {"chips": [[500, 19]], "cash": []}}
    assert codes(evening(change(150, **less))) == [("wrong_pieces", 150)]


def test_tokes_paid_out_in_pieces_go_on_to_be():
    def paid(number, **said):
        evidence = {"cents": 10_000, "receipt": number - 149, **said}
        return entry(number, "chip_redemption", 10, actor=3, approver=4, evidence=evidence)

    in_pieces, without = paid(150, pieces=FOUR), paid(151)
    assert ("no_pieces", 151) in codes(evening(in_pieces, without))
    assert ("no_pieces", 151) not in codes(evening(paid(150), without))


WHO = ASKED | {"patron_from": 15_000, "report_above": 25_000}


@pytest.mark.parametrize(
    ("second", "found"),
    [
        ({}, []),
        ({"seen": 1}, [("no_patron", 151)]),
        ({"seen": 1, "player": 7}, []),
        ({"seen": 9}, [("not_seen", 151)]),
    ],
)
def test_what_one_person_bought_twice_names_them(second, found):
    assert codes(evening(IN_THE_REGISTER, sold(150, **WHO), sold(151, **WHO | second))) == found


def test_cash_above_what_is_reported_was_not_taken_without_identification():
    three = [sold(number, **WHO | {"player": 7}) for number in (150, 151, 152)]
    assert codes(evening(IN_THE_REGISTER, *three)) == [("not_identified", 152)]
    three[2]["evidence"]["identified"] = True
    assert codes(evening(IN_THE_REGISTER, *three)) == []


def test_in_a_part_of_a_log_an_earlier_receipt_may_be_of_before():
    assert ("not_seen", 151) not in codes(
        evening(IN_THE_REGISTER, sold(150, **WHO), sold(151, **WHO, seen=9)), whole=False
    )
