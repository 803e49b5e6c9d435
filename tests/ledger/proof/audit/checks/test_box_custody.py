"""The offline check of boxes with seals, and of the money that a cashier receives by their own count."""

import copy

import pytest

from tests.support.books_by_hand import codes
from tests.support.entries_by_hand import other
from tests.support.log_by_hand import find, night
from tests.support.whole_records import at

RECEIVED = {"sheet": 151, "received_by": 7, "received_with": None, "reason": "", "received_at": at(53)}
RECEIVED |= {
    "pieces": {"chips": [[500, 3]], "cash": [[1000, 1], [100, 4]]},
    "chips_cents": 1500,
    "cash_cents": 1400,
    "terminal": "",
    "key": "rcv",
}
BROUGHT = {"box": 21, "ordinal": 1, "place": "count_room", "seal": "0017", "reason": "", "person": 5}
BROUGHT |= {"second": 3, "at": at(44), "terminal": "", "key": "brought"}


def sealed(seal="0017", brought=None, received=None, **pulled):
    """Return the night with a seal on its box, brought to the count room; its money received by a cashier."""
    bodies = copy.deepcopy(night())
    for body in bodies:
        if body.get("kind") == "box_installed":
            body["data"]["seal"] = "0017"
        if body.get("kind") == "box_pulled":
            body["data"] |= {"seal": seal, **pulled}
    sheet = find(bodies, "count_sheet", 151)
    sheet["to_cashier"] = True
    if brought is not None:
        bodies.insert(bodies.index(sheet), other("box_received", 161, 44, **brought))
    if received is not None:
        signed = bodies.index(find(bodies, "count_sheet_signed", 153))
        bodies.insert(signed + 1, other("count_sheet_received", 162, 53, **received))
    return bodies


def names(bodies):
    return {code for code, _ in codes(bodies)}


def test_a_sealed_box_brought_by_two_and_received_by_a_cashier_is_right():
    assert names(sealed(brought=BROUGHT, received=RECEIVED)) == set()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"brought": None}, "box_not_received"),
        ({"brought": BROUGHT | {"place": "storage"}}, "box_not_received"),
        ({"brought": BROUGHT | {"seal": "0018"}}, "seal_differs"),
        ({"brought": BROUGHT | {"second": 6}}, "second_person"),
        ({"brought": BROUGHT | {"person": 4}}, "second_person"),
        ({"brought": BROUGHT | {"ordinal": 2}}, "number_gap"),
        ({"seal": "0018"}, "seal_differs"),
        ({"received": None}, "sheet_not_received"),
        ({"received": RECEIVED | {"received_by": 5}}, "counted_by_signer"),
        ({"received": RECEIVED | {"reason": "a chip"}}, "counts_differ"),
        ({"received": RECEIVED | {"cash_cents": 1300}}, "wrong_sum"),
        (
            {
                "received": RECEIVED
                | {"pieces": {"chips": [[500, 3]], "cash": [[1000, 1], [100, 3]]}, "cash_cents": 1300}
            },
            "counts_differ",
        ),
        (
            {
                "received": RECEIVED
                | {"pieces": {"chips": [[500, 3]], "cash": [[1000, 1], [100, 3]]}, "cash_cents": 1300}
                | {"received_with": 8, "reason": "a dollar fell down"}
            },
            "wrong_count",
        ),
    ],
)
def test_what_is_wrong_on_its_way_is_named(wrong, code):
    assert code in names(sealed(**{"brought": BROUGHT, "received": RECEIVED, **wrong}))
