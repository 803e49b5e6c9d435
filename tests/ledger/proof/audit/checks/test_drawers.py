"""Cashiers' drawers in a log by hand: each wrong is named, and nothing else."""

import copy

import pytest

from ledger.chart import AccountKind
from tests.support.books_by_hand import codes, run, sale
from tests.support.log_by_hand import (
    DAY,
    DRAWER_CASH,
    DRAWER_CHIPS,
    OVER_CASH,
    PUBLIC,
    VAULT_CASH,
    VAULT_CHIPS,
    at,
    drawer,
    entry,
    find,
    night,
    other,
)

CLOSED = {"slip": 120, "number": 3, "way": "closing", "counted_by": [3, 4], "drawer": 141, "drawer_number": 1}
LEFT = {"chips": [[2_500, 20]], "cash": []}


def evening(minute=5):
    """Return the house with its float, and the drawer of 3 with $500 in chips."""
    return [*night()[:6], *drawer(minute)]


def closing(*lines, minute=30, number=200, pieces=None, **evidence):
    """Return the slip, the entry and the result that close the drawer with these moves."""
    pieces = LEFT if pieces is None else pieces
    sums = {asset: sum(value * n for value, n in pieces[asset]) for asset in ("chips", "cash")}
    said = {"pieces": pieces, "chips_cents": sums["chips"], "cash_cents": sums["cash"]}
    counted = {"number": 3, "way": "closing", "drawer": 141, "counted_by": 3, "counted_at": at(minute)}
    return [
        other("cage_slip", 120, minute, **said, **counted, gaming_day=DAY),
        entry(
            *(number, "drawer_close", minute, *lines),
            approver=4,
            evidence=CLOSED | {"pieces": pieces} | evidence,
        ),
        other(
            *("cage_slip_result", 120, minute),
            **said,
            slip=120,
            outcome="posted",
            person=4,
            at=at(minute),
            entry=number,
        ),
    ]


WHOLE = ((DRAWER_CHIPS, VAULT_CHIPS, 50_000),)


def test_a_drawer_that_is_opened_filled_worked_and_closed_is_right():
    bodies = [*evening(), sale(150, 10, 10_000)]
    lines = (DRAWER_CHIPS, VAULT_CHIPS, 40_000), (DRAWER_CASH, VAULT_CASH, 10_000)
    left = {"chips": [[2_500, 16]], "cash": [[10_000, 1]]}
    found, check = run([*bodies, *closing(*lines, pieces=left)])
    assert found == []
    assert (check.checked["drawers opened"], check.checked["drawers closed"]) == (1, 1)


def test_the_missing_drawer_of_a_number_shows():
    bodies = evening()
    bodies[6]["number"] = 2
    bodies[8]["evidence"]["drawer_number"] = 2
    assert codes(bodies) == [("number_gap", 141)]


def opened(number, pk, cashier, accounts, minute=6):
    said = {"number": number, "cashier": cashier, "opened_at": at(minute), "gaming_day": "2026-11-30"}
    return other("drawer", pk, minute, chips=accounts[0], cash=accounts[1], **said)


def test_a_cashier_has_one_drawer_open():
    assert codes([*evening(), opened(2, 142, 3, (300, 301))]) == [("drawer_open", 142)]
    assert codes([*evening(), opened(2, 142, 7, (300, 301))]) == []


def test_a_drawer_has_accounts_of_its_own():
    assert codes([*evening(), opened(2, 142, 7, (VAULT_CHIPS, 301))]) == [("wrong_account", 142)]
    assert codes([*evening(), opened(2, 142, 7, (300, DRAWER_CASH))]) == [("wrong_account", 142)]


@pytest.mark.parametrize("kind", ["chip_sale", "collection"])
def test_what_moves_the_drawer_of_another_cashier_is_named(kind):
    if kind == "chip_sale":
        made = sale(150, 10, 500, actor=7)
        assert codes([*evening(), made]) == [("not_your_drawer", 150)] * 2
    else:
        paid = entry(
            *(150, "collection", 10, (PUBLIC, DRAWER_CASH, 500)),
            actor=7,
            evidence={"charge": 1, "method": "cage"},
        )
        assert ("not_your_drawer", 150) in codes([*evening(), paid])


def test_a_drawer_that_nobody_opened_is_named():
    assert ("wrong_account", 150) in codes([*night()[:6], sale(150, 10, 500)])


def test_an_issue_that_names_another_drawer_is_named():
    bodies = evening()
    bodies[8]["evidence"]["drawer_number"] = 7
    assert codes(bodies) == [("wrong_drawer", 97)]


def test_an_issue_whose_slip_is_of_another_drawer_is_named():
    bodies = evening()
    bodies[7]["drawer"] = 999
    assert codes(bodies) == [("wrong_slip", 97)]


def test_a_closing_that_leaves_something_in_the_drawer_is_named():
    short = closing((DRAWER_CHIPS, VAULT_CHIPS, 40_000), pieces={"chips": [[2_500, 16]], "cash": []})
    assert codes([*evening(), *short]) == [("not_empty", 200)]


def test_a_closing_that_moves_another_amount_to_the_vault_than_was_counted_is_named():
    told = closing(*WHOLE, pieces={"chips": [[2_500, 19]], "cash": []})
    assert codes([*evening(), *told]) == [("wrong_sum", 200)]


def test_what_is_missing_goes_to_over_short_and_is_right():
    bodies = [*evening(), sale(150, 10, 10_000)]
    lines = (
        (DRAWER_CHIPS, VAULT_CHIPS, 40_000),
        (DRAWER_CASH, VAULT_CASH, 9_000),
        (DRAWER_CASH, OVER_CASH, 1_000),
    )
    left = {"chips": [[2_500, 16]], "cash": [[1_000, 9]]}
    assert codes([*bodies, *closing(*lines, pieces=left)]) == []


def test_what_moves_a_drawer_after_it_was_closed_is_named():
    after = sale(201, 40, 500)
    found = codes([*evening(), *closing(*WHOLE), after])
    assert [one for one in found if one[0] == "wrong_account"] == [("wrong_account", 201)] * 2
    again = closing(minute=50, number=202, pieces={"chips": [], "cash": []})
    for body in again:
        if body["record"] != "entry":
            body["id"] = 121
    again[0]["number"], again[2]["slip"] = 4, 121
    again[1]["evidence"] |= {"slip": 121, "number": 4}
    assert codes([*evening(), *closing(*WHOLE), *again]) == [("wrong_drawer", 202)]


def test_a_drawer_that_is_open_when_its_day_is_closed_is_named():
    bodies = copy.deepcopy(night())
    find(bodies, "drawer", 141)["gaming_day"] = DAY
    assert codes(bodies) == [("drawer_open", 98)]


def test_a_part_of_a_log_that_begins_after_a_drawer_was_opened_accuses_nobody():
    bodies = [*evening(), sale(150, 10, 10_000)]
    lines = (DRAWER_CHIPS, VAULT_CHIPS, 40_000), (DRAWER_CASH, VAULT_CASH, 10_000)
    bodies += closing(*lines, pieces={"chips": [[2_500, 16]], "cash": [[10_000, 1]]})
    for begin in range(len(bodies)):
        assert codes(bodies[begin:], whole=False) == [], begin


def test_the_drawer_is_a_kind_of_account_that_never_goes_below_zero():
    much = sale(150, 10, 60_000)
    assert {code for code, _ in codes([*evening(), much])} == {"below_zero"}
    assert AccountKind.DRAWER == "drawer"
