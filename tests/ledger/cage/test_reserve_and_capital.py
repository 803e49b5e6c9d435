"""Cash that leaves the house for its owner or comes from the bank, and reserve sets: each on a document. Both
identities hold at every step of it, as they do while unclaimed chips are under way."""

from datetime import date, timedelta
from itertools import count

import pytest

from ledger.cage import documents, stocking
from ledger.errors import Refusal
from ledger.journal import conserved
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.journal.vault_counts import reserve_counted_on
from ledger.models import Account, DocumentStep
from ledger.reports.denominations import chips_made, of_house, of_place
from ledger.rules.denominations import Pieces
from ledger.rules.places import identities
from ledger.rules.slip_ways import recount_due
from tests.support.cage import in_pockets

pytestmark = pytest.mark.django_db
CASH, RACK = Pieces(cash={10_000: 50}), Pieces({100_000: 5})


@pytest.fixture
def walk(stocked, now):
    """`walk(kind, pieces, (step, person, reference, counted), ...)`: the document after these steps, at each
    of which both identities hold."""
    keys = count()

    def step(document, name, person, reference="", counted=None, **more):
        act = Act(person, now, f"step {next(keys)}", **more)
        return documents.take(document=document, step=name, reference=reference, pieces=counted, act=act)

    def walked(kind, pieces, *steps, place=None):
        (_, person), *others = steps
        begun = Act(person, now, f"step {next(keys)}")
        document = documents.begin(site=stocked, kind=kind, place=place, pieces=pieces, act=begun)
        for name, who, *more in others:
            step(document, name, who, *more)
            held = conserved.held(stocked)
            assert [one.wrong for one in identities(held, conserved.taken(stocked, held))] == ["", ""]
        return document

    walked.step = step
    return walked


def balance(site, kind, asset):
    return sum(
        Account.objects.filter(site=site, kind=kind, asset=asset).values_list("balance_cents", flat=True)
    )


def code(call, *args, **options):
    with pytest.raises(Refusal) as refused:
        call(*args, **options)
    return refused.value.code


def test_capital_leaves_by_a_manager_a_cashier_and_somebody_who_had_no_part(
    walk, stocked, cashier, manager, floor
):
    before = balance(stocked, "vault", "cash"), balance(stocked, "bank", "cash")
    asked = walk("capital_out", CASH, ("requested", cashier))
    assert code(walk.step, asked, "authorised", floor) == "not_allowed"
    walk.step(asked, "authorised", manager)
    assert code(walk.step, asked, "sent", cashier) == "reference_required"
    walk.step(asked, "sent", cashier, "Carl Carrier")
    for had_a_part in (cashier, manager):
        assert code(walk.step, asked, "received", had_a_part, "slip 7", CASH) == "second_person"
    walk.step(asked, "received", floor, "slip 7", CASH)
    after = balance(stocked, "vault", "cash"), balance(stocked, "bank", "cash")
    assert after == (before[0] - 500_000, before[1] + 500_000)


def test_a_manager_alone_takes_nothing_out(walk, manager):
    asked = walk("capital_out", CASH, ("requested", manager))
    assert code(walk.step, asked, "authorised", manager) == "second_person"


def test_cash_that_is_ordered_is_counted_into_the_vault_blind(walk, stocked, cashier, floor):
    before = balance(stocked, "vault", "cash")
    steps = [("requested", cashier), ("authorised", floor), ("sent", cashier, "note 3")]
    order = walk("cash_order", CASH, *steps)
    less = Pieces(cash={10_000: 49})
    assert code(walk.step, order, "received", floor, "", less) == "not_as_sent"
    walk.step(order, "received", floor, "", CASH)
    assert balance(stocked, "vault", "cash") == before + 500_000


def test_a_reserve_set_is_sealed_counted_and_comes_into_play(walk, stocked, cashier, floor, now):
    made = chips_made(stocked)
    steps = [("requested", cashier), ("authorised", floor), ("sent", cashier)]
    walk("reserve_set", RACK, *steps, ("received", floor, "seals 1, 2, 3, 4, 5", RACK))
    assert balance(stocked, "reserve", "chips") == 500_000
    assert of_place(stocked, "reserve") == RACK.chips
    act = Act(cashier, now, "the reserve is counted", approver=floor)
    short = stocking.stock_cage(site=stocked, way="reserve", pieces=Pieces({100_000: 4}), act=act)
    assert (short.kind, balance(stocked, "over_short", "chips")) == ("reserve_count", 100_000)
    four = Pieces({100_000: 4})
    steps[2] = ("sent", cashier, "seals 1, 2, 3 and 4")
    walk("reserve_release", four, *steps, ("received", floor, "", four))
    assert (balance(stocked, "reserve", "chips"), chips_made(stocked)) == (0, made)
    assert of_house(stocked).wrong == []


def test_a_seal_that_was_never_put_on_is_broken_by_two_who_say_why(walk, cashier, floor):
    sealed = [("requested", cashier), ("authorised", floor), ("sent", cashier)]
    walk("reserve_set", RACK, *sealed, ("received", floor, "seals 71 72", RACK))
    again = walk("reserve_set", RACK, *sealed)
    assert code(walk.step, again, "received", floor, "seal 72", RACK) == "seal_in_use"
    assert code(walk.step, again, "received", floor, "none", RACK) == "reference_required"
    opened = walk("reserve_release", Pieces({100_000: 2}), *sealed[:2])
    because, alone = {"reason": "It was torn off"}, {"approver": cashier}
    for said in ({}, because, because | alone):
        assert code(walk.step, opened, "sent", cashier, "seals 71, 99", **said) == "seal_differs"
    walk.step(opened, "sent", cashier, "seals 71, 99", approver=floor, **because)
    sent = DocumentStep.objects.get(document=opened, step="sent")
    assert (sent.second, sent.reason, sent.entry.approver) == (floor, "It was torn off", floor)
    twice = walk("reserve_release", Pieces({100_000: 3}), *sealed[:2])
    assert code(walk.step, twice, "sent", cashier, "seal 71") == "seal_differs"
    walk.step(twice, "sent", cashier, "seal 72", approver=floor, **because)
    assert DocumentStep.objects.get(document=twice, step="sent").second is None  # nothing differs


def test_reserve_sets_are_to_be_counted_a_month_after_they_were_sealed_or_counted(
    walk, stocked, cashier, floor, now
):
    assert reserve_counted_on(stocked) is None
    steps = [("requested", cashier), ("authorised", floor), ("sent", cashier)]
    walk("reserve_set", RACK, *steps, ("received", floor, "seals 1 to 5", RACK))
    assert reserve_counted_on(stocked) == gaming_day(stocked, now)
    later = now + timedelta(days=40)
    act = Act(cashier, later, "the reserve is counted", approver=floor)
    stocking.stock_cage(site=stocked, way="reserve", pieces=RACK, act=act)
    assert reserve_counted_on(stocked) == gaming_day(stocked, later)


@pytest.mark.parametrize(("day", "due"), [(date(2026, 12, 22), False), (date(2026, 12, 23), True)])
def test_what_lies_sealed_is_counted_within_a_month(day, due):
    assert recount_due(date(2026, 11, 21), day) == due


def test_both_identities_hold_while_unclaimed_chips_are_under_way_and_when_they_are_released(
    walk, stocked, cashier, floor, dealer, now
):
    in_pockets(stocked, 5_000, by=cashier, second=floor, now=now)
    found = documents.LeftBehind("under table 3")
    five, four = Pieces({500: 5}), Pieces({500: 4})
    lost = walk("unclaimed", five, ("requested", dealer), ("sent", floor), place=found)
    more = {"approver": dealer, "reason": "one is missing"}
    walk.step(lost, "received", cashier, "", four, **more)
    held = conserved.held(stocked)
    assert [one.wrong for one in identities(held, conserved.taken(stocked, held))] == ["", ""]
    assert conserved.taken(stocked, held).given == -500


def test_chips_that_come_from_no_paper_are_named_by_denomination(stocked, cashier, floor, now):
    """The vault is counted with as much, in chips that were never made."""
    chips = stocking.holds(stocked)
    other = Pieces({50: chips["chips"] // 50}, {10_000: chips["cash"] // 10_000}, meant=True)
    act = Act(cashier, now, "in other pieces", approver=floor)
    stocking.stock_cage(site=stocked, way="count", pieces=other, act=act)
    assert f"{chips['chips'] // 50} more of $0.50 are counted than were ever made." in of_house(stocked).wrong


def test_two_counts_that_nothing_lies_between_contradict_each_other(stocked, cashier, floor, now):
    chips = stocking.holds(stocked)["chips"]
    cash = {10_000: stocking.holds(stocked)["cash"] // 10_000}
    for number, value in enumerate((100_000, 50_000)):
        pieces = Pieces({value: chips // value}, cash, meant=True)
        act = Act(cashier, now, f"count {number}", approver=floor)
        stocking.stock_cage(site=stocked, way="count", pieces=pieces, act=act)
    assert "Nothing moved it since the count before" in of_house(stocked).contradiction
