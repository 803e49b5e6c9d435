"""Cashiers' drawers in a log by hand: each wrong is named, and nothing else."""

import copy

import pytest

from tests.support.books_by_hand import codes, run, sale
from tests.support.drawers_by_hand import closing, counted, night_of_a_closed_drawer, signed_off
from tests.support.entries_by_hand import (
    DRAWER_CASH,
    DRAWER_CHIPS,
    OVER_CASH,
    PATRONS,
    PUBLIC,
    VAULT_CASH,
    VAULT_CHIPS,
    entry,
    other,
)
from tests.support.log_by_hand import DAY, at, drawer, find, night

TAKEN = {"chips": [[2_500, 20]], "cash": []}
NOTHING = {"chips": [], "cash": []}
WHOLE = (DRAWER_CHIPS, VAULT_CHIPS, 50_000)


def evening(minute=5):
    """Return the house with its float, and the drawer of 3 with $500 in chips."""
    return [*night()[:6], *drawer(minute)]


def whole_shift():
    """Return the evening, a sale, and the closing of the drawer with all that it has."""
    lines = (DRAWER_CHIPS, VAULT_CHIPS, 40_000), (DRAWER_CASH, VAULT_CASH, 10_000)
    left = {"chips": [[2_500, 16]], "cash": [[10_000, 1]]}
    return [*evening(), sale(150, 10, 10_000), *closing(*lines, pieces=left)]


def test_a_drawer_that_is_opened_filled_worked_and_closed_is_right():
    found, check = run(whole_shift())
    assert found == []
    assert (check.checked["drawers opened"], check.checked["drawers closed"]) == (1, 1)


# Opened


def test_the_missing_drawer_of_a_number_shows():
    bodies = evening()
    find(bodies, "drawer", 141)["number"] = 2
    find(bodies, "entry", 97)["evidence"]["drawer_number"] = 2
    assert codes(bodies) == [("number_gap", 141)]


OTHERS = (300, 301)


def opened(number, pk, cashier, chips=OTHERS[0], cash=OTHERS[1]):
    said = {"number": number, "cashier": cashier, "chips": chips, "cash": cash, "gaming_day": DAY}
    return other("drawer", pk, 6, opened_at=at(6), **said)


def test_a_cashier_has_one_drawer_open_and_the_next_after_closing_it():
    assert codes([*evening(), opened(2, 142, 3)]) == [("drawer_open", 142)]
    assert codes([*evening(), opened(2, 142, 7)]) == []
    assert codes([*evening(), *closing(WHOLE, pieces=TAKEN, minute=6), opened(2, 142, 3)]) == []


def test_a_drawer_has_accounts_of_its_own():
    assert codes([*evening(), opened(2, 142, 7, chips=VAULT_CHIPS)]) == [("wrong_account", 142)]
    assert codes([*evening(), opened(2, 142, 7, cash=DRAWER_CASH)]) == [("wrong_account", 142)]


# Whose it is


OWN = {
    "chip_sale": ((PUBLIC, DRAWER_CASH, 500), (DRAWER_CHIPS, PATRONS, 500)),
    "chip_redemption": ((PATRONS, DRAWER_CHIPS, 500), (DRAWER_CASH, PUBLIC, 500)),
    "collection": ((PUBLIC, DRAWER_CASH, 500),),
}


@pytest.mark.parametrize("kind", OWN)
def test_what_another_cashier_does_at_the_window_out_of_a_drawer_is_named(kind):
    for actor, each in ((3, []), (7, [("not_your_drawer", 150)])):
        more = {"evidence": {"charge": 1, "method": "cage", "receipt": 2}} if kind == "collection" else {}
        done = entry(150, kind, 10, *OWN[kind], actor=actor, **more)
        assert codes([*evening(), sale(149, 9, 1_000), done]) == each * len(OWN[kind])


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("drawer_issue", (VAULT_CHIPS, DRAWER_CHIPS, 2_500)),
        ("drawer_return", (DRAWER_CHIPS, VAULT_CHIPS, 2_500)),
    ],
)
def test_nobody_else_takes_into_a_drawer_or_gives_back_from_it(kind, line):
    one = {"chips": [[2_500, 1]], "cash": []}
    assert codes([*evening(), *counted(kind, line, pieces=one)]) == []
    named = [("not_your_drawer", 203), ("not_your_drawer", 200)]
    assert codes([*evening(), *counted(kind, line, pieces=one, by=7)]) == named


def test_another_cashier_closes_a_drawer_in_place_of_its_own():
    assert codes([*evening(), *closing(WHOLE, pieces=TAKEN, by=7)]) == []


def test_an_act_at_a_window_whose_drawer_nobody_opened_is_named():
    bodies = [body for body in night()[:-1] if body["record"] != "drawer"]
    found = codes(bodies)
    assert found[0] == ("wrong_drawer", 112)
    assert found[1:] == [("wrong_account", 97), ("wrong_drawer", 97), *[("wrong_account", 109)] * 2]


# Between the two counts that close it


def worked_meanwhile(way="opening"):
    """Return a shift whose drawer sold for $100 after the first count of its closing, in a house whose vault
    was opened this way."""
    lines = (DRAWER_CHIPS, VAULT_CHIPS, 40_000), (DRAWER_CASH, VAULT_CASH, 10_000)
    left = {"chips": [[2_500, 16]], "cash": [[10_000, 1]]}
    bodies, (slip, posted, result) = copy.deepcopy(evening()), closing(*lines, pieces=left)
    for body in bodies:
        if "in" in (body.get("way"), body.get("evidence", {}).get("way")):
            (body if "way" in body else body["evidence"])["way"] = way
    return [*bodies, slip, sale(150, 30, 10_000), posted, result]


def test_a_drawer_that_was_worked_between_the_two_counts_is_named():
    assert codes(worked_meanwhile()) == [("drawer_moved", 200)]


def test_a_house_of_version_0_2_0_could_work_it():
    assert codes(worked_meanwhile("in")) == []


def test_two_counts_at_once_that_close_a_drawer_are_named():
    bodies = worked_meanwhile()
    (again,) = [body | {"id": 204, "number": 4} for body in bodies if body["id"] == 203][:1]
    assert ("slip_waits", 204) in codes([*bodies[:-3], again, *bodies[-2:]])


# Its slips


def test_an_issue_that_names_another_drawer_is_named():
    bodies = evening()
    find(bodies, "entry", 97)["evidence"]["drawer_number"] = 7
    assert codes(bodies) == [("wrong_drawer", 97)]


def test_an_issue_into_another_drawer_than_it_names_is_named():
    bodies = [*evening(), opened(2, 142, 7)]
    bodies += counted("drawer_issue", (VAULT_CHIPS, DRAWER_CHIPS, 50_000), pieces=TAKEN)
    find(bodies, "entry", 200)["transfers"][0]["to"] = OTHERS[0]
    assert codes(bodies) == [("not_your_drawer", 200), ("wrong_drawer", 200)]


def test_an_issue_whose_slip_is_of_another_drawer_is_named():
    bodies = evening()
    find(bodies, "cage_slip", 112)["drawer"] = 999
    assert codes(bodies) == [("wrong_drawer", 112), ("wrong_slip", 97)]


FIRST_COUNT = {"number": 3, "pieces": TAKEN, "chips_cents": 50_000, "cash_cents": 0, "gaming_day": DAY}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"way": "in", "drawer": None}, []),
        ({"way": "from_drawer", "drawer": 141}, []),
        ({"way": "closing", "drawer": 141, "counted_by": 7}, []),
        ({"way": "sideways", "drawer": None}, ["wrong_slip"]),
        ({"way": "out", "drawer": 141}, ["wrong_slip"]),
        ({"way": "to_drawer", "drawer": None}, ["wrong_slip"]),
        ({"way": "from_drawer", "drawer": 142}, ["wrong_drawer"]),
        ({"way": "from_drawer", "drawer": 141, "counted_by": 7}, ["not_your_drawer"]),
    ],
)
def test_a_slip_that_was_not_posted_goes_a_known_way_and_is_of_its_counters_open_drawer(said, expected):
    slip = other("cage_slip", 203, 6, **FIRST_COUNT | {"counted_by": 3, "counted_at": at(6)} | said)
    ended = {"slip": 203, "outcome": "withdrawn", "person": 3, "at": at(7), "reason": "a mistake"}
    ended |= {"pieces": NOTHING, "chips_cents": 0, "cash_cents": 0}
    withdrawn = other("cage_slip_result", 203, 7, **ended)
    assert codes([*evening(), slip, withdrawn]) == [(code, 203) for code in expected]


# Closed


def test_a_closing_that_leaves_something_in_the_drawer_is_named():
    part = {"chips": [[2_500, 16]], "cash": []}
    assert codes([*evening(), *closing((DRAWER_CHIPS, VAULT_CHIPS, 40_000), pieces=part)]) == [
        ("not_empty", 200)
    ]


def test_a_closing_takes_no_more_out_of_the_drawer_than_it_had():
    more = {"chips": [[2_500, 21]], "cash": []}
    found = codes([*evening(), *closing((DRAWER_CHIPS, VAULT_CHIPS, 52_500), pieces=more)])
    assert found == [("not_empty", 200), ("below_zero", 200)]


def test_a_closing_that_moves_another_amount_to_the_vault_than_was_counted_is_named():
    fewer = {"chips": [[2_500, 19]], "cash": []}
    assert codes([*evening(), *closing(WHOLE, pieces=fewer)]) == [("wrong_sum", 200)]


def test_what_is_over_comes_from_over_short_and_is_right():
    bodies = [*evening(), sale(150, 10, 10_000)]
    lines = (DRAWER_CHIPS, VAULT_CHIPS, 40_000), (DRAWER_CASH, VAULT_CASH, 10_000)
    left = {"chips": [[2_500, 16]], "cash": [[1_000, 11]]}
    assert codes([*bodies, *closing(*lines, (OVER_CASH, VAULT_CASH, 1_000), pieces=left)]) == []


def test_a_drawer_never_goes_below_zero():
    assert codes([*evening(), sale(150, 10, 60_000)]) == [("below_zero", 150)]


def test_what_moves_a_drawer_after_it_was_closed_is_named():
    shift = [*evening(), *closing(WHOLE, pieces=TAKEN)]
    back = entry(
        201, "collection", 40, OWN["collection"][0], evidence={"charge": 1, "method": "cage", "receipt": 1}
    )
    assert codes([*shift, back]) == [("wrong_account", 201)]
    again = closing(pieces=NOTHING, minute=50, number=202, slip=4)
    assert codes([*shift, *again]) == [("wrong_drawer", 204), ("wrong_drawer", 202)]


@pytest.mark.parametrize(("ahead", "expected"), [(-24, ["drawer_open"]), (0, ["drawer_open"]), (24, [])])
def test_a_drawer_that_is_open_when_its_day_or_a_later_one_is_closed_is_named(ahead, expected):
    bodies = copy.deepcopy(night())
    find(bodies, "drawer", 141).update(drawer(ahead=ahead * 60)[0])
    assert codes(bodies) == [(code, 98) for code in expected]


def test_a_drawer_that_is_dated_in_a_later_day_than_it_was_opened_in_is_named():
    bodies = evening()
    find(bodies, "drawer", 141).update(drawer(5, ahead=0)[0] | {"gaming_day": "2026-11-21"})
    assert codes(bodies) == [("wrong_day", 141)]


# What was over or short


def test_a_drawer_closed_with_a_difference_that_another_signed_off_is_right():
    assert codes(night_of_a_closed_drawer(signed_off())) == []


def test_a_difference_that_nobody_signed_off_before_the_day_was_closed_is_named():
    assert codes(night_of_a_closed_drawer()) == [("no_cause", 98)]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"signed_by": 3}, "counted_by_signer"),
        ({"signed_by": 4}, "counted_by_signer"),
        ({"signed_with": 4}, "counted_by_signer"),
        ({"threshold_cents": 1_000}, "second_person"),
        ({"cause": " "}, "no_cause"),
        ({"over_cash": 1_000}, "wrong_total"),
    ],
)
def test_a_difference_that_was_signed_off_otherwise_than_it_may_be_is_named(changed, expected):
    assert codes(night_of_a_closed_drawer(signed_off(**changed))) == [(expected, 99)]


def test_whose_drawer_it_was_does_not_sign_it_off_where_another_counted():
    others = night_of_a_closed_drawer(signed_off(signed_by=5), by=7)
    assert codes(others) == []
    for said in ({"signed_by": 3}, {"signed_by": 5, "signed_with": 3}):
        assert codes(night_of_a_closed_drawer(signed_off(**said), by=7)) == [("counted_by_signer", 99)]


# A part of a log

ENDS = ("from_kind", "to_kind")
OPENED = 6
"""The leaf of the drawer."""


def test_a_part_of_a_log_that_begins_after_a_drawer_was_opened_accuses_nobody_and_counts_what_it_left():
    bodies = whole_shift()
    left = "transfers of drawers opened before these records, not judged"
    for begin in range(len(bodies)):
        found, check = run(bodies[begin:], whole=False)
        assert found == [], begin
        lines = [line for body in bodies[begin:] for line in body.get("transfers", ())]
        ends = [line[end] for line in lines for end in ENDS].count("drawer")
        assert check.checked.get(left, 0) == (ends if begin > OPENED else 0)


def test_a_drawer_that_opens_in_a_part_of_a_log_is_judged():
    begin = evening()[OPENED:]
    assert codes([*begin, sale(150, 10, 60_000)], whole=False) == [("below_zero", 150)]
    assert codes([*begin, sale(150, 10, 500, actor=7)], whole=False) == [("not_your_drawer", 150)] * 2
