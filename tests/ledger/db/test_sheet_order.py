"""Rows of count sheets that SQL writes past the program: what the database itself refuses."""

import pytest
from django.db import IntegrityError, connection, transaction

from ledger.cage import boxes
from ledger.db import sheet_order
from ledger.journal.acts import Act
from ledger.journal.posting import post
from ledger.models import Count, CountNote, CountSheet, CountSheetSignature, DropSignOff
from tests.support.counting import begin_sheet, count_box, enter_count, sign_sheet

NAMES = [f"{table}_{name}" for table, name, *_ in sheet_order._WRONG]


def refused(model, **columns):
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        model.objects.create(**columns)
    return str(error.value)


@pytest.fixture
def signed(pulled, counter1, counter2, now):
    return count_box(pulled, (counter1, counter2), now).sheet


@pytest.fixture
def counts(counter1, now):
    """The columns of a count by somebody else."""
    nothing = {"pieces": {"cash": [], "chips": []}, "chips_cents": 0, "cash_cents": 0}
    return {"attempt": 9, "key": "by SQL", "counted_at": now, "counter": counter1, **nothing}


def test_a_signed_sheet_takes_no_count_and_no_note(signed, pulled, counts, counter1, now):
    said = refused(Count, site=pulled.site, box=pulled, sheet=signed, **counts)
    assert "takes no count" in said
    note = {"kind": "came", "text": "Eve", "person": counter1, "at": now, "key": "by SQL"}
    assert "takes no note" in refused(CountNote, site=pulled.site, sheet=signed, **note)


def test_a_box_is_counted_on_one_sheet_of_its_gaming_day(pulled, floor, dealer, counter1, counts, now):
    enter_count(pulled, counter1, now)
    day, site = pulled.gaming_day.replace(day=1), pulled.site
    begun = {"site": site, "begun_by": counter1, "begun_at": now}
    other = CountSheet.objects.create(number=8, gaming_day=day, key="by SQL", **begun)
    assert "on one sheet" in refused(Count, site=site, box=pulled, sheet=other, **counts)
    box = boxes.install_box(site=site, place="Table 9", act=Act(actor=floor, now=now))
    assert "on one sheet" in refused(Count, site=site, box=box, sheet=other, **counts)


def test_one_sheet_of_a_day_is_open_at_a_time(pulled, counter1, now):
    sheet = begin_sheet(pulled, counter1, now)
    begun = {"site": pulled.site, "begun_by": counter1, "begun_at": now, "gaming_day": sheet.gaming_day}
    assert "one count sheet" in refused(CountSheet, number=2, key="by SQL", **begun)


def test_only_two_who_counted_sign(pulled, counter1, counter2, floor, now):
    enter_count(pulled, counter1, now)
    sheet = CountSheet.objects.get()
    day = {"installed": 1, "pulled": 1, "counted": 1, "without_box": []}
    row = {"site": pulled.site, "sheet": sheet, "signed_at": now, "key": "by SQL", **day}
    assert "two who counted" in refused(CountSheetSignature, signed_by=counter1, signed_with=counter2, **row)
    enter_count(pulled, counter2, now)
    assert "two who counted" in refused(CountSheetSignature, signed_by=counter1, signed_with=floor, **row)
    refused(CountSheetSignature, signed_by=counter1, signed_with=counter1, **row)
    CountSheetSignature.objects.create(signed_by=counter1, signed_with=counter2, **row)


def test_a_box_is_signed_off_after_its_sheet(pulled, counter1, counter2, cashier, draft, now):
    for counter in (counter1, counter2):
        enter_count(pulled, counter, now)
    entry = post(site=pulled.site, draft=draft("k", "drop"))
    figures = dict.fromkeys(("expected_chips", "counted_chips", "expected_cash", "counted_cash"), 0)
    row = {"box": pulled, "entry": entry, "signed_by": cashier, "signed_at": now, "threshold_cents": 1}
    assert "after its count sheet" in refused(DropSignOff, **row, **figures)
    sign_sheet(pulled, (counter1, counter2), now)
    DropSignOff.objects.create(**row, **figures)


@pytest.mark.parametrize("row", [CountSheet, CountSheetSignature])
def test_nothing_of_a_signed_sheet_changes(signed, row):
    with pytest.raises(IntegrityError), transaction.atomic():
        row.objects.update(key="another")
    with pytest.raises(IntegrityError), transaction.atomic():
        row.objects.all().delete()


@pytest.mark.django_db
@pytest.mark.parametrize("number", range(len(NAMES)))
def test_a_trigger_that_is_gone_is_named_and_made_again(number):
    table, name, *_ = sheet_order._WRONG[number]
    on = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {table}_{name}{on}")
    assert sheet_order.HELD.lacking(connection) == [f"{table}_{name}"]
    assert [error.id for error in sheet_order.HELD.check(None, ["default"])] == ["ledger.E006"]
    sheet_order.HELD.protect("default")
    assert sheet_order.HELD.lacking(connection) == []
