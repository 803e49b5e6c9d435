"""The places of the house: every chip and dollar stands in one of them, and both identities hold."""

import pytest
from django.db.models import Sum

from ledger.cage import drawers
from ledger.chart import AccountKind, Asset
from ledger.journal.acts import Act
from ledger.journal.conserved import taken
from ledger.models import Account, Transfer
from ledger.reports.denominations import chips_made
from ledger.reports.places import places_now
from ledger.rules.places import PLACES, FeesTaken, identities, tree
from tests.support.cage import count_vault, give_drawer, in_pockets, redeem, sell, stock
from tests.support.kept import kept

pytestmark = pytest.mark.django_db
ADDRESS = "/audit/places/"


def held(site):
    """Return what all accounts of a kind and asset hold, from their transfers alone."""
    sums = {(kind, asset): 0 for kind in AccountKind for asset in Asset}
    for end, sign in (("target", 1), ("source", -1)):
        moved = Transfer.objects.filter(entry__site=site).values_list(f"{end}__kind", "asset")
        for kind, asset, cents in moved.annotate(cents=Sum("cents")):
            sums[kind, asset] += sign * cents
    return sums


def test_every_kind_of_account_hangs_on_one_place():
    hung = [kind.account for kind in PLACES if kind.account is not None]
    assert sorted(hung) == sorted(AccountKind)
    assert {kind.inside for kind in PLACES} <= {"", *(kind.code for kind in PLACES)}
    assert [kind for _, kind in tree()] == list(PLACES)


def test_both_identities_name_each_summand():
    sums = {
        ("chip_maker", "chips"): -1000,
        ("vault", "chips"): 400,
        ("patrons", "chips"): 550,
        ("drop_box", "chips"): 30,
        ("over_short", "chips"): 20,
        ("bank", "cash"): -700,
        ("vault", "cash"): 500,
        ("drawer", "cash"): 750,
        ("drop_box", "cash"): 40,
        ("over_short", "cash"): 10,
    }
    made, paid = identities(sums, FeesTaken(fees=130, beyond=80, given=0))
    assert (made.holds, made.sums) == (True, (980, 980))
    assert (paid.holds, paid.sums) == (True, (1290, 1290))
    assert dict(paid.right)["Chips out: Patrons"] == 550
    assert not identities(sums, FeesTaken(fees=129, beyond=80, given=0))[1].holds
    assert not identities({**sums, ("patrons", "chips"): 551}, FeesTaken(130, 80, 0))[0].holds


@kept
def night(game, cashier, floor, dealer):
    """A night of two tables' worth of acts: buy-ins, fees in chips and cash, at the window, tokes, a sale."""
    game.seat("Ann", "Bob")
    game.play()
    by = {"by": cashier, "second": floor, "now": game.now}
    stock(game.site, chips=50_000_00, cash=20_000_00, **by, key="more")
    if drawers.drawer_of(game.site, cashier) is None:
        give_drawer(game.site, chips=5_000_00, cash=5_000_00, **by)
    in_pockets(game.site, 700_00, **by)
    sell(site=game.site, cents=300_00, act=Act(actor=cashier, now=game.now, key="sold"))
    redeem(site=game.site, cents=450_00, act=Act(actor=cashier, now=game.now, key="redeemed"))
    count_vault(game.site, game.now, cash=-500)
    return game


def test_both_identities_hold_over_a_night(night):
    now = places_now(night.site, {})
    assert [one.holds for one in now.identities] == [True, True]
    made, paid = now.identities
    assert made.sums[0] == sum(value * number for value, number in chips_made(night.site).items()) + 700_00
    assert dict(paid.right)["Chips beyond the books, which nobody paid"] == -700_00
    assert dict(paid.right)["Over/short in cash"] == -500
    assert dict(paid.right)["Fees taken"] > 0
    sums = held(night.site)
    assert now.identities == identities(sums, taken(night.site, sums))


def test_the_tree_sums_what_is_inside_of_a_place(night, cashier):
    now = places_now(night.site, {})
    rows = {row.title: row for row in now.rows}
    inside = next(inside for row, inside in now.folds if row.title == "Tables")
    assert rows["Tables"].chips == sum(row.chips for row in inside if row.place)
    assert rows["Drawers"].cash == sum(row.cash for row in now.rows if row.place and row.place.drawer)
    drawer = next(row for row in now.rows if row.place and row.place.drawer)
    assert drawer.place.holders == (cashier,)
    assert rows["Vault"].place.counted.way == "count"


def test_a_manager_and_a_regulator_read_what_stands_where(at, night, manager, regulator):
    for person in (manager, regulator):
        page = at(person).get(ADDRESS)
        assert page.context["figures"]
        text = page.content.decode()
        assert "Comes to the same" in text
        assert "Does not come" not in text
        assert "Chips by denomination" in text


def test_who_counts_reads_no_amount(at, night, cashier, employ):
    """Nor does a manager of a small house who also runs its floor."""
    for person in (cashier, employ("zoe", "manager", "floor")):
        page = at(person).get(ADDRESS)
        assert page.status_code == 200
        text = page.content.decode()
        assert "$" not in text
        assert "Drawer 1" in text
        assert text.count("Comes to the same") == 2


def test_who_counts_reads_that_chips_have_come_from_nowhere(at, night, cashier):
    Account.objects.filter(site=night.site, kind="vault", asset="chips").update(balance_cents=1)
    text = at(cashier).get(ADDRESS).content.decode()
    assert ("Does not come to the same" in text, "$" in text) == (True, False)


@pytest.mark.parametrize("who", ["counter1", "floor", "dealer"])
def test_others_do_not_read_it(at, night, who, request):
    assert at(request.getfixturevalue(who)).get(ADDRESS).status_code == 403
