"""Somebody else signs in at the same device: nothing entered before is recorded under their name."""

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from tables.models import ClockStop, Round
from tests.support.game import QUEENS
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


def test_cards_that_one_dealer_left_unsent_wait_until_the_next_one_presses(window, game, employ):
    zoe = employ("zoe", "dealer")
    game.seat("Ann", "Bob")
    page = window("dealer", width=820, height=1180)
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    page.get_by_role("button", name="Start round").click()
    page.locator(".deal-type").first.wait_for()
    page.context.set_offline(True)
    page.locator(".deal-type").first.fill(QUEENS["front"].replace(" ", ""))
    expect(page.locator("#kept")).to_have_text("Kept on this tablet")
    page.goto("about:blank")
    page.context.set_offline(False)
    game.now = timezone.now()
    game.push(zoe)
    sign_in(page, zoe)
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    expect(page.locator("#notices")).to_contain_text("These are the cards of dealer")
    assert Round.objects.get().draft_version == 0
    page.get_by_role("button", name="Go on with these cards").click()
    expect(page.locator("#kept")).to_have_text("Saved")
    assert Round.objects.get().draft_version == 1
    page.errors.clear()  # the browser notes that it was away
