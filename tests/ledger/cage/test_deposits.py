"""What goes to the bank, and chips to and from their maker: who takes which step, each box once, and what a
thief would try."""

from datetime import date, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from ledger.cage import boxes, deposits, documents
from ledger.db import step_order
from ledger.errors import Refusal
from ledger.journal import closing, records
from ledger.journal.acts import Act
from ledger.models import Account, Document, DocumentBox, DocumentStep
from ledger.proof.log import sealing, verifying
from ledger.reports.trial_balance import sums_of, trial_balance
from ledger.rules.denominations import Pieces
from tests.support.behind import behind_the_triggers
from tests.support.cage import close_cage, count_vault
from tests.support.counting import count_box

DAY = date(2026, 11, 21)
SIXTY, HUNDRED = Pieces(cash={2000: 3}), Pieces(cash={2000: 5})
RACK = Pieces({500: 100})
SLIP = {"reference": "slip 4711"}


@pytest.fixture
def act(now):
    serial = iter(range(1_000))
    return lambda person, **more: Act(person, more.pop("now", now), f"an act {next(serial)}", **more)


@pytest.fixture
def signed(stocked, floor, dealer, counter1, counter2, cashier, act, now):
    """`signed(6000)`: a box in which so much cash was counted, signed off."""

    def counted(cash):
        place = f"Table {100 + stocked.boxes.count()}"
        box = boxes.install_box(site=stocked, place=place, act=act(floor))
        boxes.pull_box(box=box, second=dealer, act=act(floor))
        count_box(box, (counter1, counter2), now, chips=0, cash=cash)
        boxes.sign_off(box=box, cause="nobody entered it" if cash else "", act=act(cashier))
        return box.pk

    return counted


@pytest.fixture
def begin(stocked, act):
    def begun(person, kind="deposit", pieces=SIXTY, named=(), **more):
        return documents.begin(site=stocked, kind=kind, pieces=pieces, boxes=named, act=act(person, **more))

    return begun


@pytest.fixture
def take(act):
    def taken(document, step, person, pieces=None, reference="", **more):
        return documents.take(
            document=document, step=step, pieces=pieces, reference=reference, act=act(person, **more)
        )

    return taken


@pytest.fixture
def deposit(begin, take, signed, cashier, floor):
    """A deposit of one box with $60, handed to the carrier."""
    prepared = begin(cashier, named=[signed(6_000)])
    take(prepared, "authorised", floor)
    take(prepared, "sent", cashier, reference="Carl Carrier")
    return prepared


def refused(code, call, *args, **options):
    before = DocumentStep.objects.count(), Document.objects.count(), DocumentBox.objects.count()
    with pytest.raises(Refusal) as found:
        call(*args, **options)
    assert found.value.code == code
    assert before == (DocumentStep.objects.count(), Document.objects.count(), DocumentBox.objects.count())
    return found.value.message


def held(site, kind, asset="cash"):
    return Account.objects.get(site=site, kind=kind, asset=asset).balance_cents


def findings(site, now):
    sealing.seal(site, now=now)
    return {(one.code, one.record) for one in verifying.Verification(site).run()}


# A deposit


def test_the_cash_of_boxes_goes_to_the_bank_and_is_confirmed(
    stocked, begin, take, signed, cashier, floor, manager, now
):
    named = [signed(2_000), signed(4_000)]
    vault, bank = held(stocked, "vault"), held(stocked, "bank")
    assert [one.box_id for one in deposits.undeposited(stocked)] == named
    prepared = begin(cashier, named=named)
    assert (str(prepared), prepared.place) == ("Deposit 1", "The bank")
    assert not deposits.undeposited(stocked)
    take(prepared, "authorised", floor)
    assert held(stocked, "vault") == vault
    sent = take(prepared, "sent", cashier, reference="Carl Carrier")
    assert (sent.reference, held(stocked, "vault"), held(stocked, "bank")) == (
        "Carl Carrier",
        vault - 6_000,
        bank,
    )
    confirmed = take(prepared, "received", manager, SIXTY, **SLIP)
    assert (confirmed.step, confirmed.reference) == ("received", "slip 4711")
    assert held(stocked, "bank") == bank + 6_000
    assert sums_of(trial_balance(stocked)) == {"chips": 0, "cash": 0}
    assert findings(stocked, now) == set()


def test_who_hands_a_deposit_over_neither_authorised_nor_confirms_it(
    begin, take, signed, cashier, employ, floor, dealer, manager
):
    other = employ("other", "cashier")
    refused("not_allowed", begin, floor, named=[signed(6_000)])
    prepared = begin(cashier, named=[signed(6_000)])
    refused("second_person", take, prepared, "authorised", cashier)
    refused("not_allowed", take, prepared, "authorised", dealer)
    take(prepared, "authorised", other)
    refused("second_person", take, prepared, "sent", other, reference="Carl")
    refused("not_allowed", take, prepared, "sent", floor, reference="Carl")
    refused("reference_required", take, prepared, "sent", cashier, reference=" ")
    take(prepared, "sent", cashier, reference="Carl")
    refused("second_person", take, prepared, "received", cashier, SIXTY, **SLIP)
    refused("reference_required", take, prepared, "received", manager, SIXTY)
    take(prepared, "received", manager, SIXTY, **SLIP)
    refused("document_ended", take, prepared, "received", other, SIXTY, **SLIP)


def test_a_box_is_on_one_deposit_unless_that_was_voided(stocked, begin, take, signed, cashier, floor, now):
    box = signed(6_000)
    first = begin(cashier, named=[box])
    assert "Box 1" in refused("box_deposited", begin, cashier, named=[box])
    take(first, "voided", floor, approver=cashier, reason="the notes were counted wrongly")
    again = begin(cashier, named=[box])
    assert [*DocumentBox.objects.order_by("pk").values_list("document", "attempt")] == [
        (first.pk, 1),
        (again.pk, 2),
    ]
    take(again, "authorised", floor)
    take(again, "sent", cashier, reference="Carl")
    void = {"approver": cashier, "reason": "it is gone"}
    refused("wrong_step", take, again, "voided", floor, **void)
    refused("box_deposited", begin, cashier, named=[box])
    assert findings(stocked, now) == set()


def test_a_deposit_is_exactly_the_cash_counted_in_boxes_that_were_signed_off(
    stocked, begin, signed, cashier, floor, act
):
    box, empty = signed(6_000), signed(0)
    standing = boxes.install_box(site=stocked, place="Table 9", act=act(floor)).pk
    for wrong in (HUNDRED, Pieces(cash={2000: 2}), Pieces(cash={2000: 3, 100: 1})):
        refused("deposit_differs", begin, cashier, pieces=wrong, named=[box])
    refused("deposit_differs", begin, cashier)
    refused("box_not_signed", begin, cashier, named=[box, standing])
    refused("box_not_signed", begin, cashier, named=[box, 99_999])
    refused("box_deposited", begin, cashier, named=[box, empty])
    refused("bad_amount", begin, cashier, pieces=Pieces({500: 12}), named=[box])
    refused("deposit_differs", begin, cashier, "destruction", RACK, named=[box])
    assert begin(cashier, named=[box, box])


def test_a_deposit_sent_twice_is_one(stocked, signed, cashier, now):
    one, other = signed(6_000), signed(6_000)
    asked = {
        "site": stocked,
        "kind": "deposit",
        "pieces": SIXTY,
        "act": Act(cashier, now, "the same request"),
    }
    assert documents.begin(**asked, boxes=[one]) == documents.begin(**asked, boxes=[one])
    refused("key_reused", documents.begin, **asked, boxes=[other])


def test_what_the_bank_says_otherwise_is_over_short_with_a_reason_and_a_second_person(
    stocked, deposit, take, manager, floor, now
):
    short = Pieces(cash={2000: 2})
    refused("not_as_sent", take, deposit, "received", manager, short, **SLIP)
    differs = {"reason": "a note was false", **SLIP}
    refused("second_person", take, deposit, "received", manager, short, **differs)
    step = take(deposit, "received", manager, short, approver=floor, **differs)
    assert (step.step, step.reference) == ("differed", "slip 4711")
    assert held(stocked, "over_short") == 2_000 - 6_000  # of what was found in the box, less what is missing
    assert findings(stocked, now) == set()


def test_the_same_confirmation_again_is_one_and_another_reference_is_refused(deposit, manager, now):
    said = {"document": deposit, "step": "received", "pieces": SIXTY, "act": Act(manager, now, "confirmed")}
    assert documents.take(**said, **SLIP) == documents.take(**said, **SLIP)
    refused("key_reused", documents.take, **said, reference="slip 4712")


# Chips


def test_chips_are_ordered_authorised_noted_and_counted(stocked, begin, take, cashier, manager, floor, now):
    before = held(stocked, "vault", "chips")
    order = begin(cashier, "chip_purchase", RACK)
    assert (str(order), order.place) == ("Chip purchase 1", "The chip maker")
    refused("not_allowed", take, order, "authorised", cashier)
    take(order, "authorised", manager)
    refused("reference_required", take, order, "sent", cashier)
    take(order, "sent", cashier, reference="note 12")
    assert held(stocked, "vault", "chips") == before
    refused("second_person", take, order, "received", cashier, RACK)
    said = refused("not_as_sent", take, order, "received", floor, Pieces({500: 99}))
    assert not set("0123456789$") & set(said)
    take(order, "received", floor, RACK)
    assert held(stocked, "vault", "chips") == before + 50_000
    assert findings(stocked, now) == set()


def test_a_manager_who_orders_chips_does_not_authorise_them(begin, take, manager, floor, employ):
    order = begin(manager, "chip_purchase", RACK)
    refused("second_person", take, order, "authorised", manager)
    take(order, "authorised", floor)


def test_chips_are_destroyed_before_a_witness_who_had_no_part_in_it(
    stocked, begin, take, cashier, manager, floor, now
):
    before, made = held(stocked, "vault", "chips"), held(stocked, "chip_maker", "chips")
    asked = begin(cashier, "destruction", RACK)
    take(asked, "authorised", manager)
    take(asked, "sent", cashier)
    for person in (cashier, manager):
        refused("second_person", take, asked, "received", person, RACK, reference="certificate 3")
    refused("reference_required", take, asked, "received", floor, RACK)
    take(asked, "received", floor, RACK, reference="certificate 3")
    assert held(stocked, "vault", "chips") == before - 50_000
    assert held(stocked, "chip_maker", "chips") == made + 50_000
    assert findings(stocked, now) == set()


def test_more_chips_than_the_vault_has_are_not_taken_out(begin, take, cashier, manager):
    asked = begin(cashier, "destruction", Pieces({500: 1_000_000}, meant=True))
    take(asked, "authorised", manager)
    refused("insufficient_funds", take, asked, "sent", cashier)


# The day


def test_a_deposit_keeps_no_day_open_and_chips_that_nobody_counted_do(
    stocked, deposit, begin, take, cashier, manager, floor, floor2, counter1, now
):
    order = begin(cashier, "chip_purchase", RACK)
    take(order, "authorised", manager)
    close_cage(stocked, now)
    count_vault(stocked, now, key="again")
    later = now + timedelta(days=1)
    state = closing.day_state(stocked, DAY, later)
    assert (state.documents, state.away) == ((), (deposit, order))
    take(order, "sent", cashier, reference="note 12")
    state = closing.day_state(stocked, DAY, later)
    assert (state.documents, state.away) == ((order,), (deposit,))
    take(order, "received", floor, RACK)
    count_vault(stocked, now, key="once more")
    act = Act(cashier, later, "close it", approver=manager)
    closing.close_day(site=stocked, day=DAY, act=act)
    confirmed = take(deposit, "received", manager, SIXTY, now=later, **SLIP)
    assert (confirmed.gaming_day, confirmed.entry.gaming_day) == (DAY + timedelta(days=1),) * 2
    assert findings(stocked, later) == set()


# Past the program


def test_the_database_itself_refuses_a_box_twice_a_box_later_and_one_of_no_deposit(
    stocked, deposit, begin, take, signed, cashier, floor
):
    other, fresh = begin(cashier, named=[signed(6_000)]), signed(6_000)
    order = begin(cashier, "chip_purchase", RACK)
    (gone,) = deposits.boxes_of(deposit)
    for document, box, attempt in (
        (other, gone, 1),
        (other, gone, 2),
        (deposit, fresh, 1),
        (order, fresh, 1),
        (other, fresh, 0),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            DocumentBox.objects.create(site=stocked, document=document, box_id=box, attempt=attempt)
    with pytest.raises(IntegrityError), transaction.atomic():
        DocumentBox.objects.update(box_id=fresh)


def test_a_forged_link_is_named(stocked, deposit, signed, now):
    fresh = signed(6_000)
    assert findings(stocked, now) == set()
    with past_the_triggers():
        forged = DocumentBox.objects.create(site=stocked, document=deposit, box_id=fresh, attempt=1)
    assert findings(stocked, now) == {("no_record", f"document box {forged.pk}")}


def test_a_link_forged_with_its_record_is_named(stocked, deposit, begin, signed, cashier, now):
    """A box is deposited a second time, and another is slipped into a deposit that has been sent."""
    (gone,), fresh = deposits.boxes_of(deposit), signed(6_000)
    other = begin(cashier, named=[signed(6_000)])
    with past_the_triggers():
        links = [
            DocumentBox.objects.create(site=stocked, document=document, box_id=box, attempt=attempt)
            for document, box, attempt in ((deposit, fresh, 1), (other, gone, 2))
        ]
    records.keep(stocked.pk, now, *links)
    assert findings(stocked, now) == {("no_document", f"document box {link.pk}") for link in links}


class past_the_triggers:  # noqa: N801  (used as a context)
    """Without the triggers of DocumentBox, that on inserting too."""

    def __enter__(self):
        self.away = behind_the_triggers(step_order.BOXES)
        self.away.__enter__()
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute(f"DROP TRIGGER {step_order.BOXES}_once")

    def __exit__(self, *error):
        if connection.vendor == "sqlite":
            step_order.HELD.protect("default")
        return self.away.__exit__(*error)
