"""A push on the tablet in a real browser: the next dealer comes in by PIN, and what was entered of the round stays."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tables.models import Round
from tests.support.cast import PIN
from tests.support.game import QUEENS

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_next_dealer_finds_the_hand_that_was_entered_and_the_last_one_is_sent_away(window, game, employ):
    zoe = employ("zoe", "dealer")
    game.seat("Ann", "Bob")
    tablet = window("dealer", width=820, height=1180)
    elsewhere = window("dealer", width=820, height=1180)
    for page in (tablet, elsewhere):
        page.goto(f"{page.base}/dealer/")  # straight to the table that the dealer is pushed in at
    tablet.get_by_role("button", name="Start round").click()
    expect(elsewhere.locator("#round-title")).to_have_text("Round 1")
    for text in QUEENS["front"].split():
        tablet.locator(f".key[data-card='{text}']").click()
    expect(tablet.locator("[aria-label='Ann, front']")).to_contain_text("+7")
    tablet.get_by_role("link", name="Push").click()
    tablet.get_by_label("Who comes in").select_option("zoe")
    tablet.get_by_label("Their PIN").fill(PIN)
    assert Axe().run(tablet).violations_count == 0
    tablet.get_by_role("button", name="Come in").click()
    expect(tablet.locator("[aria-label='Ann, front']")).to_contain_text("+7")
    assert game.fresh_session().dealer == zoe
    assert Round.objects.get().dealer == game.dealer
    expect(elsewhere.get_by_role("heading", name="No table waits for a dealer")).to_be_visible()
    elsewhere.errors.clear()  # the browser notes the refusal that sent the page away


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_pushing_closing_and_breaking_fit_every_screen(window, game, beside, width):
    game.seat("Ann", "Bob")
    page = window("floor", width=width)
    for name in ("push", "break", "close"):
        page.goto(f"{page.base}/floor/sessions/{game.session.pk}/{name}/")
        assert page.evaluate("document.documentElement.scrollWidth") == width, name
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
