"""The acts of the floor take no more taps than docs/design.md promises, counted from the board on a phone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.django_db(transaction=True)

DESIGN = Path(__file__).parents[2] / "docs" / "design.md"
COUNT = """() => addEventListener("click", (event) => {
  if (event.isTrusted && event.target.closest("a, button, summary"))
    sessionStorage.taps = Number(sessionStorage.taps ?? 0) + 1;
}, true)"""


def most(act):
    """The most taps that this act may take, as the page says."""
    return int(re.search(rf"^\| {act} \| (\d+) ", DESIGN.read_text(), re.MULTILINE)[1])


@pytest.fixture
def phone(game, window):
    page = window("floor", width=390, height=844)
    page.add_init_script(f"({COUNT})()")

    def begin():
        page.goto(f"{page.base}/floor/")
        page.evaluate("sessionStorage.taps = 0")
        return page

    page.begin = begin
    page.taps = lambda: int(page.evaluate("sessionStorage.taps"))
    return page


def open_table(page):
    """Until the page of the table is live, an act in it is a page of its own."""
    page.locator(".board").get_by_role("link", name="Table 1").click()
    page.wait_for_url("**/floor/sessions/*/")
    expect(page.locator("#live")).to_have_attribute("data-state", "live")


def test_a_walk_in_is_seated_and_chips_are_added_within_their_taps(phone, game):
    game.seat("Ann")
    page = phone.begin()
    open_table(page)
    page.locator("#buy-in-2").click()
    desk = page.locator("#desk")
    desk.locator("input[name=name]").fill("Bob")
    desk.locator("input[name=amount]").fill("300")
    desk.locator("button[type=submit]").click()
    expect(page.locator("#seat-list")).to_contain_text("Bob")
    assert page.taps() == most("Seat a walk-in")

    game.set_stack(1, 4000)
    page = phone.begin()
    open_table(page)
    page.locator("#seat-list").get_by_role("link", name="Add-on").first.click()
    desk.locator("input[name=amount]").fill("100")
    desk.locator("button[type=submit]").click()
    expect(page.locator("#seat-list")).to_contain_text("$140.00")
    assert page.taps() == most("Add on")
