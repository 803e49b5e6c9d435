"""The first start in a real browser: from an empty database to the manager's desk."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from casino.house import first_start
from ledger.models import Site
from tests.support.screens import assert_accessible

pytestmark = pytest.mark.django_db(transaction=True)


def test_from_an_empty_database_to_the_managers_desk(asgi, page):
    page.goto(f"{asgi}/")
    expect(page.get_by_text("This house has not been set up yet")).to_be_visible()
    page.goto(f"{asgi}/set-up/?token={first_start.make_link(timezone.now())}")
    assert_accessible(page)
    page.get_by_label("Name of the house").fill("The Sixth Street Room")
    page.get_by_label("Licence").fill("GEGE-004711")
    zone = page.get_by_label("Time zone")
    assert page.locator("#time-zones option[value='America/Los_Angeles']").count() == 1
    zone.fill("Los Angeles")
    page.get_by_role("button", name="Go on to the manager").click()
    expect(page.get_by_text("There is no time zone 'Los Angeles'")).to_be_visible()
    assert [error for error in page.errors if "status of 400" not in error] == []
    page.errors.clear()
    zone.fill("America/Los_Angeles")
    page.get_by_role("button", name="Go on to the manager").click()
    expect(page.get_by_role("heading", name="The first manager")).to_be_visible()
    assert_accessible(page)
    page.get_by_label("Full name").fill("Zoe Zimmer")
    page.get_by_label("Username").fill("zoe")
    page.get_by_label("Password", exact=True).fill("a fine long password")
    page.get_by_label("Password again").fill("a fine long password")
    page.get_by_role("button", name="Set up the house").click()
    page.wait_for_url(f"{asgi}/house/")
    expect(page.get_by_role("heading", level=1)).to_have_text("The Sixth Street Room")
    assert Site.objects.get().authorised_tables == 10
    assert_accessible(page)
