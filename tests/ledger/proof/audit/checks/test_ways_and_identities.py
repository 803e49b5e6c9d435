"""What goes past the documents in a log by hand, and money that nothing paid for."""

import pytest

from ledger.chart import AccountKind
from ledger.proof.audit.checks.accounts import Accounts
from ledger.proof.audit.checks.cage import CageSlips
from ledger.rules.slip_ways import needs_document
from tests.support.books_by_hand import codes
from tests.support.log_by_hand import night


def opened(way):
    """Return the night whose float came in on a slip of this way."""
    bodies = night()
    for body in bodies:
        if body["record"] == "cage_slip" and body["way"] == "in":
            body["way"] = way
        elif body["record"] == "entry" and body["kind"] == "float_issue":
            body["evidence"] = body["evidence"] | {"way": way}
    return bodies


@pytest.mark.parametrize("way", ["in", "opening"])
def test_a_house_of_the_older_version_and_one_of_the_newer_are_right(way):
    assert codes(opened(way)) == []


def test_the_rule_by_example():
    assert needs_document("opening", stocked=True)
    assert not needs_document("opening", stocked=False)
    assert needs_document("out", stocked=True)
    assert not needs_document("out", stocked=True, newer=False)
    assert not needs_document("to_drawer", stocked=True)


def test_whoever_has_begun_otherwise_takes_nothing_out_on_a_slip():
    slips = CageSlips(whole=True)
    for way, kind, named in (("opening", "float_issue", False), ("out", "float_return", True)):
        entry = next(body for body in opened(way) if body.get("kind") == "float_issue") | {"kind": kind}
        assert ("needs_document" in [found[0] for found in slips.entry(entry)]) is named


@pytest.mark.parametrize("whole", [True, False])
def test_cash_that_nothing_paid_for_is_named_in_a_log_and_in_a_part_of_one(whole):
    accounts = Accounts(whole=whole)
    line = {"from_kind": AccountKind.PUBLIC, "to_kind": AccountKind.TABLE_BANK, "asset": "cash", "cents": 500}
    accounts.flow([line])
    assert [(one.code, one.sentence) for one in accounts.finish()] == [
        ("not_paid_for", "Cash and bank: $5.00 is not $0.00.")
    ]


def test_what_is_paid_is_a_fee_where_no_chips_go_back():
    accounts = Accounts(whole=False)
    fee = {"from_kind": AccountKind.PUBLIC, "to_kind": AccountKind.DRAWER, "asset": "cash", "cents": 500}
    accounts.flow([fee])
    accounts.flow([fee | {"from_kind": AccountKind.DRAWER, "to_kind": AccountKind.PUBLIC, "cents": 200}])
    assert [*accounts.finish()] == []
