"""Boxes that two people bring into the count room, and the money that a cashier counts and receives."""

import pytest

from ledger.cage import boxes, count_sheets
from ledger.cage.seals import Pulling
from ledger.journal.acts import Act
from ledger.models import BoxReceipt, CountSheetReceipt
from tables.floor import opening
from tests.support.cast import PIN
from tests.support.counting import enter_count
from tests.support.pages import steady

KEY = "a key made by the page"


@pytest.fixture
def sealed(evening):
    """A table of a house with seals, whose box has one."""
    site = evening.site
    site.box_seals = True
    site.save()
    box = evening.session.box
    box.seal = "0017"
    box.save()
    return evening


def test_one_form_changes_a_box_with_both_seals(at, floor, sealed, codes_on):
    address = f"/floor/sessions/{sealed.session.pk}/box/"
    page = steady(at(floor).get(address))
    assert "Seal of the old box" in page
    assert "Seal of the new box" in page
    assert "Why the seal" not in page
    assert "0017" not in page
    sent = {"key": KEY, "second": "dealer", "second_pin": PIN}
    refused = at(floor).post(address, {**sent, "seal": "0071", "new_seal": "0018"})
    assert codes_on(refused) == ["seal_differs"]
    assert "Why the seal" in refused.content.decode()
    assert codes_on(at(floor).post(address, {**sent, "seal": "0017"})) == ["bad_entry"]
    assert at(floor).post(address, {**sent, "seal": "0017", "new_seal": "0018"}).status_code == 302
    assert boxes.DropBox.objects.get(seal="0018").pulled_at is None


def test_a_counter_receives_the_boxes_that_two_bring(at, floor, dealer, counter1, sealed, codes_on):
    act = Act(actor=floor, now=sealed.now, key="changed")
    noted = Pulling(seal="0017")
    opening.change_box(session_id=sealed.session.pk, second=dealer, noted=noted, new_seal="0018", act=act)
    box = boxes.DropBox.objects.get(seal="0017")
    assert "Receive 1 box" in at(counter1).get("/count/").content.decode()
    sent = {"key": KEY, "place": "count_room", "second": "dealer", "second_pin": PIN}
    refused = at(counter1).post("/count/receive/", {**sent, f"seal_{box.pk}": "0071"})
    assert codes_on(refused) == ["seal_differs"]
    assert codes_on(at(counter1).post("/count/receive/", sent)) == ["seal_differs"]
    assert not BoxReceipt.objects.exists()
    page = at(counter1).post("/count/receive/", {**sent, f"seal_{box.pk}": "0017"}, follow=True)
    assert "Count room" in page.content.decode()
    assert BoxReceipt.objects.get().second == dealer
    assert "No box is under way" in at(counter1).get("/count/receive/").content.decode()


@pytest.fixture
def sheet(boxed, counter1, counter2, evening):
    for who in (counter1, counter2):
        count = enter_count(boxed, who, evening.now, chips=5500, cash=3000)
    act = Act(actor=counter1, approver=counter2, now=evening.now, key="signed")
    count_sheets.sign_sheet(sheet=count.sheet, without_box=[], act=act)
    return count.sheet


def test_a_cashier_counts_without_being_told(at, cashier, counter1, sheet, boxed, codes_on):
    address = f"/count/sheets/{sheet.pk}/receive/"
    seen = [f"/count/sheets/{sheet.pk}/", address, "/cashier/day/", f"/cashier/boxes/{boxed.pk}/"]
    for page in seen:
        text = steady(at(cashier).get(page, follow=True))
        assert not [figure for figure in ("55.00", "85.00") if figure in text], page
    empty = at(cashier).post(address, {"key": KEY, "chips_500": ""})
    assert (empty.status_code, codes_on(empty)) == (400, ["bad_amount"])
    wrong = at(cashier).post(address, {"key": KEY, "chips_500": "11"})
    assert (wrong.status_code, codes_on(wrong)) == (409, ["counts_differ"])
    assert not CountSheetReceipt.objects.exists()
    assert "struck, C" in wrong.content.decode()
    assert 'value="11"' not in wrong.content.decode()
    assert f'value="{KEY}"' not in wrong.content.decode()  # a further count is another act
    waits = at(counter1).get(seen[0]).content.decode()
    assert ("struck, C" in waits, "11 × $5" in waits) == (True, False)
    right = {"key": KEY, "chips_2500": "2", "chips_500": "1", "cash_2000": "1", "cash_1000": "1"}
    page = at(cashier).post(address, right, follow=True).content.decode()
    assert "$55.00 chips, $30.00 cash" in page
    assert "<s>11 × $5 chips</s>" in page
    assert CountSheetReceipt.objects.get().reason == ""


def test_a_difference_has_its_reason_and_a_second_person_on_the_sheet(at, cashier, counter1, sheet):
    sent = {"key": KEY, "chips_500": "11", "reason": "a note tore", "second": "counter1", "second_pin": PIN}
    page = at(cashier).post(f"/count/sheets/{sheet.pk}/receive/", sent, follow=True).content.decode()
    assert "with a difference" in page
    assert "a note tore" in page
    assert CountSheetReceipt.objects.get().cash_cents == 0
