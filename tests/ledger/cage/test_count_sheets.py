"""Count sheets: begun by a counter, one of a day at a time, signed by two who counted all its boxes."""

from datetime import date, timedelta

import pytest

from ledger.cage import boxes, count_sheets
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.models import AuditRecord, CountNote, CountSheet, CountSheetSignature
from ledger.proof.log.verifying import Verification
from ledger.reports.count_sheets import sheet_row
from tests.support.counting import begin_sheet, count_box, enter_count, sign_sheet

DAY = date(2026, 11, 21)


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        call(*args, **given)
    return error.value.code


@pytest.fixture
def begin(pulled, counter1, now):
    def begin(who=counter1, key="begun", day=DAY):
        return count_sheets.begin_sheet(site=pulled.site, day=day, act=Act(actor=who, now=now, key=key))

    return begin


@pytest.fixture
def sign(counter1, counter2, now):
    def sign(sheet, first=counter1, second=counter2, key="signed"):
        act = Act(actor=first, approver=second, now=now, key=key)
        return count_sheets.sign_sheet(sheet=sheet, without_box=["Table 4"], act=act)

    return sign


@pytest.fixture
def another(floor, dealer, now):
    """Pull a box of another table on the same gaming day."""

    def pull(box, place="Table 4"):
        new = boxes.install_box(site=box.site, place=place, act=Act(actor=floor, now=now))
        return boxes.pull_box(box=new, second=dealer, act=Act(actor=floor, now=now))

    return pull


def test_a_sheet_is_begun_once_for_a_day_with_boxes_that_wait(begin, counter2):
    sheet = begin()
    assert (sheet.number, sheet.gaming_day) == (1, DAY)
    assert begin() == sheet
    assert code_of(begin, counter2) == "key_reused"
    assert code_of(begin, counter2, key="mine") == "sheet_begun"
    assert code_of(begin, key="before", day=DAY - timedelta(days=1)) == "no_box_waits"


def test_sheets_are_numbered_without_gaps_and_each_has_the_boxes_that_waited(
    pulled, another, counter1, counter2, now
):
    first = count_box(pulled, (counter1, counter2), now).sheet
    assert code_of(begin_sheet, pulled, counter1, now) == "no_box_waits"
    second = count_box(another(pulled), (counter1, counter2), now).sheet
    assert (first.number, second.number) == (1, 2)
    lines = sheet_row(second, counter1).boxes
    assert [(line.box.number, line.here, line.other) for line in lines] == [(1, False, 1), (2, True, None)]
    signed = second.signature
    assert (signed.installed, signed.pulled, signed.counted) == (2, 2, 2)


def test_one_sheet_is_signed_over_all_boxes_that_wait(pulled, another, begin, sign, counter1, counter2, now):
    other = another(pulled)
    sheet = begin()
    for counter in (counter1, counter2):
        enter_count(pulled, counter, now)
    assert code_of(sign, sheet) == "count_open"
    enter_count(other, counter1, now)
    assert code_of(sign, sheet) == "count_open"
    enter_count(other, counter2, now)
    assert sign(sheet).without_box == ["Table 4"]


def test_two_people_sign_who_counted(pulled, begin, sign, employ, counter1, counter2, cashier, now):
    sheet, third = begin(), employ("third", "counter")
    for counter in (counter1, counter2):
        enter_count(pulled, counter, now)
    assert code_of(sign, sheet, second=None) == "second_person"
    assert code_of(sign, sheet, second=counter1) == "second_person"
    assert code_of(sign, sheet, second=third) == "did_not_count"
    assert code_of(sign, sheet, first=third) == "did_not_count"
    assert code_of(sign, sheet, first=cashier) == "not_allowed"
    signed = sign(sheet)
    assert (signed.signed_by, signed.signed_with, signed.signed_at) == (counter1, counter2, now)
    assert sign(sheet) == signed
    assert code_of(sign, sheet, second=third) == "key_reused"
    assert code_of(sign, sheet, key="again") == "sheet_signed"


def test_nothing_is_noted_on_a_signed_sheet_nor_counted(pulled, begin, sign, counter1, counter2, now):
    sheet = begin()

    def note(kind="told", text=" Dan of surveillance ", key="note"):
        act = Act(actor=counter1, now=now, key=key)
        return count_sheets.note_on_sheet(sheet=sheet, kind=kind, text=text, act=act)

    assert note().text == "Dan of surveillance"
    assert note() == CountNote.objects.get()
    assert code_of(note, kind="came") == "key_reused"
    assert code_of(note, kind="sang", key="other") == "bad_text"
    assert code_of(note, text=" ", key="other") == "bad_text"
    for counter in (counter1, counter2):
        enter_count(pulled, counter, now)
    sign(sheet)
    assert code_of(note, key="late") == "sheet_signed"


def test_a_box_is_signed_off_after_its_sheet(pulled, counter1, counter2, cashier, now):
    for counter in (counter1, counter2):
        enter_count(pulled, counter, now)
    act = Act(actor=cashier, now=now, key="sign off")
    assert code_of(boxes.sign_off, box=pulled, cause="", act=act) == "sheet_not_signed"
    sign_sheet(pulled, (counter1, counter2), now)
    assert boxes.sign_off(box=pulled, cause="", act=act).box == pulled


def test_figures_are_shown_to_those_who_counted_once_all_agree_and_to_others_once_signed(
    pulled, another, counter1, counter2, employ, cashier, now
):
    third, other = employ("third", "counter"), another(pulled)
    for counter in (counter1, counter2):
        enter_count(pulled, counter, now)
    sheet = CountSheet.objects.get()

    def shown():
        return [sheet_row(sheet, one).shown for one in (counter1, third, cashier)]

    assert shown() == [False, False, False]
    for counter in (counter1, counter2):
        enter_count(other, counter, now)
    assert shown() == [True, False, False]
    sign_sheet(pulled, (counter1, counter2), now)
    assert shown() == [True, True, True]
    assert sheet_row(sheet, cashier).counted.chips_cents == 2500


def test_everything_of_a_sheet_has_its_record_and_verifies(pulled, counter1, counter2, now):
    count_box(pulled, (counter1, counter2), now)
    kinds = ["count_sheet", "count", "count", "count_sheet_signed"]
    found = AuditRecord.objects.filter(kind__in=kinds).order_by("pk").values_list("kind", flat=True)
    assert list(found) == kinds
    assert [str(one) for one in Verification(pulled.site).run() if "sheet" in one.record] == []


def test_a_supervisor_is_called_until_the_counts_agree(pulled, counter1, counter2, now):
    for chips in (100, 200, 300):
        assert boxes.disputed(pulled.site) == []
        enter_count(pulled, counter1, now, chips=chips)
        enter_count(pulled, counter2, now, chips=chips + 100)
    assert [state.box for state in boxes.disputed(pulled.site)] == [pulled]
    for counter in (counter1, counter2):
        enter_count(pulled, counter, now)
    assert boxes.disputed(pulled.site) == []


@pytest.mark.parametrize("model", [CountSheet, CountNote, CountSheetSignature])
def test_rows_of_a_sheet_are_written_once(model):
    assert model.keeping.once
