"""What a box should hold comes about by what was charged at its table while it stood there."""

import pytest

from ledger.reports.box_log import box_row
from tables.floor import opening
from tables.reports.day_reconciliation import box_sums
from tables.reports.reconciliation import collections_in
from tests.support.acting import acting

pytestmark = pytest.mark.django_db


def sums_of(box):
    return box_sums(box, list(collections_in((box.chips_id, box.cash_id))))


def test_an_evening_with_every_way_to_pay_comes_to_what_the_books_expect(evening):
    box = evening.fresh_session().box
    sums, its = sums_of(box), sums_of(box).charged
    assert (its.full_cents, its.half_cents, its.cage_cents, its.due_cents) == (9000, 500, 500, 2000)
    assert sums.expected_cents == box_row(box.pk).expected == 7000


def test_a_fee_that_is_paid_after_the_box_was_changed_is_in_the_next_one(evening, floor2, dealer):
    old = evening.fresh_session().box
    change = {"actor": floor2, "now": evening.minute(42).now, "key": evening.key()}
    acting(opening.change_box, session_id=evening.session.pk, second=dealer, **change)
    new = evening.fresh_session().box
    evening.minute(43).pay(4, "cash")
    old.refresh_from_db()
    assert [sums_of(box).expected_cents for box in (old, new)] == [7000, 1000]
    assert [box_row(box.pk).expected for box in (old, new)] == [7000, 1000]
    assert (sums_of(old).elsewhere_cents, sums_of(new).others_cents) == (1000, 1000)
