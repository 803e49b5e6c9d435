"""The cage: its float, and chips against cash at the window."""

import pytest

from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.journal.balances import asset_sums
from ledger.journal.posting import house_account
from ledger.models import Account, JournalEntry
from tests.support.acting import acting
from tests.support.cage import in_pockets, redeem, sell


def held(site, kind, asset):
    if kind == "drawer":
        return Account.objects.get(site=site, kind=kind, asset=asset, closed_at=None).balance_cents
    return Account.objects.get(pk=house_account(site, kind, asset).pk).balance_cents


def code_of(call, **given):
    with pytest.raises(LedgerError) as error:
        acting(call, **given)
    return error.value.code


def test_the_float_is_what_the_cage_says(stocked):
    assert (held(stocked, "vault", "chips"), held(stocked, "vault", "cash")) == (4_000_000, 1_000_000)
    assert (held(stocked, "drawer", "chips"), held(stocked, "drawer", "cash")) == (1_000_000, 1_000_000)
    assert (held(stocked, "chip_maker", "chips"), held(stocked, "bank", "cash")) == (-5_000_000, -2_000_000)


def test_chips_are_sold_for_as_much_cash(stocked, cashier, now):
    sell(site=stocked, cents=20_000, act=Act(actor=cashier, now=now, key="s"))
    assert (held(stocked, "drawer", "chips"), held(stocked, "drawer", "cash")) == (980_000, 1_020_000)
    assert asset_sums(stocked) == {"chips": 0, "cash": 0}


def test_chips_are_redeemed_for_as_much_cash(stocked, cashier, floor, now):
    in_pockets(stocked, 20_000, by=cashier, second=floor, now=now)
    redeem(site=stocked, cents=20_000, act=Act(actor=cashier, now=now, key="s"))
    assert (held(stocked, "drawer", "chips"), held(stocked, "drawer", "cash")) == (1_020_000, 980_000)
    assert asset_sums(stocked) == {"chips": 0, "cash": 0}


def test_a_sale_sent_twice_is_one_sale(stocked, cashier, now):
    sale = {"site": stocked, "cents": 20_000, "actor": cashier, "now": now, "key": "s"}
    assert acting(sell, **sale) == acting(sell, **sale)
    assert JournalEntry.objects.filter(kind="chip_sale").count() == 1
    assert code_of(sell, **{**sale, "cents": 20_050}) == "key_reused"
    assert code_of(redeem, **sale) == "key_reused"


def test_a_drawer_gives_no_chips_and_pays_no_cash_that_it_does_not_have(stocked, cashier, floor, now):
    in_pockets(stocked, 2_000_050, by=cashier, second=floor, now=now)
    assert (
        code_of(sell, site=stocked, cents=5_000_050, actor=cashier, now=now, key="s") == "insufficient_funds"
    )
    assert (
        code_of(redeem, site=stocked, cents=2_000_050, actor=cashier, now=now, key="s")
        == "insufficient_funds"
    )


@pytest.mark.parametrize("cents", [0, -1, 1.0, True, 10**12 + 1])
def test_the_window_takes_whole_positive_amounts(cents, stocked, cashier, now):
    for verb in (sell, redeem):
        assert code_of(verb, site=stocked, cents=cents, actor=cashier, now=now, key="s") == "bad_amount"


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1", "regulator", "manager"])
def test_only_cashiers_work_the_cage(who, stocked, request, now):
    person = request.getfixturevalue(who)
    for verb in (sell, redeem):
        assert code_of(verb, site=stocked, cents=100, actor=person, now=now, key="s") == "not_allowed"


def test_a_cashier_who_no_longer_works_here_is_refused(stocked, cashier, now):
    cashier.is_active = False
    assert code_of(sell, site=stocked, cents=100, actor=cashier, now=now, key="s") == "not_allowed"


def test_nobody_signed_in_is_refused(stocked, now):
    from django.contrib.auth.models import AnonymousUser

    for nobody in (None, AnonymousUser()):
        assert code_of(sell, site=stocked, cents=100, actor=nobody, now=now, key="s") == "not_allowed"
