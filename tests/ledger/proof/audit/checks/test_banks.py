"""Differences in tables' banks in a log: signed off by others than counted them, before the day is closed."""

import pytest

from ledger.proof.audit.checks.banks import Banks, EvidenceGiven
from tests.support.entries_by_hand import BANK_CASH, OVER_CASH, entry, other
from tests.support.log_by_hand import DAY, at

COUNTED = {"actor": 3, "approver": None}
LARGE = 10_000


def returned(missing=LARGE, number=112):
    evidence = {"counted_by": [3, 4]}
    return entry(number, "bank_count", 40, (BANK_CASH, OVER_CASH, missing), approver=4, evidence=evidence)


def signed(**changed):
    said = {"entry": 112, "over_chips": 0, "over_cash": -LARGE, "cause": "a note was torn"}
    said |= {"threshold_cents": LARGE, "signed_by": 7, "signed_with": 8, "signed_at": at(60)}
    return other("bank_sign_off", 99, 60, **said | changed)


def codes(*bodies, whole=True, closed=DAY):
    check, found = Banks(EvidenceGiven(), whole=whole), []
    for body in bodies:
        found += check.take(body) if body["record"] == "bank_sign_off" else check.entry(body, None) or ()
    return [code for code, _ in [*found, *check.unsigned(closed)]]


def test_a_difference_that_two_others_signed_off_is_right():
    assert codes(returned(), signed()) == []
    assert codes(returned(LARGE - 1), signed(over_cash=1 - LARGE, signed_with=None)) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"signed_by": 3}, "counted_by_signer"),
        ({"signed_by": 4}, "counted_by_signer"),
        ({"signed_with": 4}, "counted_by_signer"),
        ({"signed_with": 7}, "second_person"),
        ({"signed_with": None}, "second_person"),
        ({"cause": " "}, "no_cause"),
        ({"over_cash": LARGE}, "wrong_total"),
        ({"over_chips": 1}, "wrong_total"),
    ],
)
def test_a_difference_that_was_signed_off_otherwise_is_named(changed, expected):
    assert codes(returned(), signed(**changed)) == [expected]


def test_a_day_closed_with_a_difference_that_nobody_signed_off_is_named():
    assert codes(returned()) == ["no_cause"]
    assert codes(returned(), closed="2026-11-19") == []


def test_what_had_no_difference_or_was_signed_off_is_not_signed_off_again():
    assert codes(returned(), signed(), signed()) == ["no_difference"]
    assert codes(signed(), whole=False) == []
