"""Sealed boxes: noted, read, brought by two, received before a count; a cashier receives the money."""

from zoneinfo import ZoneInfo

import pytest

from ledger.cage import box_custody, boxes, count_sheets, struck
from ledger.cage.seals import Pulling
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.models import BoxReceipt, CountSheet, CountSheetReceipt, DropSignOff, StruckCount
from ledger.proof.log import sealing as seals
from ledger.proof.log.verifying import Verification
from ledger.reports.box_log import box_row
from ledger.reports.count_sheets import sheet_row
from tests.support.cage import pieces
from tests.support.counting import enter_count


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        call(*args, **given)
    return error.value.code


@pytest.fixture
def sealing(filled):
    """The house, whose boxes carry seals from now on."""
    filled.site.box_seals = True
    filled.site.save()
    return filled.site


@pytest.fixture
def install(sealing, floor, now):
    def install(place="Table 4", seal="0017"):
        return boxes.install_box(site=sealing, place=place, seal=seal, act=Act(actor=floor, now=now))

    return install


@pytest.fixture
def pull(floor, dealer, now):
    def pull(box, second=dealer, **noted):
        return boxes.pull_box(box=box, second=second, noted=Pulling(**noted), act=Act(actor=floor, now=now))

    return pull


@pytest.fixture
def receive(now):
    def receive(box, person, second, place="count_room", key="", **read):
        act = Act(actor=person, approver=second, now=now, key=key or f"{box.pk} {place}")
        return box_custody.receive_box(box=box, place=place, read=Pulling(**read), act=act)

    return receive


def test_a_house_with_seals_notes_one_on_each_box_and_none_twice(install):
    assert code_of(install, seal=" ") == "seal_required"
    assert install().seal == "0017"
    assert code_of(install, place="Table 5") == "seal_in_use"
    assert install(place="Table 5", seal="0018").seal == "0018"
    assert code_of(install, place="Table 6", seal="x" * 21) == "bad_text"


def test_a_house_without_seals_goes_on_as_before(install, sealing, pull):
    sealing.box_seals = False
    sealing.save()
    box = install(seal="")
    assert code_of(pull, box, seal="0017") == "seal_differs"
    assert pull(box).pulled_seal == ""
    assert boxes.in_count_room(box)


def test_the_seal_is_read_as_the_box_is_pulled(install, pull):
    box = install()
    assert code_of(pull, box) == "seal_differs"
    assert code_of(pull, box, seal="0071") == "seal_differs"
    box = pull(box, seal="0071", seal_reason="it was torn and replaced")
    assert (box.pulled_seal, box.seal_reason) == ("0071", "it was torn and replaced")
    other = pull(install("Table 5", "0018"), seal="0018", seal_reason="nothing")
    assert other.seal_reason == ""


def test_a_pull_outside_the_filed_times_needs_a_reason(install, pull, sealing, now):
    local = now.astimezone(ZoneInfo(sealing.time_zone))
    sealing.drop_times = f"{(local.hour + 6) % 24:02}:00"
    sealing.save()
    box = install()
    assert code_of(pull, box, seal="0017") == "emergency_drop"
    assert pull(box, seal="0017", emergency="it was full").emergency == "it was full"
    sealing.drop_times = f"{local:%H:%M}"
    sealing.save()
    assert pull(install("Table 5", "0018"), seal="0018", emergency="none").emergency == ""


def test_two_bring_a_sealed_box_and_only_then_it_is_counted(
    install, pull, receive, floor, dealer, counter1, counter2, now
):
    box = install()
    assert code_of(receive, box, counter1, floor, seal="0017") == "box_not_pulled"
    box = pull(box, seal="0017")
    assert box_custody.under_way(box.site) == [box]
    assert code_of(enter_count, box, counter1, now) == "box_not_received"
    assert code_of(receive, box, floor, dealer, seal="0017") == "not_allowed"
    assert code_of(receive, box, counter1, counter2, seal="0017") == "second_person"
    assert code_of(receive, box, counter1, counter1, seal="0017") == "second_person"
    assert code_of(receive, box, counter1, floor, seal="0018") == "seal_differs"
    assert code_of(receive, box, counter1, floor, place="the bar", seal="0017") == "bad_text"
    stored = receive(box, dealer, floor, place="storage", seal="0017")
    assert receive(box, dealer, floor, place="storage", seal="0017") == stored
    assert code_of(enter_count, box, counter1, now) == "box_not_received"
    there = receive(box, counter1, counter2, seal="0018", seal_reason="broken on the stairs")
    assert (there.ordinal, there.reason) == (2, "broken on the stairs")
    assert code_of(receive, box, counter2, floor, key="more", seal="0017") == "box_received"
    assert enter_count(box, counter1, now)
    assert BoxReceipt.objects.count() == 2
    assert [str(one) for one in Verification(box.site).run() if "box" in one.record] == []


@pytest.fixture
def signed(pulled, counter1, counter2, now):
    """The signed sheet of the box at Table 3, with $25 in chips and $15 in cash."""
    for who in (counter1, counter2):
        count = enter_count(pulled, who, now)
    act = Act(actor=counter1, approver=counter2, now=now, key="signed")
    count_sheets.sign_sheet(sheet=count.sheet, without_box=[], act=act)
    return count.sheet


@pytest.fixture
def hand_over(cashier, now):
    def hand_over(sheet, cents=(2500, 1500), who=cashier, second=None, reason="", key="received"):
        found = pieces(sheet.site, chips=cents[0], cash=cents[1])
        act = Act(actor=who, approver=second, reason=reason, now=now, key=key)
        return count_sheets.receive_sheet(sheet=sheet, pieces=found, act=act)

    return hand_over


def test_a_cashier_sees_nothing_before_their_own_count_and_signs_off_after_it(
    signed, pulled, hand_over, cashier, counter1, now
):
    act = Act(actor=cashier, now=now, key="off")
    assert code_of(boxes.sign_off, box=pulled, cause="", act=act) == "sheet_not_received"
    assert not sheet_row(signed, cashier).shown
    assert sheet_row(signed, counter1).shown
    assert (box_row(pulled.pk).state, box_row(pulled.pk).counted) == ("handed", None)
    assert code_of(hand_over, signed, who=counter1) == "not_allowed"
    assert code_of(hand_over, signed, (2500, 1400)) == "counts_differ"
    assert hand_over(signed, second=counter1, reason="none").reason == ""
    assert hand_over(signed) == CountSheetReceipt.objects.get()
    assert code_of(hand_over, signed, key="again") == "sheet_received"
    assert sheet_row(signed, cashier).shown
    assert box_row(pulled.pk).state == "counted"
    boxes.sign_off(box=pulled, cause="", act=act)


def test_what_differs_at_the_receipt_is_signed_by_two_and_received_as_counted(
    signed, pulled, hand_over, cashier, floor, now
):
    assert code_of(hand_over, signed, (2500, 1400), second=floor) == "counts_differ"
    received = hand_over(signed, (2500, 1400), second=floor, reason="a dollar fell down")
    assert (received.received_with, received.reason) == (floor, "a dollar fell down")
    assert boxes.received_count(pulled) == (2500, 1400)
    assert box_row(pulled.pk).difference == -100
    act = Act(actor=cashier, now=now, key="off")
    assert code_of(boxes.sign_off, box=pulled, cause="", act=act) == "cause_required"
    boxes.sign_off(box=pulled, cause="a dollar fell down", act=act)
    assert DropSignOff.objects.get().counted_cash == 1400


def test_each_refused_count_is_kept_and_the_third_calls_a_supervisor(signed, hand_over, cashier, floor, now):
    def refusal(cents, key, **more):
        with pytest.raises(LedgerError) as error:
            hand_over(signed, cents, key=key, **more)
        assert not any(map(str.isdigit, error.value.message))
        return "supervisor" in error.value.message

    assert not refusal((2500, 1400), "one")
    assert not refusal((2500, 1400), "one")  # sent again
    assert not refusal((2500, 1400), "two")
    assert not refusal((2500, 1400), "why", reason="a dollar fell down")
    assert struck.called(signed.site) == []
    assert refusal((2000, 1500), "three")
    assert struck.called(signed.site) == [signed]
    kept = StruckCount.objects.order_by("attempt").values_list(
        "attempt", "person", "chips_cents", "cash_cents"
    )
    assert list(kept) == [
        (1, cashier.pk, 2500, 1400),
        (2, cashier.pk, 2500, 1400),
        (3, cashier.pk, 2000, 1500),
    ]
    hand_over(signed)
    assert struck.called(signed.site) == []
    seals.seal(signed.site, now=now, whole=True)
    assert [str(one) for one in Verification(signed.site).run() if "struck" in one.record] == []


def test_nothing_is_received_before_two_counters_have_signed(pulled, hand_over, counter1, now):
    sheet = enter_count(pulled, counter1, now).sheet
    assert code_of(hand_over, sheet) == "sheet_not_signed"


def test_a_sheet_of_the_version_before_is_signed_off_without_a_receipt(pulled, counter1, counter2, now):
    of_day = {"site": pulled.site, "gaming_day": pulled.gaming_day}
    sheet = CountSheet.objects.create(number=1, begun_by=counter1, begun_at=now, key="before", **of_day)
    for who in (counter1, counter2):
        enter_count(pulled, who, now)
    act = Act(actor=counter1, approver=counter2, now=now, key="signed")
    count_sheets.sign_sheet(sheet=sheet, without_box=[], act=act)
    assert boxes.received_count(pulled) == (2500, 1500)
    assert box_row(pulled.pk).state == "counted"
