"""The acts of the floor and of a dealer take no more taps than docs/design.md promises, counted on a phone
and on the tablet. Those of a whole round are counted in test_last_cards.py."""

import re
from datetime import date
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from casino.models import Staff
from ledger.journal.acts import Act
from tables.collection.waivers import write_reason
from tables.models import Waiver
from tests.support.cage import fields_of
from tests.support.cast import PIN
from tests.support.game import FULL_HOUSE, QUEENS

pytestmark = pytest.mark.django_db(transaction=True)

DESIGN = Path(__file__).parents[2] / "docs" / "design.md"
COUNT = """() => addEventListener("click", (event) => {
  if (event.isTrusted && event.detail && event.target.closest("a, button, summary"))
    sessionStorage.taps = Number(sessionStorage.taps ?? 0) + 1;
}, true)"""


def most(act):
    """The most taps that this act may take, as the page says."""
    return int(re.search(rf"^\| {act} \| (\d+) ", DESIGN.read_text(), re.MULTILINE)[1])


class Counted:
    """A page whose taps are counted from where an act begins."""

    def __init__(self, page):
        self.page = page
        page.add_init_script(f"({COUNT})()")

    def begin(self, address="/floor/"):
        self.page.goto(f"{self.page.base}{address}")
        self.page.evaluate("sessionStorage.taps = 0")

    def open_table(self):
        """From the board. Until the page of the table is live, an act in it is a page of its own."""
        self.begin()
        self.page.locator(".board").get_by_role("link", name="Table 1").click()
        self.page.wait_for_url("**/floor/sessions/*/")
        expect(self.page.locator("#live")).to_have_attribute("data-state", "live")

    def at_most(self, act):
        assert int(self.page.evaluate("sessionStorage.taps")) <= most(act), act


@pytest.fixture
def table(game, site, cashier):
    """A table in the middle of a down, with a reason for waivers."""
    game.now = timezone.now()
    act = Act(actor=None, now=game.now)
    approved = {"approval_reference": "BGC-2", "effective_from": date(2026, 1, 1)}
    write_reason(site=site, code="disturbance", text="Incident at the table", **approved, act=act)
    game.seat("Ann", "Bob")
    game.play([QUEENS, FULL_HOUSE])
    return game


def test_the_acts_of_the_floor_take_no_more_taps_than_they_may(window, table, floor2):
    phone = Counted(window("floor", width=390, height=844))
    page = phone.page
    desk = page.locator("#desk")

    phone.open_table()
    phone.at_most("Any table")

    page.locator("#buy-in-3").click()
    desk.locator("input[name=name]").fill("Cat")
    desk.locator("input[name=amount]").fill("300")
    desk.locator("button[type=submit]").click()
    expect(page.locator("#seat-list")).to_contain_text("Cat")
    phone.at_most("Seat a walk-in")

    table.set_stack(1, 4000)
    phone.open_table()
    page.locator("#seat-list").get_by_role("link", name="Add-on").first.click()
    desk.locator("input[name=amount]").fill("100")
    desk.locator("button[type=submit]").click()
    expect(page.locator("#seat-list")).to_contain_text("$140.00")
    phone.at_most("Add on")

    table.set_stack(3, 500)
    phone.begin()
    page.get_by_role("link", name="Due now").click()
    page.get_by_role("link", name="Waive the fee of Cat").click()
    page.get_by_label("Reason").select_option(label="Incident at the table")
    page.get_by_role("button", name="Waive").click()
    page.wait_for_url("**/floor/due/")
    assert Waiver.objects.count() == 1
    phone.at_most("Waive a fee")

    table.now = timezone.now()
    for seat in (1, 2, 3):
        table.cash_out(seat)
    phone.open_table()
    page.locator("#fold-money-summary").click()
    page.get_by_role("link", name="Close the table").click()
    count = fields_of(table.counted())
    for name, pieces in count.items():
        if name.startswith(("chips", "cash")):
            desk.locator(f"input[name={name}]").fill(pieces)
    desk.get_by_text("The second person's count").click()
    for name, pieces in count.items():
        if name.startswith("second_"):
            desk.locator(f"input[name={name}]").fill(pieces)
    desk.get_by_label("Second person").select_option("floor2")
    desk.get_by_label("Their PIN").fill(PIN)
    desk.get_by_role("button", name="Close the table").click()
    expect(page.locator("#table-live")).to_contain_text("closed")
    phone.at_most("Close a table")


def test_the_acts_at_the_tablet_take_no_more_taps_than_they_may(window, table, employ):
    zoe = employ("zoe", "dealer")
    Staff.objects.filter(pk=zoe.pk).update(badge="ZB-1")
    tablet = Counted(window("dealer", width=820, height=1180))
    page = tablet.page
    address = f"/dealer/sessions/{table.session.pk}/"
    tablet.begin(address)
    page.get_by_role("button", name=re.compile("Ask for a correction")).click()
    page.get_by_label("queen of hearts: take back").click()
    page.locator(".key[data-card='Jc']").click()
    page.locator("#correction-reason").fill("the jack was read as a queen")
    page.get_by_role("button", name="Ask the floor").click()
    expect(page.get_by_text("Waiting for the floor")).to_be_visible()
    tablet.at_most("Correct a round")

    phone = Counted(window("floor", width=390, height=844))
    phone.begin()
    phone.page.get_by_role("link", name="Look and decide").click()
    phone.page.get_by_role("link", name="Approve").click()
    phone.page.get_by_role("button", name="Approve").click()
    expect(phone.page.get_by_text("Round 1 is settled again.")).to_be_visible()
    phone.at_most("Decide on a correction")

    tablet.begin(address)
    page.get_by_role("link", name="Push").click()
    expect(page.locator("input[name=badge]")).to_be_focused()
    page.keyboard.type("ZB-1")  # as a reader of badges writes
    page.get_by_label("Their PIN").fill(PIN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Start round 2")).to_be_visible()
    assert table.fresh_session().dealer == zoe
    tablet.at_most("Push a dealer")
