"""A cashier's drawer for one shift: opened empty, filled and given back by two counts, worked at the window
by its cashier alone, closed by a blind count; what differs is over/short and is signed off by others."""

import json

import pytest
from django.db import IntegrityError, transaction

from ledger.cage import banks, drawers, stocking, taking_back, tokes
from ledger.errors import LedgerError
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.journal.bank_differences import bank_differences
from ledger.journal.posting import house_account
from ledger.models import Account, CageSlip, Drawer, JournalEntry
from ledger.proof.log import sealing, verifying
from ledger.reports.cage_slips import sheet_of
from ledger.rules.denominations import Pieces
from tests.support.cage import close_drawer, count_vault, give_drawer, in_pockets, pieces, redeem, sell, stock
from tests.support.kept import kept


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        call(*args, **given)
    return error.value.code


def held(drawer):
    accounts = Account.objects.in_bulk([drawer.chips_id, drawer.cash_id])
    return accounts[drawer.chips_id].balance_cents, accounts[drawer.cash_id].balance_cents


@kept
def drawer(stocked):
    """The cashier's, with $10,000 of each in it."""
    return Drawer.objects.select_related("chips", "cash", "cashier", "site").get()


@pytest.fixture
def other(stocked, employ, floor, now):
    """Another cashier's drawer, with $1,000 of each."""
    by = {"by": employ("cashier2", "cashier"), "second": floor, "now": now}
    return give_drawer(stocked, chips=100_000, cash=100_000, **by, key="other drawer")


@pytest.fixture
def close(drawer, cashier, floor, now):
    """`close(chips=, cash=)`: the cashier counts that with the floor and closes the drawer."""

    def close(*, chips=1_000_000, cash=1_000_000, by=cashier, second=floor, one=drawer, key="closing"):
        return close_drawer(one, chips=chips, cash=cash, by=by, second=second, now=now, key=key)

    return close


# -- one cashier, one drawer ---------------------------------------------------------------------------------


def test_drawers_are_numbered_without_gaps_and_begin_empty(drawer, employ, stocked, now):
    act = Act(employ("cashier2", "cashier"), now, "second")
    second = drawers.open_drawer(site=stocked, act=act)
    assert (drawer.number, second.number, held(second)) == (1, 2, (0, 0))
    assert drawers.open_drawer(site=stocked, act=act) == second
    assert Drawer.objects.count() == 2


def test_a_cashier_has_one_drawer_at_a_time_and_the_next_after_closing_it(drawer, cashier, close, now):
    again = Act(cashier, now, "again")
    assert code_of(drawers.open_drawer, site=drawer.site, act=again) == "drawer_open"
    close()
    assert drawers.open_drawer(site=drawer.site, act=again).number == 2


@pytest.mark.parametrize("who", ["floor", "manager", "dealer", "counter1", "regulator"])
def test_only_cashiers_have_drawers(stocked, now, request, who):
    act = Act(request.getfixturevalue(who), now, "mine")
    assert code_of(drawers.open_drawer, site=stocked, act=act) == "not_allowed"


def test_without_a_drawer_nothing_is_done_at_the_window(site, cashier, floor, dealer, now):
    stock(site, chips=5_000_000, cash=2_000_000, by=cashier, second=floor, now=now)
    in_pockets(site, 100_000, by=cashier, second=floor, now=now)
    for number, verb in enumerate((sell, redeem)):
        assert code_of(verb, site=site, cents=100, act=Act(cashier, now, f"try {number}")) == "no_drawer"
    assert not JournalEntry.objects.filter(key__startswith="try").exists()


def test_each_cashier_moves_their_own_drawer(drawer, other, now):
    sell(site=drawer.site, cents=5_000, act=Act(other.cashier, now, "sale"))
    assert (held(drawer), held(other)) == ((1_000_000, 1_000_000), (95_000, 105_000))


def test_a_repeated_sale_is_found_after_its_drawer_was_closed(drawer, close, cashier, now):
    sale = {"site": drawer.site, "cents": 5_000, "act": Act(cashier, now, "sale")}
    sold = sell(**sale)
    close(chips=995_000, cash=1_005_000)
    assert sell(**sale) == sold


# -- between the vault and the drawer ------------------------------------------------------------------------


def test_what_two_count_comes_into_the_drawer_and_goes_back(drawer, cashier, floor, now):
    by = {"by": cashier, "second": floor, "now": now, "drawer": drawer}
    stock(drawer.site, chips=50_000, way="to_drawer", key="more", **by)
    stock(drawer.site, cash=30_000, way="from_drawer", key="less", **by)
    assert held(drawer) == (1_050_000, 970_000)
    kinds = JournalEntry.objects.filter(key__in=["more", "less"]).order_by("pk")
    assert [entry.kind for entry in kinds] == ["drawer_issue", "drawer_return"]


def test_only_its_cashier_takes_into_a_drawer_and_gives_back_from_it(drawer, other, floor, now):
    for way in ("to_drawer", "from_drawer"):
        counted = {"site": drawer.site, "way": way, "pieces": Pieces({500: 1}), "drawer": drawer}
        act = Act(other.cashier, now, f"not mine {way}")
        assert code_of(stocking.count_first, **counted, act=act) == "not_your_drawer"


def test_two_counts_that_differ_move_nothing_and_both_stay_on_the_slip(drawer, cashier, floor, now):
    first = Act(cashier, now, "first")
    pieces = Pieces({500: 10})
    slip = stocking.count_first(site=drawer.site, way="to_drawer", pieces=pieces, drawer=drawer, act=first)
    second = Act(cashier, now, "second", approver=floor)
    result = stocking.count_second(slip=slip, pieces=Pieces({500: 9}), act=second)
    assert (result.outcome, result.entry, slip.chips_cents, result.chips_cents) == (
        "differed",
        None,
        5_000,
        4_500,
    )
    assert held(drawer) == (1_000_000, 1_000_000)


def test_the_vault_gives_no_more_than_it_has_and_a_drawer_neither(drawer, cashier, floor, now):
    by = {"by": cashier, "second": floor, "now": now, "drawer": drawer}
    assert (
        code_of(stock, drawer.site, chips=4_000_100, way="to_drawer", key="a", **by) == "insufficient_funds"
    )
    with pytest.raises(LedgerError) as refusal:
        stock(drawer.site, chips=1_000_100, way="from_drawer", key="b", **by)
    assert refusal.value.code == "insufficient_funds"
    assert "10,000" not in refusal.value.message.replace("10,001", "")


def test_a_slip_of_a_drawer_names_it_and_one_of_the_float_none(drawer):
    assert [slip.drawer for slip in CageSlip.objects.order_by("pk")] == [None, drawer]


# -- closing -------------------------------------------------------------------------------------------------


def test_a_drawer_that_holds_what_it_should_goes_back_to_the_vault(drawer, close, now):
    entry = close()
    assert (entry.kind, held(drawer)) == ("drawer_close", (0, 0))
    vault = [house_account(drawer.site, "vault", asset).balance_cents for asset in ("chips", "cash")]
    assert vault == [5_000_000, 2_000_000]
    assert not bank_differences(drawer.site)
    assert Account.objects.get(pk=drawer.chips_id).closed_at == now


def test_five_thousand_dollars_short_are_the_cashiers_and_stand_on_over_short(drawer, close, cashier, now):
    sell(site=drawer.site, cents=20_000, act=Act(cashier, now, "sale"))
    close(chips=980_000, cash=520_000)
    (found,) = bank_differences(drawer.site)
    assert (found.title, found.chips_cents, found.cash_cents) == ("Drawer 1", 0, -500_000)
    drawer.refresh_from_db()
    sheet = sheet_of(Drawer.objects.select_related("chips").get(pk=drawer.pk))
    assert sheet.expected == {"chips": 980_000, "cash": 1_020_000}
    assert (sheet.counted, sheet.over_cents) == ({"chips": 980_000, "cash": 520_000}, -500_000)
    assert [(line.title, line.times, line.chips, line.cash) for line in sheet.lines] == [
        ("A cashier takes chips or cash into their drawer", 1, 1_000_000, 1_000_000),
        ("The cage sells chips", 1, -20_000, 20_000),
    ]


def test_a_drawer_in_which_nothing_is_left_is_counted_by_two_as_well(drawer, close, floor):
    entry = close(chips=0, cash=0)
    assert (entry.cage_slip.person, entry.cage_slip.outcome) == (floor, "posted")


def test_too_much_is_over(drawer, close):
    close(chips=0, cash=1_000_100)
    (found,) = bank_differences(drawer.site)
    assert (found.chips_cents, found.cash_cents) == (-1_000_000, 100)


def test_a_closed_drawer_takes_nothing_and_gives_nothing_more(drawer, close, cashier, now):
    close()
    assert code_of(close, key="again") == "drawer_closed"
    assert code_of(sell, site=drawer.site, cents=100, act=Act(cashier, now, "late")) == "no_drawer"


def test_nobody_counts_a_drawer_alone_and_a_dealer_or_manager_is_no_second(
    drawer, close, cashier, dealer, manager
):
    assert code_of(close, second=cashier) == "second_person"
    assert code_of(close, second=dealer) == "not_allowed"
    assert code_of(close, second=manager) == "not_allowed"


def test_another_cashier_closes_a_drawer_whose_cashier_is_not_there(drawer, other, close, floor):
    entry = close(by=other.cashier)
    assert json.loads(entry.evidence)["counted_by"] == [other.cashier.pk, floor.pk]
    assert drawers.drawer_of(drawer.site, drawer.cashier) is None


def test_what_a_closed_drawer_did_is_not_taken_back(drawer, close, cashier, floor, now):
    sold = sell(site=drawer.site, cents=20_000, act=Act(cashier, now, "sale"))
    close(chips=980_000, cash=1_020_000)
    act = Act(cashier, now, "back", approver=floor, reason="never happened")
    assert code_of(taking_back.take_back_at_window, entry=sold, act=act) == "drawer_closed"


def test_tokes_are_paid_out_of_the_drawer(drawer, stacks, cashier, dealer, now):
    from ledger.journal.posting import EntryDraft, Move, post

    account = tokes.account_of(site=drawer.site, dealer=dealer, now=now)
    given = EntryDraft(
        kind="toke",
        moves=(Move(stacks[0].pk, account.pk, 500),),
        evidence={
            "session": 1,
            "dealer": dealer.pk,
            "sitting": 1,
            "seat": 1,
            "player": 1,
            "account": account.pk,
            "cents": 500,
        },
        content={},
        act=Act(dealer, now, "toke"),
    )
    post(site=drawer.site, draft=given)
    act = Act(cashier, now, "tokes", approver=dealer)
    tokes.pay_out(site=drawer.site, dealer=dealer, cents=500, pieces=Pieces({500: 1}), act=act)
    assert held(drawer) == (1_000_500, 999_500)


# -- the difference, and the day -----------------------------------------------------------------------------


@pytest.fixture
def short(drawer, close):
    """The entry of a closing with $5 missing, counted by cashier and floor."""
    return close(cash=999_500)


def signed(entry, now, actor, approver=None, cause="a note is missing", evidence="clip 7"):
    act = Act(actor, now, f"by {actor} and {approver}", approver=approver)
    return banks.sign_off_bank(site=entry.site, entry_id=entry.pk, cause=cause, evidence=evidence, act=act)


def test_who_counted_a_drawer_does_not_sign_its_difference(short, cashier, floor, manager, now):
    assert code_of(signed, short, now, cashier) == "counted_by_signer"
    assert code_of(signed, short, now, manager, floor) == "counted_by_signer"
    assert code_of(signed, short, now, floor) == "not_allowed"


def test_whose_drawer_it_was_does_not_sign_its_difference_where_another_counted(
    close, other, cashier, floor2, manager, now
):
    entry = close(cash=999_500, by=other.cashier, second=floor2)
    assert code_of(signed, entry, now, cashier) == "counted_by_signer"
    assert code_of(signed, entry, now, manager, cashier) == "counted_by_signer"
    assert signed(entry, now, manager).over_cash == -500


@pytest.mark.parametrize("who", ["manager", "other"])
def test_a_manager_or_another_cashier_signs_it_with_its_cause(short, other, manager, now, who):
    signer = manager if who == "manager" else other.cashier
    assert code_of(signed, short, now, signer, cause=" ") == "cause_required"
    assert signed(short, now, signer).over_cash == -500
    assert not [one for one in bank_differences(short.site) if one.open]


def test_a_manager_does_not_sign_the_difference_of_a_tables_bank(stocked, manager, now):
    assert code_of(banks.sign_off_bank, site=stocked, entry_id=0, cause="x", act=Act(manager, now, "k")) == (
        "no_difference"
    )


def test_the_day_waits_for_the_drawer_and_for_its_difference(drawer, close, cashier, floor, manager, now):
    morning = now.replace(day=23)
    day = drawer.gaming_day

    def close_day():
        act = Act(cashier, morning, "close the day", approver=floor)
        return closing.close_day(site=drawer.site, day=day, act=act)

    assert code_of(close_day) == "drawer_open"
    short = close(cash=999_500)
    assert code_of(close_day) == "bank_not_signed"
    signed(short, now, manager)
    assert code_of(close_day) == "vault_not_counted"
    count_vault(drawer.site, now)
    assert close_day().gaming_day == day
    sealing.seal(drawer.site, now=morning, whole=True)
    assert [str(found) for found in verifying.Verification(drawer.site).run()] == []


def test_a_large_difference_of_a_drawer_is_signed_by_two(drawer, close, manager, floor2, now):
    short = close(cash=500_000)
    assert code_of(signed, short, now, manager) == "second_person"
    assert signed(short, now, manager, floor2).signed_with == floor2


def test_the_database_keeps_drawers_as_they_were_opened(drawer, manager):
    for change in ({"cashier": manager}, {"number": 9}):
        with pytest.raises(Exception, match="append-only"), transaction.atomic():
            Drawer.objects.update(**change)


def test_accounts_of_drawers_are_held_against_the_log(drawer, other, close, now):
    def findings():
        return {(one.code, one.record) for one in verifying.Verification(drawer.site).run()}

    close()
    sealing.seal(drawer.site, now=now)
    assert findings() == set()
    again = Account.objects.filter(pk=drawer.cash_id)
    again.update(closed_at=None)
    assert findings() == {("row_differs", f"account {drawer.cash_id}")}
    again.update(closed_at=now)
    hidden = Account.objects.filter(pk=other.chips_id)
    hidden.update(label="Drawer 1")
    assert findings() == {("row_differs", f"account {other.chips_id}")}


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_of_two_openings_and_two_closings_at_once_each_is_one(site, cashier, floor, now, at_once):
    stock(site, chips=5_000_000, cash=2_000_000, by=cashier, second=floor, now=now)
    opened = at_once(
        [lambda key=key: drawers.open_drawer(site=site, act=Act(cashier, now, key)) for key in ("one", "two")]
    )
    assert sorted(getattr(one, "code", "opened") for one in opened) == ["drawer_open", "opened"]
    drawer = Drawer.objects.get()
    begun = at_once(
        [
            lambda key=key: stocking.count_first(
                site=site, way="closing", pieces=Pieces(), drawer=drawer, act=Act(cashier, now, key)
            )
            for key in ("a", "b")
        ]
    )
    assert sorted(getattr(one, "code", "begun") for one in begun) == ["begun", "slip_waits"]
    slip = CageSlip.objects.get(drawer=drawer)
    ended = at_once(
        [
            lambda key=key: stocking.count_second(
                slip=slip, pieces=Pieces(), act=Act(cashier, now, f"second {key}", approver=floor)
            )
            for key in ("a", "b")
        ]
    )
    assert sorted(str(getattr(one, "code", getattr(one, "outcome", one))) for one in ended) == [
        "posted",
        "slip_closed",
    ]


# -- between the two counts that close it --------------------------------------------------------------------

WORKED = {
    "a sale": lambda drawer, act: sell(site=drawer.site, cents=5_000, act=act),
    "from the vault": lambda drawer, act: stock(
        drawer.site, chips=50_000, way="to_drawer", drawer=drawer, key="more", **by_two(act)
    ),
}


def by_two(act):
    return {"by": act.actor, "second": act.approver, "now": act.now}


@pytest.fixture
def count(drawer, cashier, now):
    """`count(key, cents)`: the cashier's first count of a closing, so much of each."""

    def counted(key, cents=1_000_000, act=None):
        left = pieces(drawer.site, chips=cents, cash=cents)
        act = act or Act(cashier, now, key)
        return stocking.count_first(site=drawer.site, way="closing", pieces=left, drawer=drawer, act=act)

    return counted


@pytest.mark.parametrize("worked", WORKED)
def test_a_drawer_is_not_worked_between_the_two_counts_that_close_it(
    drawer, count, cashier, floor, now, worked
):
    slip = count("first", 950_000)
    WORKED[worked](drawer, Act(cashier, now, "between", approver=floor))
    left = pieces(drawer.site, chips=950_000, cash=950_000)
    second = Act(cashier, now, "second", approver=floor)
    assert code_of(stocking.count_second, slip=slip, pieces=left, act=second) == "drawer_moved"
    stocking.withdraw_slip(slip=slip, act=Act(cashier, now, "back", reason="A patron came."))
    count("anew")


def test_what_moves_another_drawer_ends_no_count(drawer, other, count, cashier, floor, now):
    slip = count("first")
    sell(site=drawer.site, cents=5_000, act=Act(other.cashier, now, "sale"))
    second = Act(cashier, now, "second", approver=floor)
    left = pieces(drawer.site, chips=1_000_000, cash=1_000_000)
    assert stocking.count_second(slip=slip, pieces=left, act=second).outcome == "posted"


def test_one_count_that_closes_a_drawer_waits_at_a_time(drawer, count, cashier, now):
    slip = count("first")
    assert count("first") == slip
    assert code_of(count, "another") == "slip_waits"
    row = {name: getattr(slip, name) for name in ("site", "way", "drawer", "gaming_day", "pieces")}
    row |= {name: getattr(slip, name) for name in ("chips_cents", "cash_cents", "counted_by", "counted_at")}
    with pytest.raises(IntegrityError, match="one count that closes a drawer"), transaction.atomic():
        CageSlip.objects.create(**row, number=99, key="past the program")
    stocking.withdraw_slip(slip=slip, act=Act(cashier, now, "back", reason="A chip fell."))
    count("another")


def test_what_waits_of_a_drawer_ends_as_it_closes(drawer, close, cashier, now):
    one = Pieces({500: 1})
    slip = stocking.count_first(
        site=drawer.site, way="to_drawer", pieces=one, drawer=drawer, act=Act(cashier, now, "more")
    )
    close()
    ended = CageSlip.objects.get(pk=slip.pk).result
    assert (ended.outcome, ended.reason) == ("withdrawn", "Its drawer has been counted and closed.")
    sealing.seal(drawer.site, now=now)
    assert [str(found) for found in verifying.Verification(drawer.site).run()] == []
