"""Needs of the floor: whose they are, and when they go to the manager."""

from datetime import UTC, datetime, timedelta

import pytest

from tables.floor.attention import KINDS
from tables.rules.table.needs import (
    DEEDS,
    DISMISSED,
    PRIORITY,
    NeedStanding,
    is_escalated,
    may_do,
    need_after,
)

AT = datetime(2026, 3, 7, 20, tzinfo=UTC)
ANN, BOB = 1, 2


def after(*said, settled_at=None):
    return need_after(((does, who, AT) for who, does in said), settled_at)


def test_a_need_that_arises_again_is_nobodys():
    assert after((ANN, "take"), settled_at=AT - timedelta(minutes=1)).owner == ANN
    assert after((ANN, "dismiss"), settled_at=AT) == NeedStanding()


def escalated(kind, minutes, standing=None):
    return is_escalated(kind, AT, standing or NeedStanding(), AT + timedelta(minutes=minutes))


def test_every_kind_has_a_priority_and_the_list_is_in_their_order():
    assert set(PRIORITY) == set(KINDS)
    assert set(KINDS) > DISMISSED


@pytest.mark.parametrize(
    ("said", "may"),
    [
        ([], {"take", "dismiss"}),
        ([(ANN, "take")], {"release", "dismiss"}),
        ([(ANN, "take"), (BOB, "release")], {"take", "dismiss"}),
        ([(ANN, "dismiss")], {"recall"}),
        ([(ANN, "dismiss"), (BOB, "recall")], {"take", "dismiss"}),
    ],
)
def test_what_may_be_done_to_a_need(said, may):
    assert {does for does in DEEDS if may_do(after(*said), "free_seat", does)} == may


def test_what_somebody_has_to_sign_or_to_pay_is_never_dismissed():
    assert not may_do(after(), "correction", "dismiss")
    assert not may_do(after(), "fee_due", "dismiss")


@pytest.mark.parametrize(("kind", "minutes"), [("no_dealer", 5), ("correction", 15)])
def test_a_need_goes_to_the_manager_after_its_minutes(kind, minutes):
    assert not escalated(kind, minutes - 1)
    assert escalated(kind, minutes)


def test_what_can_wait_never_goes_to_the_manager():
    assert not escalated("free_seat", 600)


def test_for_one_that_somebody_took_the_minutes_begin_again():
    taken = NeedStanding(ANN, AT + timedelta(minutes=4))
    assert not escalated("no_dealer", 8, taken)
    assert escalated("no_dealer", 9, taken)
