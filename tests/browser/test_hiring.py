"""A manager hires a dealer, who comes in with the code and sets a password and a PIN."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from casino.models import Staff
from casino.sign_in import noting, terminals
from ledger.journal.acts import Act
from tests.support.screens import assert_accessible, assert_fits, at_every_width, read_at

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_dealer_is_hired_and_comes_in(asgi, page, window, site, manager):
    office = window("manager")
    office.goto(f"{office.base}/house/")
    office.get_by_role("link", name="Staff").click()
    office.get_by_role("link", name="Hire somebody").click()
    office.get_by_label("Username").fill("zoe")
    office.get_by_label("Full name").fill("Zoë 小明")
    office.get_by_label("Dealer:").check()
    office.get_by_label("Your password").fill("manager signs in")
    assert_accessible(office)
    office.get_by_role("button", name="Hire and make a code").click()
    code = office.locator(".one-time-code").inner_text()
    assert_accessible(office)

    page.goto(f"{asgi}/sign-in/")
    page.get_by_label("Username").fill("zoe")
    page.get_by_label("Password").fill(code.lower())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(f"{asgi}/first/")
    assert_accessible(page)
    page.goto(f"{asgi}/dealer/")
    page.wait_for_url(f"{asgi}/first/")
    for label, text in (("Your password", "a fine long one"), ("Your PIN", "975310")):
        page.get_by_label(label, exact=True).fill(text)
        page.get_by_label(f"{label} again").fill(text)
    page.get_by_role("button", name="Set and go on").click()
    page.wait_for_url(f"{asgi}/dealer/")
    expect(page.get_by_text("Your password and PIN are set.")).to_be_visible()
    assert Staff.objects.get(username="zoe").has_pin("975310")


def test_the_pages_of_the_staff_fit_every_screen(window, site, manager, dealer, floor):
    noting.note("pin_set", actor=floor, staff=floor.pk)
    terminals.enrol(name="Floor desk", act=Act(actor=floor, now=timezone.now()))  # so a second person signs
    Staff.objects.filter(pk=dealer.pk).update(
        full_name="Wolfeschlegelsteinhausenbergerdorff " + "小" * 20,
        badge="B-10245",
        badge_expires="2020-01-31",
    )
    page = window("manager")
    of_dealer = [f"/house/staff/{dealer.pk}/{act}" for act in ("", "code/", "second-steps/", "let-go/")]
    addresses = ("/house/staff/", "/house/staff/hire/", *of_dealer, "/password/", "/pin/")
    for turn, address in enumerate(addresses):
        page.goto(f"{page.base}{address}")
        for width in at_every_width(page):
            assert_fits(page, width, address)
            if read_at(width, turn):
                assert_accessible(page)
