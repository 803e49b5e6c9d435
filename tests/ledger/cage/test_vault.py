"""The vault is counted by two people who are not told what it should have; what differs is over/short, and no
day is closed over what moved it after its last count."""

from datetime import timedelta

import pytest

from ledger.cage import banks, stocking
from ledger.errors import LedgerError
from ledger.journal import closing, vault_counts
from ledger.journal.acts import Act
from ledger.journal.bank_differences import bank_differences
from ledger.models import Drawer, JournalEntry, Transfer
from ledger.proof.log import sealing, verifying
from ledger.reports.over_short import OverShort
from ledger.rules.denominations import Pieces
from tests.support.cage import close_cage, count_vault, pieces, stock

SHORT = 500_000


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        call(*args, **given)
    return error.value.code


@pytest.fixture
def short(stocked, now):
    """The entry of a count in which $5,000 in chips were missing, by cashier and floor."""
    return count_vault(stocked, now, chips=-SHORT)


@pytest.fixture
def close(stocked, cashier, floor, now):
    """`close()`: cashier and floor close the day the next noon."""
    noon = now + timedelta(days=1)

    def close():
        day = JournalEntry.objects.latest("pk").gaming_day
        act = Act(cashier, noon, f"close {day}", approver=floor)
        return closing.close_day(site=stocked, day=day, act=act)

    return close


def signed(entry, now, actor, approver=None):
    act = Act(actor, now, f"by {actor} and {approver}", approver=approver)
    return banks.sign_off_bank(
        site=entry.site, entry_id=entry.pk, cause="a rack was taken", evidence="clip 7", act=act
    )


def test_a_count_that_is_as_in_the_books_moves_nothing_and_is_an_entry(stocked, now):
    before = stocking.holds(stocked)
    entry = count_vault(stocked, now)
    assert (entry.kind, entry.transfers.count(), stocking.holds(stocked)) == ("vault_count", 0, before)
    assert bank_differences(stocked) == []


@pytest.mark.parametrize(("over", "moved"), [(-SHORT, SHORT), (2_500, 2_500)])
def test_what_differs_is_over_short_and_the_books_have_what_was_counted(stocked, now, over, moved):
    before = stocking.holds(stocked)
    entry = count_vault(stocked, now, chips=over)
    line = Transfer.objects.get(entry=entry)
    ends = (line.source.kind, line.target.kind) if over < 0 else (line.target.kind, line.source.kind)
    assert (*ends, line.cents) == ("vault", "over_short", moved)
    assert stocking.holds(stocked) == {**before, "chips": before["chips"] + over}
    (found,) = bank_differences(stocked)
    assert (str(found), found.place, found.cents) == ("the vault", "vault", over)
    assert OverShort.of([], [found], []).in_words[-1] == (over, "in the vault")


def test_a_vault_in_which_nothing_was_left_is_counted_too(stocked, cashier, floor, now):
    entry = stocking.stock_cage(
        site=stocked, way="count", pieces=Pieces(), act=Act(cashier, now, "nothing", approver=floor)
    )
    assert (entry.kind, stocking.holds(stocked)) == ("vault_count", {"chips": 0, "cash": 0})


def test_counts_that_differ_post_nothing(stocked, cashier, floor, now):
    act = Act(cashier, now, "first")
    slip = stocking.count_first(site=stocked, way="count", pieces=Pieces({10_000: 5}), act=act)
    again = Act(cashier, now, "second", approver=floor)
    result = stocking.count_second(slip=slip, pieces=Pieces({10_000: 4}), act=again)
    assert (result.outcome, result.entry, vault_counts.last_count(stocked)) == ("differed", None, None)


def test_something_that_moves_the_vault_between_the_two_counts_ends_them(stocked, cashier, floor, now):
    counted = pieces(stocked, **stocking.holds(stocked))
    slip = stocking.count_first(site=stocked, way="count", pieces=counted, act=Act(cashier, now, "first"))
    later = now + timedelta(minutes=1)
    stock(stocked, chips=10_000, by=cashier, second=floor, now=later, key="between")
    second = Act(cashier, later, "second", approver=floor)
    assert code_of(stocking.count_second, slip=slip, pieces=counted, act=second) == "vault_moved"
    stocking.withdraw_slip(slip=slip, act=Act(cashier, later, "back", reason="More came."))
    assert count_vault(stocked, later, key="anew").kind == "vault_count"


def test_who_counted_does_not_sign_and_from_a_hundred_dollars_two_others_do(
    short, employ, cashier, floor, manager, now
):
    assert code_of(signed, short, now, cashier) == "counted_by_signer"
    assert code_of(signed, short, now, manager, floor) == "counted_by_signer"
    assert code_of(signed, short, now, manager) == "second_person"
    other = employ("floor2", "floor")
    assert signed(short, now, manager, other).over_chips == -SHORT


def test_a_day_is_not_closed_over_what_moved_the_vault_after_its_count(
    stocked, cashier, floor, close, now, manager, employ
):
    close_cage(stocked, now)
    stock(stocked, cash=10_000, by=cashier, second=floor, now=now, key="after the count")
    assert code_of(close) == "vault_not_counted"
    entry = count_vault(stocked, now, cash=-SHORT)
    assert code_of(close) == "bank_not_signed"
    signed(entry, now, manager, employ("floor2", "floor"))
    noon = close().closed_at
    sealing.seal(stocked, now=noon, whole=True)
    assert [str(found) for found in verifying.Verification(stocked).run()] == []


def test_what_moved_the_vault_the_next_morning_does_not_keep_the_day_open(
    stocked, cashier, floor, close, now
):
    close_cage(stocked, now)
    day = JournalEntry.objects.latest("pk").gaming_day
    morning = now + timedelta(hours=20)
    stock(stocked, cash=10_000, by=cashier, second=floor, now=morning, key="the next day")
    assert vault_counts.counted_since_moved(stocked, day)
    assert not vault_counts.counted_since_moved(stocked, day + timedelta(days=1))


def test_a_count_the_next_morning_is_a_count_of_the_day_before(stocked, cashier, floor, now):
    day = JournalEntry.objects.latest("pk").gaming_day
    assert not vault_counts.counted_since_moved(stocked, day)
    close_cage(stocked, now)
    stock(stocked, cash=10_000, by=cashier, second=floor, now=now, key="late")
    count_vault(stocked, now + timedelta(days=1))
    assert vault_counts.counted_since_moved(stocked, day)


def test_no_refusal_tells_one_cashier_what_the_vault_has_and_two_only_that_it_has_less(
    stocked, cashier, floor, now
):
    out = {"way": "to_drawer", "drawer": Drawer.objects.get()}
    out |= {"pieces": Pieces({10_000: 900_000}, meant=True)}
    assert stocking.count_first(site=stocked, **out, act=Act(cashier, now, "too much"))
    with pytest.raises(LedgerError) as refused:
        stocking.stock_cage(site=stocked, **out, act=Act(cashier, now, "both", approver=floor))
    assert refused.value.message.startswith("Vault has not so much in chips.")
