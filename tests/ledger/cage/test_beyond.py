"""Nobody redeems or plays chips that nobody was given; two people accept chips beyond the books."""

import pytest
from django.core.exceptions import ValidationError

from ledger.cage import beyond, taking_back
from ledger.errors import ChipsBeyondBooks, LedgerError
from ledger.journal.acts import Act
from ledger.journal.balances import asset_sums
from ledger.journal.posting import post
from ledger.models import JournalEntry
from tests.support.cage import in_pockets, redeem as redeem_chips, sell

REASON = "Mr Lee has them since before the house kept its books here."


@pytest.fixture
def accept(stocked, cashier, floor, now):
    def call(cents=30_000, confirmed=None, **changes):
        act = {"actor": cashier, "approver": floor, "now": now, "key": "beyond", "reason": REASON} | changes
        return beyond.accept(site=stocked, cents=cents, confirmed=confirmed, act=Act(**act))

    return call


def code_of(call, *args, **changes):
    with pytest.raises((LedgerError, ValidationError)) as refused:
        call(*args, **changes)
    return refused.value.code


def redeem(site, cashier, now, cents, key="redeem"):
    return redeem_chips(site=site, cents=cents, act=Act(actor=cashier, now=now, key=key))


def test_the_window_redeems_no_more_than_patrons_hold(stocked, cashier, now):
    sell(site=stocked, cents=20_000, act=Act(actor=cashier, now=now, key="sale"))
    with pytest.raises(ChipsBeyondBooks) as refused:
        redeem(stocked, cashier, now, 20_050)
    assert refused.value.message == (
        "By the books patrons hold $200.00 in chips; this needs $200.50. Two people can accept chips beyond"
        " the books at the cage."
    )
    redeem(stocked, cashier, now, 20_000)
    assert beyond.held(stocked) == 0


def test_nobody_buys_in_with_chips_that_the_cage_has_not_sold(stacks, stocked, house, draft):
    bought = draft("again", "buy_in", (house("patrons"), stacks[0].pk, 1))
    assert code_of(post, site=stocked, draft=bought) == "chips_beyond_books"


def test_a_large_amount_is_asked_for_once_more_before_it_is_accepted(accept, stocked):
    assert code_of(accept, 300_000) == "confirm_amount"
    assert code_of(accept, 300_000, 30_000) == "confirm_amount"
    accept(300_000, 300_000)
    assert beyond.held(stocked) == 300_000


def test_two_people_accept_chips_beyond_the_books_and_they_are_redeemed(stocked, accept, cashier, now):
    entry = accept()
    assert (beyond.held(stocked), entry.reason, asset_sums(stocked)["chips"]) == (30_000, REASON, 0)
    redeem(stocked, cashier, now, 30_000)
    assert beyond.held(stocked) == 0
    assert code_of(redeem, stocked, cashier, now, 50, "one more") == "chips_beyond_books"


def test_acceptances_are_numbered_and_sent_twice_they_are_one(stocked, accept):
    first = accept()
    assert accept() == first
    accept(key="second")
    assert [(number, entry.key) for number, entry in beyond.accepted(stocked)] == [
        (1, "beyond"),
        (2, "second"),
    ]
    assert code_of(accept, cents=30_001) == "key_reused"


def test_who_only_reads_writes_no_account(site):
    assert (beyond.accepted(site), beyond.held(site)) == ([], 0)
    assert not site.accounts.exists()


def test_one_person_two_cashiers_or_no_reason_accept_nothing(stocked, accept, cashier, dealer, floor):
    assert code_of(accept, approver=None) == "second_person"
    assert code_of(accept, approver=cashier) == "second_person"
    assert code_of(accept, approver=dealer) == "not_allowed"
    assert code_of(accept, actor=floor, approver=cashier) == "not_allowed"
    assert code_of(accept, reason=" ") == "reason_required"
    assert code_of(accept, cents=0) == "bad_amount"
    assert not JournalEntry.objects.filter(kind=beyond.KIND).exists()


def test_an_acceptance_is_taken_back_while_patrons_still_hold_the_chips(stocked, accept, cashier, floor, now):
    entry = accept()
    redeem(stocked, cashier, now, 50)
    back = Act(actor=cashier, approver=floor, now=now, key="back", reason="counted twice")
    assert code_of(taking_back.take_back_at_window, entry=entry, act=back) == "chips_beyond_books"
    in_pockets(stocked, 50, by=cashier, second=floor, now=now, key="one")
    taking_back.take_back_at_window(entry=entry, act=back)
    assert beyond.held(stocked) == 0


def test_a_sale_is_not_taken_back_once_its_chips_are_played(
    stocked, stacks, house, draft, cashier, floor, now
):
    sold = sell(site=stocked, cents=5_000, act=Act(actor=cashier, now=now, key="sale"))
    post(site=stocked, draft=draft("plays", "add_on", (house("patrons"), stacks[0].pk, 5_000)))
    back = Act(actor=cashier, approver=floor, now=now, key="back", reason="wrong amount")
    assert code_of(taking_back.take_back_at_window, entry=sold, act=back) == "chips_beyond_books"
