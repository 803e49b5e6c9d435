"""Ways to sign in: passkey, app, recovery code, one-time code, badge and PIN on a terminal."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone
from playwright.sync_api import expect

from casino.sign_in import passwords
from tests.support.cast import PIN
from tests.support.screens import assert_accessible, assert_fits, at_every_width
from tests.support.second_steps import shown

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("real_terminals", "asks_for_factors"),
]


@pytest.fixture
def here(page, asgi):
    """The page, under the host name that passkeys need."""
    page.base = asgi.replace("127.0.0.1", "localhost")
    return page


def sign_in(page, username, password=""):
    page.goto(f"{page.base}/sign-in/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(password or f"{username} signs in")
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page):
    page.get_by_role("button", name=re.compile("^Sign out")).first.click()
    page.wait_for_url("**/sign-in/")


def test_a_passkey_is_set_up_and_signs_in_by_itself_and_after_the_password(here, site, floor):
    devtools = here.context.new_cdp_session(here)
    devtools.send("WebAuthn.enable")
    of_this_device = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": of_this_device})
    sign_in(here, "floor")
    here.wait_for_url("**/second-steps/")
    assert_accessible(here)
    here.get_by_role("link", name="Set up a passkey").click()
    here.get_by_label("Name of this passkey").fill("Floor tablet")
    assert_accessible(here)
    here.get_by_role("button", name="Set up the passkey").click()
    expect(here.locator(".recovery-codes li")).to_have_count(10)
    here.get_by_role("link", name="Done").click()
    here.wait_for_url("**/floor/")
    sign_out(here)
    assert_accessible(here)
    here.get_by_role("button", name="Sign in with a passkey").click()
    here.wait_for_url("**/floor/")
    sign_out(here)
    sign_in(here, "floor")
    here.get_by_role("button", name="Use your passkey").click()
    here.wait_for_url("**/floor/")


def test_an_app_is_set_up_and_then_its_code_or_a_recovery_code_follows_the_password(here, site, floor):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        sign_in(here, "floor")
        here.get_by_role("link", name="Set up an authenticator app").click()
        secret = here.locator("#secret").inner_text().replace(" ", "")
        assert_accessible(here)
        here.get_by_label("Code that the app shows now").fill(shown(secret))
        here.get_by_role("button", name="Set up the app").click()
        recovery = here.locator(".recovery-codes li").first.inner_text()
        assert_accessible(here)
        here.get_by_role("link", name="Done").click()
        here.goto(f"{here.base}/second-steps/")
        expect(here.get_by_role("link", name="Set up a passkey")).to_be_visible()
        expect(here.get_by_role("link", name="Set up an authenticator app")).to_have_count(0)
        for code in (lambda: shown(secret), lambda: recovery):
            clock.shift(timedelta(seconds=60))
            sign_out(here)
            sign_in(here, "floor")
            here.wait_for_url("**/sign-in/second-step/")
            here.get_by_label("Code").fill(code())
            here.get_by_role("button", name="Sign in", exact=True).click()
            here.wait_for_url("**/floor/")


def test_after_a_reset_the_own_password_comes_first_and_then_the_second_step(here, site, floor):
    sign_in(here, "floor", passwords.give_code(floor, passwords.new_code(), timezone.now()))
    here.wait_for_url("**/first/")
    for label, text in (("Your password", "a fine long one"), ("Your PIN", "975310")):
        here.get_by_label(label, exact=True).fill(text)
        here.get_by_label(f"{label} again").fill(text)
    here.get_by_role("button", name="Set and go on").click()
    here.wait_for_url("**/second-steps/")
    here.get_by_role("button", name="Not now").click()
    here.wait_for_url("**/floor/")


def test_a_dealer_comes_in_by_badge_and_pin_on_a_terminal_and_nowhere_else(
    here, stranger, site, floor, dealer
):
    dealer.badge = "LA-2041"
    dealer.save()
    sign_in(here, "floor")
    here.get_by_role("button", name="Not now").click()
    here.goto(f"{here.base}/terminals/")
    assert_accessible(here)
    here.get_by_label("Name of this device").fill("Table 3")
    here.get_by_role("button", name="Enrol").click()
    expect(here.get_by_text("This device is Table 3.")).to_be_visible()
    assert_accessible(here)
    sign_out(here)
    here.get_by_role("link", name="Badge and PIN").click()
    here.get_by_label("Badge number or username").fill("LA-2041")
    here.get_by_label("PIN", exact=True).fill(PIN)
    assert_accessible(here)
    here.get_by_role("button", name="Sign in", exact=True).click()
    here.wait_for_url("**/dealer/")

    elsewhere = stranger()
    elsewhere.goto(f"{elsewhere.base}/sign-in/")
    expect(elsewhere.get_by_role("link", name="Badge and PIN")).to_have_count(0)
    elsewhere.goto(f"{elsewhere.base}/sign-in/badge/")
    expect(elsewhere.get_by_text("This device is not a terminal of the house")).to_be_visible()
    assert_accessible(elsewhere)


def test_the_pages_about_oneself_fit_every_screen_and_name_who_is_signed_in(window, site, floor):
    page = window("floor")
    for address in (
        "/signed-in/",
        "/terminals/",
        "/second-steps/",
        "/second-steps/app/",
        "/second-steps/passkey/",
    ):
        page.goto(f"{page.base}{address}")
        for width in at_every_width(page):
            assert_fits(page, width, address)
            expect(page.locator(".bar").get_by_text("floor", exact=True).first).to_be_visible()
    assert_accessible(page)


def test_before_the_sign_in_every_width_has_room_for_the_name_of_the_house(stranger, site):
    site.name = "The Hollywood Park Club"
    site.save()
    page = stranger()
    for address in ("/sign-in/", "/sign-in/badge/"):
        page.goto(f"{page.base}{address}")
        for width in at_every_width(page):
            assert_fits(page, width, address)
            expect(page.locator(".bar").get_by_text(site.name)).to_be_visible()
