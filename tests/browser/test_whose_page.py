"""Somebody else signs in at the same device: nothing entered before is recorded under their name."""

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from casino.models import Staff
from tables.models import ClockStop, Round, Settlement
from tests.support.game import FULL_HOUSE, QUEENS
from tests.support.screens import assert_fits, at_every_width

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(page, person):
    client = Client()
    client.force_login(person)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": page.base}])
    page.context.request.get(f"{page.base}/pin/")  # brings a new token


def test_a_form_that_shows_floor_is_not_recorded_under_floor2(window, game, floor, floor2):
    page = window("floor")
    page.goto(f"{page.base}/floor/sessions/{game.session.pk}/stop-clock/")
    page.get_by_label("Reason").fill("Nobody knows why")
    sign_in(page, floor2)
    page.locator("form[aria-labelledby='desk-heading'] button[type=submit]").click()
    said = f"you are signed in as {floor2}. Nothing was recorded."
    expect(page.locator("#content")).to_contain_text(said)
    expect(page.get_by_label("Reason")).to_have_value("Nobody knows why")
    for width in at_every_width(page):
        assert_fits(page, width, "opened by another")
    assert not ClockStop.objects.exists()
    page.errors.clear()  # the browser notes the refusal


def dealing(window, game):
    """Return the tablet with a round begun between Ann and Bob."""
    game.seat("Ann", "Bob")
    page = window("dealer", width=820, height=1180)
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    page.get_by_role("button", name="Start round").click()
    page.locator(".deal-type").first.wait_for()
    return page


def take_over(page, game, dealer):
    """Push this dealer in and sign them in on the same tablet."""
    page.goto("about:blank")
    game.now = timezone.now()
    game.push(dealer)
    sign_in(page, dealer)


def test_cards_that_one_dealer_left_unsent_wait_until_the_next_one_presses(window, game, employ):
    zoe = employ("zoe", "dealer")
    page = dealing(window, game)
    page.route("**/draft", lambda route: route.abort())
    page.locator(".deal-type").first.fill(QUEENS["front"].replace(" ", ""))
    expect(page.locator("#kept")).to_have_text("Kept on this tablet")
    take_over(page, game, zoe)
    page.unroute("**/draft")
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    expect(page.locator("#notices")).to_contain_text("These are the cards of dealer")
    assert Round.objects.get().draft_version == 0
    page.get_by_role("button", name="Go on with these cards").click()
    expect(page.locator("#kept")).to_have_text("Saved")
    assert Round.objects.get().draft_version == 1
    page.errors.clear()  # the browser notes that it was away


def type_hand(page, seat, hand):
    field = page.locator(f".deal-type[aria-label*='Cards of'][aria-label$='seat {seat}']")
    for segment in ("front", "middle", "back"):
        field.fill(hand[segment].replace(" ", ""))


def test_what_one_dealer_confirmed_without_an_answer_waits_until_the_next_one_confirms(window, game, employ):
    zoe = employ("zoe", "dealer")
    page = dealing(window, game)
    type_hand(page, 1, QUEENS)
    type_hand(page, 2, FULL_HOUSE)
    expect(page.locator(".payment")).to_contain_text("Bob pays Ann")
    page.route("**/settle", lambda route: route.abort())
    page.locator("#confirm").click()
    expect(page.locator("#notices")).to_contain_text("Your confirmation has no answer yet")
    take_over(page, game, zoe)
    page.unroute("**/settle")
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    notices = page.locator("#notices")
    expect(notices).to_contain_text("These are the cards of dealer")
    expect(notices).to_contain_text("dealer pressed Confirm for them here, and the house has not answered")
    for width in at_every_width(page):
        assert_fits(page, width, "confirmed by another")
    assert not Settlement.objects.exists()
    page.get_by_role("button", name="Go on with these cards").click()
    expect(notices).not_to_contain_text("These are the cards")
    expect(page.locator("#confirm")).to_be_enabled()
    assert not Settlement.objects.exists()
    page.locator("#confirm").click()
    expect(page.get_by_role("button", name="Start round 2")).to_be_visible()
    assert Settlement.objects.get().entry.actor == zoe
    page.errors.clear()  # the browser notes that it was away


@pytest.fixture
def typed_stop(window, game):
    """The table's page, with the form that stops its clock in the desk and a reason typed."""
    game.now = timezone.now()
    game.seat("Ann", "Bob")
    game.start()
    page = window("floor")
    page.goto(f"{page.base}/floor/sessions/{game.session.pk}/")
    page.get_by_role("link", name="Stop the clock").click()
    page.locator("#desk").get_by_label("Reason").fill("Nobody knows why")
    return page


def assert_told_in_the_form(page, sentence):
    """The sentence stands in the form; the panel, the typed reason and the one page are still there."""
    desk = page.locator("#desk")
    expect(desk.get_by_role("alert")).to_have_text(sentence)
    expect(desk.get_by_label("Reason")).to_have_value("Nobody knows why")
    expect(page.locator("#table-panel")).to_be_visible()
    assert page.locator("main, title").count() == 2
    for width in at_every_width(page):
        assert_fits(page, width, "refused in a panel")
    assert not ClockStop.objects.exists()
    page.errors.clear()  # the browser notes the refusal


def test_a_panel_that_floor_opened_says_so_to_floor2_and_stays(typed_stop, floor, floor2):
    page = typed_stop
    sign_in(page, floor2)
    page.locator("#desk button[type=submit]").click()
    said = f"This page was opened by {floor}; you are signed in as {floor2}. Nothing was recorded."
    assert_told_in_the_form(page, said)


def test_a_panel_of_somebody_who_lost_the_role_says_so_and_stays(typed_stop, floor):
    page = typed_stop
    page.evaluate("document.body.removeAttribute('sse-connect')")
    Staff.groups.through.objects.filter(staff=floor).delete()
    page.locator("#desk button[type=submit]").click()
    assert_told_in_the_form(page, "You do not have the right to do this.")
