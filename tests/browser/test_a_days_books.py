"""After the night, in real browsers: blind counts, the closing of the day, and the regulator's download."""

import csv
import io
import json
from collections import defaultdict
from decimal import Decimal

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from ledger.cage.boxes import counted_together
from ledger.journal.bank_differences import bank_differences
from ledger.models import ClosedDay, CountSheet, DropBox, DropSignOff
from ledger.money import amount_text
from tests.support.cage import count_unclaimed, count_vault, pieces
from tests.support.cast import PIN
from tests.support.nights import play_a_night

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])

SHORT_BY = 500


@pytest.fixture
def night(site, counter1, counter2, cashier, regulator, manager, floor, floor2, dealer):
    play_a_night(site, tables=2, hours=1, seed=3)
    return list(DropBox.objects.select_related("chips", "cash").order_by("number"))


def begin_sheets(page):
    page.goto(f"{page.base}/count/")
    begin = page.get_by_role("button", name="Begin a count sheet")
    while begin.count():
        begin.first.click()
        expect(page.get_by_text("is begun.").first).to_be_visible()


def fill_pieces(page, counted):
    for asset, numbers in counted.data.items():
        for value, number in numbers:
            page.locator(f"input[name={asset}_{value}]").fill(str(number))


def count(page, box, chips, cash):
    page.goto(f"{page.base}/count/boxes/{box.pk}/")
    fill_pieces(page, pieces(box.site, chips=chips, cash=cash))
    page.get_by_role("button", name="Review the count").click()
    confirm = page.get_by_role("button", name="Confirm")
    expect(confirm).to_be_visible()
    with page.expect_navigation():
        confirm.click()


def sign_sheets(page):
    """At a terminal, where the second counter types a PIN."""
    page.goto(f"{page.base}/count/")
    waiting = page.get_by_role("link", name="Sign Count sheet")
    while waiting.count():
        waiting.first.click()
        page.locator("[name=pin]").fill(PIN)
        page.locator("[name=second]").select_option("counter2")
        page.locator("[name=second_pin]").fill(PIN)
        page.get_by_role("button", name="Sign the count sheet").click()
        expect(page.get_by_text("is signed. Its boxes are ready").first).to_be_visible()
        page.goto(f"{page.base}/count/")


def receive_sheets(cashier):
    """Find in the boxes of each sheet what its counters found."""
    for sheet in CountSheet.objects.order_by("number"):
        cashier.goto(f"{cashier.base}/count/sheets/{sheet.pk}/receive/")
        fill_pieces(cashier, counted_together(sheet))
        cashier.get_by_role("button", name="Receive what I counted").dblclick()
        expect(cashier.get_by_text("is received. Sign its boxes off.")).to_be_visible()


def in_both(box):
    return box.chips.balance_cents, box.cash.balance_cents


def sign_difference_off(page):
    page.locator("[name=cause]").fill("it was not found")
    page.get_by_role("button", name="Sign the difference off").click()
    expect(page.get_by_text("is signed off.").first).to_be_visible()


def sign_banks_off(cashier, day):
    """The night's banks that were a chip short, which the day's desk lists; an old link leads there."""
    desk = f"{cashier.base}/cashier/?day={day}"
    cashier.goto(desk)
    waiting = cashier.locator(".day-missing").get_by_role("link", name="Bank of table")
    while waiting.count():
        waiting.first.click()
        sign_difference_off(cashier)
        cashier.goto(desk)


def sign_drawers_off(manager, site, day):
    """Of a drawer that was a dollar short, which the cashier counted."""
    for one in (one for one in bank_differences(site) if one.open):
        manager.goto(f"{manager.base}/audit/days/{day}/")
        manager.locator(f'a[href="/cashier/banks/{one.entry.pk}/"]').first.click()
        sign_difference_off(manager)


def counted_blind(first, second, night):
    """Two count every box, the first of them short; neither reads what the books expect."""
    begin_sheets(first)
    for number, box in enumerate(night):
        chips, cash = in_both(box)
        found = chips - (SHORT_BY if number == 0 else 0)
        expected_figure = amount_text(chips + cash)
        count(first, box, found, cash)
        assert expected_figure not in first.content().replace(amount_text(found), "")
        expect(first.get_by_text("Waiting for the second counter").first).to_be_visible()
        count(second, box, found, cash)
        expect(second.get_by_text("Both counts agree.").first).to_be_visible()
    sign_sheets(first)


def test_counted_blind_reconciled_with_one_box_short_and_taken_away(window, night):
    counted_blind(window("counter1"), window("counter2"), night)
    cashier = window("cashier")
    day = night[0].gaming_day.isoformat()
    receive_sheets(cashier)
    for number, box in enumerate(night):
        cashier.goto(f"{cashier.base}/cashier/boxes/{box.pk}/")
        button = cashier.get_by_role("button", name="sign off")
        if number == 0:
            expect(cashier.locator("table").first).to_contain_text("−$5.00")
            with cashier.expect_navigation():
                button.click()  # a difference without its cause is refused, and nothing is signed
            expect(cashier.locator("[name=cause]")).to_be_visible()
            assert not DropSignOff.objects.exists()
            cashier.errors.clear()  # the browser reports the refusal's status
            cashier.locator("[name=cause]").fill("a five dollar chip was found under the table")
        button.dblclick()
        expect(cashier.get_by_text("Signed by")).to_be_visible()
    assert DropSignOff.objects.count() == len(night)

    sign_banks_off(cashier, day)
    sign_drawers_off(window("manager"), night[0].site, day)
    count_vault(night[0].site, timezone.now())
    count_unclaimed(night[0].site, timezone.now())
    cashier.reload()
    taken = cashier.locator(".figure", has_text="Taken").locator("dd").inner_text()
    cashier.get_by_role("link", name="Close the day").click()
    cashier.locator("[name=second]").select_option("floor")
    cashier.locator("[name=second_pin]").fill(PIN)
    cashier.get_by_role("button", name=f"Close gaming day {day}").dblclick()
    expect(cashier.get_by_text("Day closed")).to_be_visible()
    assert ClosedDay.objects.get().gaming_day == night[0].gaming_day

    regulator = window("regulator")
    regulator.goto(f"{regulator.base}/audit/days/{day}/")
    with regulator.expect_download() as csv_file:
        regulator.get_by_role("link", name="CSV").click()
    with regulator.expect_download() as jsonl_file:
        regulator.get_by_role("link", name="JSON").click()
    rows = list(csv.DictReader(io.StringIO(csv_file.value.path().read_text())))
    entries = [json.loads(line) for line in jsonl_file.value.path().read_text().splitlines()]
    in_rows, in_entries = defaultdict(Decimal), defaultdict(Decimal)
    for row in rows:
        in_rows[row["kind"]] += Decimal(row["amount"] or 0)  # of a count that found nothing else
    for entry in entries:
        in_entries[entry["kind"]] += sum(Decimal(transfer["amount"]) for transfer in entry["transfers"])
    assert in_rows == in_entries
    assert f"{in_rows['collection']:,.2f}" in taken
    received = sum(box.sign_off.counted_chips + box.sign_off.counted_cash for box in DropBox.objects.all())
    assert in_rows["drop"] == Decimal(received + SHORT_BY) / 100


def test_a_regulators_window_has_no_button_that_changes_anything(window, night):
    regulator = window("regulator")
    for path in ("/audit/", f"/audit/days/{night[0].gaming_day}/", "/audit/rounds/", "/players/"):
        regulator.goto(regulator.base + path)
        assert regulator.locator("main form[method=post]").count() == 0
