"""Unclaimed chips are counted by two before a day is closed on which some are held; what differs is
over/short and is signed off like a difference in the vault."""

from datetime import date, timedelta

import pytest

from ledger.cage import banks, documents, stocking
from ledger.errors import LedgerError
from ledger.journal import closing, vault_counts
from ledger.journal.acts import Act
from ledger.journal.bank_differences import bank_differences
from ledger.models import Account, JournalEntry
from ledger.proof.log import sealing, verifying
from ledger.reports.over_short import OverShort
from ledger.rules.denominations import Pieces
from ledger.rules.slip_ways import counted_for
from tests.support.cage import close_cage, in_pockets

pytestmark = pytest.mark.both_databases

FIVE = Pieces({500: 5})


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        call(*args, **given)
    return error.value.code


@pytest.fixture
def held(stocked, dealer, floor, cashier, now):
    """The house that holds $25 which somebody lost."""
    in_pockets(stocked, 5_000, by=cashier, second=floor, now=now)
    left = documents.LeftBehind("under table 3", None)
    one = documents.begin(
        site=stocked, kind="unclaimed", place=left, pieces=FIVE, act=Act(dealer, now, "found")
    )
    documents.take(document=one, step="sent", act=Act(floor, now, "picked up"))
    documents.take(document=one, step="received", pieces=FIVE, act=Act(cashier, now, "received"))
    return stocked


@pytest.fixture
def count(held, cashier, floor, now):
    def count(pieces, key="counted", at=now):
        act = Act(cashier, at, key, approver=floor)
        return stocking.stock_cage(site=held, way="unclaimed", pieces=pieces, act=act)

    return count


def balance(site):
    return Account.objects.get(site=site, kind="unclaimed").balance_cents


def test_held_chips_are_counted_on_the_day_that_is_closed_or_later():
    day = date(2026, 3, 7)
    assert not counted_for(day - timedelta(days=1), day)
    assert counted_for(day, day)
    assert counted_for(day + timedelta(days=1), day)


def test_a_count_that_is_as_in_the_books_moves_nothing(count, held):
    entry = count(FIVE)
    assert (entry.kind, entry.transfers.count(), balance(held)) == ("unclaimed_count", 0, 2_500)


@pytest.mark.parametrize(("pieces", "over"), [({500: 4}, -500), ({500: 6}, 500), ({}, -2_500)])
def test_what_differs_is_over_short_by_the_one_sign(count, held, pieces, over):
    count(Pieces(pieces))
    (found,) = bank_differences(held)
    assert (str(found), found.place, found.cents) == ("the unclaimed chips", "unclaimed", over)
    assert balance(held) == 2_500 + over
    assert OverShort.of([], [found], []).in_words[-1] == (over, "in unclaimed chips")


def test_cash_is_no_unclaimed_chip(count):
    assert code_of(count, Pieces({500: 5}, {100: 1})) == "bad_amount"


def test_what_comes_between_the_two_counts_ends_them(held, cashier, floor, dealer, now):
    slip = stocking.count_first(
        site=held, way="unclaimed", pieces=FIVE, act=Act(cashier, now, "first", approver=None)
    )
    later = now + timedelta(minutes=1)
    left = documents.LeftBehind("on the stairs", None)
    more = documents.begin(
        site=held, kind="unclaimed", place=left, pieces=FIVE, act=Act(dealer, later, "more")
    )
    documents.take(document=more, step="sent", act=Act(floor, later, "more sent"))
    documents.take(document=more, step="received", pieces=FIVE, act=Act(cashier, later, "more here"))
    second = Act(cashier, later, "second", approver=floor)
    assert code_of(stocking.count_second, slip=slip, pieces=FIVE, act=second) == "vault_moved"


def test_no_day_is_closed_on_which_chips_are_held_and_were_not_counted(
    held, count, cashier, floor, manager, employ, now
):
    close_cage(held, now)
    noon, day = now + timedelta(days=1), JournalEntry.objects.latest("pk").gaming_day

    def close(key):
        act = Act(cashier, noon, key, approver=floor)
        return closing.close_day(site=held, day=day, act=act)

    assert not closing.day_state(held, day, noon).ready
    assert code_of(close, "close") == "unclaimed_not_counted"
    short = count(Pieces({500: 4}))
    assert code_of(close, "close") == "bank_not_signed"
    act = Act(manager, now, "signed", approver=employ("floor2", "floor"))
    banks.sign_off_bank(site=held, entry_id=short.pk, cause="torn envelope", evidence="clip 7", act=act)
    close("close")
    assert not vault_counts.unclaimed_counted(held, day + timedelta(days=1))
    sealing.seal(held, now=noon, whole=True)
    assert [str(found) for found in verifying.Verification(held).run()] == []


def test_a_house_that_holds_none_counts_none(stocked, now):
    assert vault_counts.unclaimed_counted(stocked, now.date())
