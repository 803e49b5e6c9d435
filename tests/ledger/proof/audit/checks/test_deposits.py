"""Deposits recomputed from a log: a box on two of them, cash that no box had, a step past its people."""

import pytest

from tests.support.books_by_hand import codes, field
from tests.support.entries_by_hand import BANK, MAKER, OVER_CASH, VAULT_CASH, entry, other
from tests.support.log_by_hand import DAY, at, document_step, night

WAY = 22
"""The account of the deposit's cash; the night's log names none of it."""
CASH = 1_400
PIECES = {"chips": [], "cash": [[100, 14]]}
SAID = {"pieces": PIECES, "chips_cents": 0, "cash_cents": CASH}
NAMED = {"document": 123, "kind": "deposit", "number": 1, "pieces": PIECES}


def cash(number, kind, source, target, cents, step, actor, **more):
    """An entry of the deposit, from one (account, kind) to another."""
    (one, of_one), (other_end, of_other) = source, target
    body = entry(
        number, kind, 61, actor=actor, evidence=NAMED | {"step": step} | more.pop("evidence", {}), **more
    )
    line = {"asset": "cash", "cents": cents, "from": one, "from_kind": of_one}
    body["transfers"] = [line | {"to": other_end, "to_kind": of_other}] if cents else []
    return body


def step(number, name, person, ordinal, **more):
    after = number - 1 if ordinal else None
    said = {"document": 123, "series": "deposit", "place": "The bank", "at": at(61), "recorded_at": at(61)}
    return document_step(number, name, person, ordinal=ordinal, after=after, **said | more)


VAULT, ON_ITS_WAY, AT_BANK = (VAULT_CASH, "vault"), (WAY, "transit"), (BANK, "bank")


def deposit():
    """Asked for by 7, authorised by 3, sent by 7, confirmed by 8."""
    accounts = {"chips": MAKER, "cash": BANK, "transit_chips": 21, "transit_cash": WAY}
    return [
        other(
            "document",
            123,
            61,
            kind="deposit",
            number=1,
            place="The bank",
            gaming_day=DAY,
            **accounts,
            **SAID,
        ),
        other("document_box", 141, 61, document=123, box=21, attempt=1),
        step(151, "requested", 7, 0),
        step(152, "authorised", 3, 1),
        cash(160, "document_sent", VAULT, ON_ITS_WAY, CASH, "sent", 7),
        step(153, "sent", 7, 2, entry=160, reference="Carl", **SAID),
        cash(161, "document_received", ON_ITS_WAY, AT_BANK, CASH, "received", 8),
        step(154, "received", 8, 3, entry=161, reference="slip 4711", **SAID),
    ]


@pytest.fixture
def before():
    """The night up to the sign-off of its box."""
    bodies = night()
    return bodies[: 1 + next(at for at, body in enumerate(bodies) if body["record"] == "sign_off")]


def test_a_right_deposit_is_right_wherever_it_waits(before):
    for length in (3, 4, 6, 8):
        assert codes([*before, *deposit()[:length]]) == []


@pytest.mark.parametrize(
    ("record", "number", "change", "expected"),
    [
        ("document", 123, field(place="Table 1"), ["wrong_document"]),
        ("document_box", 141, field(box=22), ["box_deposited"]),
        ("document_box", 141, field(attempt=2), ["wrong_document"]),
        ("document_box", 141, field(document=124), ["no_document"]),
        ("document_step", 151, field(reference="why not"), ["reference_required"]),
        ("document_step", 152, field(person=7), ["second_person"]),
        ("document_step", 153, field(person=3), ["second_person", "second_person"]),
        ("document_step", 153, field(reference=" "), ["reference_required"]),
        ("document_step", 154, field(person=7), ["second_person", "second_person"]),
        ("document_step", 154, field(reference=""), ["reference_required"]),
        ("document_step", 154, field(number=2), ["wrong_document"]),
        ("document_step", 154, field(series="fill"), ["wrong_document"]),
        ("document_step", 154, field(place="Table 1"), ["wrong_document"]),
        ("document_step", 154, field(gaming_day="2026-11-21"), ["wrong_day"]),
    ],
)
def test_what_a_deposit_its_boxes_or_its_steps_say_otherwise_is_named(
    before, record, number, change, expected
):
    bodies = [*before, *deposit()]
    change(next(body for body in bodies if (body["record"], body["id"]) == (record, number)))
    assert [code for code, named in codes(bodies) if named == number] == expected


def test_more_cash_than_was_counted_in_the_boxes_is_named(before):
    more = {"pieces": {"chips": [], "cash": [[100, 15]]}, "cash_cents": 1_500}
    bodies = [*before, *deposit()[:3]]
    bodies[-3] |= more
    assert codes(bodies) == [("wrong_sum", 151)]
    assert codes([*before, deposit()[0], deposit()[2]]) == [("wrong_sum", 151)]  # without a box


def test_a_box_that_is_deposited_twice_or_after_a_deposit_began_is_named(before):
    again = [body | {"id": body["id"] + 100} for body in deposit()[:3]]
    again[0] |= {"number": 2, "transit_chips": 23, "transit_cash": 24}
    again[1] |= {"document": 223, "attempt": 2}
    again[2] |= {"document": 223, "number": 2}
    assert codes([*before, *deposit(), *again]) == [("box_deposited", 241), ("wrong_sum", 251)]
    void = step(153, "voided", 7, 2, second=3, reason="counted wrongly")
    assert codes([*before, *deposit()[:4], void, *again]) == []
    late = again[1] | {"document": 123}
    assert codes([*before, *deposit()[:6], late]) == [("no_document", 241)]


def test_a_box_that_was_not_signed_off_is_on_no_deposit(before):
    assert codes([*before[:-1], *deposit()[:3]])[:1] == [("box_deposited", 141)]


def test_a_part_of_a_log_that_does_not_know_the_box_accuses_nobody(before):
    assert codes([*before[:1], *deposit()[:3]], whole=False) == []
    assert codes([*before, *deposit()[3:]], whole=False) == []


def test_what_the_bank_says_otherwise_is_over_short(before):
    bodies = [*before, *deposit()[:6]]
    counted = {"chips": [], "cash": [[100, 13]]}
    two = {"reason": "a note was false", "approver": 3}
    missing = cash(
        161,
        "document_received",
        ON_ITS_WAY,
        AT_BANK,
        1_300,
        "differed",
        8,
        evidence={"pieces": counted},
        **two,
    )
    short = missing["transfers"][0] | {"cents": 100, "to": OVER_CASH, "to_kind": "over_short"}
    missing["transfers"].append(short)
    said = {"pieces": counted, "cash_cents": 1_300, "second": 3, "reason": two["reason"]}
    differed = step(154, "differed", 8, 3, entry=161, reference="slip 4711", **said)
    assert codes([*bodies, missing, differed]) == []


def test_a_day_is_closed_while_a_deposit_waits_and_not_before_chips_were_counted():
    bodies = night()
    waits = [*bodies[:-1], *deposit()[:3], bodies[-1]]
    assert codes(waits) == []
    order = deposit()[0] | {"kind": "chip_purchase", "place": "The chip maker"}
    chips = {"pieces": {"chips": [[500, 1]], "cash": []}, "chips_cents": 500, "cash_cents": 0}
    asked = step(151, "requested", 7, 0, series="chip_purchase", place="The chip maker")
    assert codes([*bodies[:-1], order | chips, asked, bodies[-1]]) == []
