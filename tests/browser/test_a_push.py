"""A push on the tablet: the next dealer comes in by PIN, and what was entered of the round stays."""

import pytest
from playwright.sync_api import expect

from casino.models import Staff
from tables.models import Round
from tests.support.cast import PIN
from tests.support.game import QUEENS
from tests.support.screens import assert_accessible, assert_fits, at_every_width, read_at

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_next_dealer_finds_the_hand_that_was_entered_and_the_last_one_is_sent_away(window, game, employ):
    zoe = employ("zoe", "dealer")
    Staff.objects.filter(pk=zoe.pk).update(badge="ZB-1")
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
    assert_accessible(tablet)
    tablet.keyboard.type("ZB-1")  # where a reader of badges writes
    tablet.get_by_label("Their PIN").fill(PIN)
    tablet.keyboard.press("Enter")
    expect(tablet.locator("[aria-label='Ann, front']")).to_contain_text("+7")
    assert game.fresh_session().dealer == zoe
    assert Round.objects.get().dealer == game.dealer
    expect(elsewhere.get_by_role("heading", name="No table waits for a dealer")).to_be_visible()
    elsewhere.errors.clear()  # the browser notes the refusal that sent the page away


def test_a_dealer_in_a_round_elsewhere_is_asked_for_once_more_before_the_push(window, game, beside):
    beside.seat("Ann", "Bob")
    beside.start(actor=beside.dealer)
    floor = window("floor", width=390, height=844)
    floor.goto(f"{floor.base}/floor/sessions/{game.session.pk}/push/")
    form = floor.locator("form[aria-labelledby='desk-heading']")
    form.get_by_label("Who comes in").select_option(str(beside.dealer))
    form.get_by_label("Their PIN").fill(PIN)
    form.get_by_role("button", name="Push").click()
    expect(form).to_contain_text("is dealing round 1 at Table 2")
    form.get_by_label("Push anyway").check()
    form.get_by_label("Their PIN").fill(PIN)
    form.get_by_role("button", name="Push").click()
    expect(floor.get_by_text(f"{beside.dealer} deals at Table 1.")).to_be_visible()
    assert beside.fresh_session().dealer is None
    floor.goto(f"{floor.base}/floor/")
    expect(floor.locator("#attention")).to_contain_text("Table 2: round 1 has no dealer.")
    expect(floor.locator(f"#card-{game.session.pk}")).to_contain_text(f"{beside.dealer} deals since")
    floor.errors.clear()  # the browser notes the refusal


def test_pushing_closing_and_breaking_fit_every_screen(window, game, beside):
    game.seat("Ann", "Bob")
    page = window("floor")
    for turn, name in enumerate(("push", "break", "close")):
        page.goto(f"{page.base}/floor/sessions/{game.session.pk}/{name}/")
        for width in at_every_width(page):
            assert_fits(page, width, name)
            if read_at(width, turn):
                assert_accessible(page)
