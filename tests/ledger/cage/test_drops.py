"""Drop boxes: installed empty, pulled by two people, counted twice and blind, signed off by a third."""

import json
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from ledger.cage import boxes
from ledger.cage.boxes import CountState
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.journal.posting import house_account, post
from ledger.models import Account, Count, DropBox, DropSignOff, Site
from ledger.reports.box_log import AssetLine, box_row
from ledger.rules.denominations import Pieces
from tests.support.acting import acting
from tests.support.counting import begin_sheet, sign_sheet

EMPTY = {"cause": "", "key": "sign"}


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        acting(call, *args, **given)
    return error.value.code


def held(site, kind, asset):
    return Account.objects.get(pk=house_account(site, kind, asset).pk).balance_cents


# --- Installing and pulling


def test_an_installed_box_is_empty_and_has_an_account_for_each_asset(box, floor, now):
    assert (box.chips.asset, box.cash.asset) == ("chips", "cash")
    assert {box.chips.kind, box.cash.kind} == {"drop_box"}
    assert (box.chips.balance_cents, box.cash.balance_cents) == (0, 0)
    assert (box.installed_by, box.installed_at, box.gaming_day) == (floor, now, date(2026, 11, 21))


def test_boxes_are_numbered_without_gaps_within_a_site(box, floor, now):
    with transaction.atomic():
        boxes.install_box(site=box.site, place="Table 4", act=Act(actor=floor, now=now))
        transaction.set_rollback(True)  # the table was not opened after all
    other = Site.objects.create(name="Another room", licence="2")
    numbers = [
        boxes.install_box(site=site, place=place, act=Act(actor=floor, now=now)).number
        for site, place in ((box.site, "Table 4"), (box.site, "Table 5"), (other, "Table 3"))
    ]
    assert [box.number, *numbers] == [1, 2, 3, 1]


def test_a_place_has_one_box_at_a_time(box, floor, dealer, now):
    assert code_of(boxes.install_box, site=box.site, place="Table 3", actor=floor, now=now) == "box_installed"
    boxes.pull_box(box=box, second=dealer, act=Act(actor=floor, now=now))
    assert boxes.install_box(site=box.site, place="Table 3", act=Act(actor=floor, now=now)).number == 2


def test_the_database_keeps_a_second_box_from_a_place(box, now):
    fields_of = {
        "site": box.site,
        "number": 9,
        "place": box.place,
        "gaming_day": box.gaming_day,
        "installed_at": now,
    }
    accounts = Account.objects.exclude(pk__in=[box.chips_id, box.cash_id])[:2]
    with pytest.raises(IntegrityError), transaction.atomic():
        DropBox.objects.create(
            **fields_of, installed_by=box.installed_by, chips=accounts[0], cash=accounts[1]
        )


def test_a_box_is_pulled_by_two_people(filled, floor, dealer, now):
    pull = {"box": filled, "now": now}
    assert code_of(boxes.pull_box, **pull, actor=floor, second=floor) == "second_person"
    assert code_of(boxes.pull_box, **pull, actor=floor, second=None) == "second_person"
    pulled = acting(boxes.pull_box, **pull, actor=floor, second=dealer)
    kept = DropBox.objects.get(pk=filled.pk)
    assert (kept.pulled_by, kept.pulled_with, kept.pulled_at) == (floor, dealer, now)
    assert pulled == kept


def test_the_database_keeps_one_person_from_pulling_a_box(filled, floor, now):
    for half in ({"pulled_by": floor}, {"pulled_by": floor, "pulled_with": floor, "pulled_at": now}):
        with pytest.raises(IntegrityError), transaction.atomic():
            DropBox.objects.filter(pk=filled.pk).update(**half)


def test_a_box_is_pulled_once(pulled, floor, dealer, now):
    assert code_of(boxes.pull_box, box=pulled, actor=floor, second=dealer, now=now) == "box_pulled"


def test_nothing_goes_into_a_pulled_box_or_out_of_it(pulled, stacks, draft, floor, now):
    ann, _ = stacks
    late = draft("late", "collection", (ann.pk, pulled.chips_id, 100))
    assert code_of(post, site=pulled.site, draft=late) == "box_pulled"
    fee = pulled.site.entries.get(key="fee 0")
    back = draft(
        "v", "reversal", (pulled.chips_id, ann.pk, 1500), reverses=fee, reason="half", approver=floor
    )
    assert code_of(post, site=pulled.site, draft=back) == "box_pulled"


# --- Counting, blind


def test_a_box_is_counted_by_two_different_people(pulled, counter1, counter2, count_of):
    count_of(pulled, counter1, 2500, 1500)
    assert boxes.agreed_count(pulled) is None
    assert code_of(count_of, pulled, counter1, 2500, 1500) == "already_counted"
    count_of(pulled, counter2, 2500, 1500)
    assert boxes.agreed_count(pulled) == (2500, 1500)
    assert code_of(count_of, pulled, counter1, 2500, 1500) == "count_closed"


def test_when_the_counts_differ_both_count_again_until_they_agree(pulled, counter1, counter2, count_of):
    assert not boxes.count_state(pulled).again
    for attempt, figures in enumerate([(2500, 1400), (2400, 1500)], start=1):
        assert count_of(pulled, counter1, *figures).attempt == attempt
        assert count_of(pulled, counter2, 2500, 1500).attempt == attempt
        assert boxes.agreed_count(pulled) is None
        state = boxes.count_state(pulled)
        assert (state.attempt, state.counted_by, state.again) == (attempt + 1, (), True)
    count_of(pulled, counter2, 2500, 1500)
    assert boxes.agreed_count(pulled) is None  # a figure of an earlier attempt does not count
    count_of(pulled, counter1, 2500, 1500)
    assert boxes.agreed_count(pulled) == (2500, 1500)
    assert not boxes.count_state(pulled).again


def test_no_screen_state_holds_a_figure(pulled, counter1, counter2, count_of):
    count_of(pulled, counter1, 987_650, 1500)
    names = {field.name for field in fields(CountState)}
    assert names == {"box", "pulled", "attempt", "counted_by", "agreed", "signed"}
    assert "987" not in repr(boxes.count_state(pulled))
    assert "987" not in repr(boxes.boxes_to_count(counter2))


def test_a_counter_sees_which_boxes_wait_for_them(pulled, counter1, counter2, count_of, floor, now):
    boxes.install_box(site=pulled.site, place="Table 9", act=Act(actor=floor, now=now))  # still at its table
    count_of(pulled, counter1, 2500, 1500)
    (state,) = boxes.boxes_to_count(counter1)
    assert state.box == pulled
    assert (state.waits_for(counter1), state.waits_for(counter2)) == (False, True)
    count_of(pulled, counter2, 2500, 1500)
    assert boxes.boxes_to_count(counter1) == []


def test_a_count_sent_twice_is_one_count(pulled, counter1, count_of):
    first = count_of(pulled, counter1, 2500, 1500, key="k")
    assert count_of(pulled, counter1, 2500, 1500, key="k") == first
    assert code_of(count_of, pulled, counter1, 2500, 1600, key="k") == "key_reused"
    assert Count.objects.count() == 1


def test_a_key_of_one_counter_is_refused_to_the_other(pulled, counter1, counter2, count_of):
    count_of(pulled, counter1, 2500, 1500, key="k")
    assert code_of(count_of, pulled, counter2, 2500, 1500, key="k") == "key_reused"


def test_a_box_at_its_table_is_not_counted(filled, counter1, count_of):
    assert code_of(count_of, filled, counter1, 2500, 1500) == "box_not_pulled"


@pytest.mark.parametrize("wrong", [{500: -1}, {500: 1.5}, {700: 1}, {100_000: 10**12}])
def test_a_count_is_of_whole_pieces_of_the_house(wrong, pulled, counter1, now):
    begin_sheet(pulled, counter1, now)
    act = Act(actor=counter1, key="k", now=now)
    assert code_of(boxes.enter_count, box=pulled, pieces=Pieces(wrong), act=act) == "bad_amount"


def test_a_count_has_a_key(pulled, counter1, count_of):
    assert code_of(count_of, pulled, counter1, 1, 1, key=" ") == "bad_text"


# --- Signing off


@pytest.fixture
def counted(pulled, counter1, counter2, count_of, now):
    """`counted(chips, cash)`: the pulled box after two counts that agree on this, on a signed sheet."""

    def make(chips, cash):
        count_of(pulled, counter1, chips, cash)
        count_of(pulled, counter2, chips, cash)
        sign_sheet(pulled, (counter1, counter2), now)
        return pulled

    return make


def test_a_box_that_holds_what_it_should_goes_to_the_cage(counted, cashier, now):
    box = counted(2500, 1500)
    signed = acting(boxes.sign_off, box=box, actor=cashier, now=now, **EMPTY)
    assert (held(box.site, "vault", "chips"), held(box.site, "vault", "cash")) == (4_002_500, 1_001_500)
    assert (held(box.site, "over_short", "chips"), held(box.site, "over_short", "cash")) == (0, 0)
    assert (signed.expected_chips, signed.counted_chips, signed.expected_cash, signed.counted_cash) == (
        2500,
        2500,
        1500,
        1500,
    )
    assert (signed.signed_by, signed.signed_at, signed.entry.kind) == (cashier, now, "drop")
    for account in Account.objects.filter(pk__in=[box.chips_id, box.cash_id]):
        assert (account.balance_cents, account.closed_at) == (0, now)


def test_what_is_missing_or_too_much_stands_on_over_short(counted, cashier, now):
    box = counted(2400, 1700)
    boxes.sign_off(
        box=box, cause="A black chip fell under the table.", act=Act(actor=cashier, key="s", now=now)
    )
    assert (held(box.site, "vault", "chips"), held(box.site, "vault", "cash")) == (4_002_400, 1_001_700)
    # Over/short gained the hundred missing from the chips, and gave the two hundred too much in cash.
    assert (held(box.site, "over_short", "chips"), held(box.site, "over_short", "cash")) == (100, -200)


def test_from_a_hundred_dollars_two_people_sign_who_had_nothing_to_do_with_the_box(
    counted, cashier, counter1, floor, manager, now
):
    box = counted(12_500, 1500)

    def sign(approver=None, shown_by="camera 4, clip 12"):
        act = Act(cashier, now, f"with {approver}", approver=approver)
        said = {"cause": "A rack of the bank was dropped.", "evidence": shown_by}
        return boxes.sign_off(box=box, **said, act=act)

    assert code_of(sign) == "second_person"
    assert code_of(sign, floor) == "counted_by_signer"  # who pulled it
    assert code_of(sign, counter1) == "not_allowed"
    assert code_of(sign, cashier) == "second_person"
    assert code_of(sign, manager, " ") == "evidence_required"
    signed = sign(manager)
    assert signed.evidence == "camera 4, clip 12"
    assert (signed.signed_with, signed.entry.approver, signed.threshold_cents) == (manager, manager, 10_000)


def test_under_it_one_person_signs(counted, cashier, now):
    act = Act(cashier, now, "alone")
    assert boxes.sign_off(box=counted(12_450, 1500), cause="A chip too many.", act=act).signed_with is None


def test_a_box_that_was_thought_empty_and_is_can_be_signed_off(
    box, floor, dealer, counter1, counter2, count_of, cashier, now
):
    boxes.pull_box(box=box, second=dealer, act=Act(actor=floor, now=now))
    count_of(box, counter1, 0, 0)
    count_of(box, counter2, 0, 0)
    sign_sheet(box, (counter1, counter2), now)
    assert acting(boxes.sign_off, box=box, actor=cashier, now=now, **EMPTY).entry.transfers.count() == 0


def test_a_difference_needs_a_cause(counted, cashier, now):
    box = counted(2400, 1500)
    assert code_of(boxes.sign_off, box=box, actor=cashier, now=now, **EMPTY) == "cause_required"
    assert code_of(boxes.sign_off, box=box, actor=cashier, now=now, cause="  ", key="k") == "cause_required"
    assert code_of(boxes.sign_off, box=box, actor=cashier, now=now, cause="x" * 2001, key="k") == "bad_text"


def test_the_database_asks_for_the_cause_too(counted, cashier, draft, now):
    box = counted(2400, 1500)
    entry = post(site=box.site, draft=draft("k", "drop"))
    figures = {"expected_chips": 2500, "counted_chips": 2400, "expected_cash": 0, "counted_cash": 0}
    with pytest.raises(IntegrityError), transaction.atomic():
        DropSignOff.objects.create(box=box, entry=entry, signed_by=cashier, signed_at=now, **figures)


def test_an_uncounted_or_disputed_box_is_not_signed_off(pulled, counter1, counter2, count_of, cashier, now):
    sign = {"box": pulled, "actor": cashier, "now": now, **EMPTY}
    assert code_of(boxes.sign_off, **sign) == "count_open"
    count_of(pulled, counter1, 2500, 1500)
    assert code_of(boxes.sign_off, **sign) == "count_open"
    count_of(pulled, counter2, 2400, 1500)
    assert code_of(boxes.sign_off, **sign) == "count_open"


def test_a_box_at_its_table_is_not_signed_off(filled, cashier, now):
    assert code_of(boxes.sign_off, box=filled, actor=cashier, now=now, **EMPTY) == "box_not_pulled"


def test_whoever_counted_or_pulled_a_box_cannot_sign_it_off(counted, employ, floor, dealer, counter1, now):
    """Even if they have become a cashier since."""
    from django.contrib.auth.models import Permission

    box = counted(2500, 1500)
    for person in (floor, dealer, counter1):
        person.user_permissions.add(Permission.objects.get(codename="sign_off_drops"))
        since = type(person).objects.get(pk=person.pk)
        assert code_of(boxes.sign_off, box=box, actor=since, now=now, **EMPTY) == "counted_by_signer"


def test_whoever_counted_an_attempt_that_came_to_nothing_cannot_sign_either(
    pulled, employ, counter1, counter2, count_of, now
):
    from django.contrib.auth.models import Permission

    third = employ("counter3", "counter")
    count_of(pulled, third, 1, 1)
    for who in (counter1, counter1, counter2):
        count_of(pulled, who, 2500, 1500)
    third.user_permissions.add(Permission.objects.get(codename="sign_off_drops"))
    third = type(third).objects.get(pk=third.pk)
    assert code_of(boxes.sign_off, box=pulled, actor=third, now=now, **EMPTY) == "counted_by_signer"


def test_a_box_is_signed_off_once_and_a_retry_finds_it(counted, cashier, count_of, counter1, now):
    box = counted(2500, 1500)
    first = acting(boxes.sign_off, box=box, actor=cashier, now=now, **EMPTY)
    assert acting(boxes.sign_off, box=box, actor=cashier, now=now + timedelta(minutes=1), **EMPTY) == first
    assert code_of(boxes.sign_off, box=box, actor=cashier, now=now, cause="other", key="sign") == "key_reused"
    assert code_of(boxes.sign_off, box=box, actor=cashier, now=now, cause="", key="k2") == "box_signed"
    assert code_of(count_of, box, counter1, 2500, 1500) == "box_signed"


def test_the_drop_belongs_to_the_day_of_the_box_though_counted_later(counted, cashier):
    morning = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
    entry = acting(boxes.sign_off, box=counted(2500, 1500), actor=cashier, now=morning, **EMPTY).entry
    assert (entry.gaming_day, entry.occurred_at) == (date(2026, 11, 21), morning)


def test_the_signer_sees_expected_beside_counted(counted):
    box = counted(2400, 1700)
    state = boxes.count_state(box)
    assert (state.box, state.agreed, state.signed) == (box, True, False)
    found = box_row(box.pk)
    assert found.lines == (AssetLine("chips", 2500, 2400), AssetLine("cash", 1500, 1700))
    assert [line.difference for line in found.lines] == [-100, 200]


def test_the_evidence_tells_who_counted_what(counted, cashier, counter1, counter2, floor, dealer, now):
    entry = boxes.sign_off(
        box=counted(2400, 1500), cause="Torn", act=Act(actor=cashier, key="s", now=now)
    ).entry
    told = json.loads(entry.evidence)
    assert (told["number"], told["place"], told["cause"]) == (1, "Table 3", "Torn")
    assert told["expected"] == {"chips": 2500, "cash": 1500}
    assert told["counted"] == {"chips": 2400, "cash": 1500}
    assert [(c["attempt"], c["counter"], c["chips"]) for c in told["counts"]] == [
        (1, counter1.pk, 2400),
        (1, counter2.pk, 2400),
    ]
    assert told["pulled_by"] == sorted([floor.pk, dealer.pk])


# --- Rights and cost


@pytest.mark.parametrize("who", ["dealer", "cashier", "regulator", "manager"])
def test_only_floor_and_counters_handle_boxes_at_tables(who, box, floor, request, now):
    person = request.getfixturevalue(who)
    assert code_of(boxes.install_box, site=box.site, place="Table 8", actor=person, now=now) == "not_allowed"
    assert code_of(boxes.pull_box, box=box, actor=person, second=floor, now=now) == "not_allowed"


@pytest.mark.parametrize("who", ["cashier", "regulator", "manager"])
def test_the_second_person_at_a_box_has_business_there(who, box, floor, request, now):
    second = request.getfixturevalue(who)
    assert code_of(boxes.pull_box, box=box, actor=floor, second=second, now=now) == "not_allowed"


@pytest.mark.parametrize("who", ["floor", "dealer", "cashier", "regulator", "manager"])
def test_only_counters_count(who, pulled, request, count_of):
    person = request.getfixturevalue(who)
    assert code_of(count_of, pulled, person, 1, 1) == "not_allowed"
    assert code_of(boxes.boxes_to_count, person) == "not_allowed"


@pytest.mark.parametrize("who", ["floor2", "counter1", "regulator", "manager"])
def test_only_cashiers_sign_off(who, counted, request, now):
    box, person = counted(2500, 1500), request.getfixturevalue(who)
    assert code_of(boxes.sign_off, box=box, actor=person, now=now, **EMPTY) == "not_allowed"


def test_the_list_of_boxes_costs_the_same_for_one_and_for_ten(
    stocked, floor, dealer, counter1, count_of, now
):
    def cost():
        with CaptureQueriesContext(connection) as queries:
            boxes.boxes_to_count(counter1)
        return len(queries)

    costs = []
    counter1.has_perm("ledger.count_boxes")
    for number in range(10):
        box = boxes.install_box(site=stocked, place=f"Table {number}", act=Act(actor=floor, now=now))
        boxes.pull_box(box=box, second=dealer, act=Act(actor=floor, now=now))
        count_of(box, counter1, 1, 1)
        costs.append(cost())
    assert set(costs) == {2}
