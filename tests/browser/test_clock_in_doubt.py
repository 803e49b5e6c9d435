"""A clock in doubt: the tablet says why no round starts, and the floor confirms the time."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from ledger.models import Site
from tables.models import Round

pytestmark = pytest.mark.django_db(transaction=True)
WHY = (
    "The server's clock has jumped, so nothing is charged and no round starts until the floor has "
    "confirmed the time"
)


def test_no_round_starts_until_the_floor_has_confirmed_the_time(window, game):
    game.seat("Ann", "Bob")
    Site.objects.update(clock_doubted_at=datetime.now(UTC))
    tablet, floor = window("dealer", width=820, height=1180), window("floor")
    tablet.goto(f"{tablet.base}/dealer/")
    tablet.get_by_role("button", name="Start round").click()
    expect(tablet.get_by_text(WHY)).to_be_visible()
    floor.goto(f"{floor.base}/floor/sessions/{game.session.pk}/")
    floor.get_by_role("link", name="Start round").click()
    floor.locator("#desk").get_by_role("button", name="Start round").click()
    expect(floor.get_by_text(WHY)).to_be_visible()
    assert not Round.objects.exists()
    floor.goto(f"{floor.base}/floor/")
    floor.get_by_role("link", name="Confirm the time").click()
    floor.get_by_role("button", name="The time is right").click()
    expect(floor.get_by_text("The time is confirmed: rounds start again.")).to_be_visible()
    tablet.get_by_role("button", name="Start round").click()
    expect(tablet.locator("#round-title")).to_have_text("Round 1")
    for page in (tablet, floor):
        page.errors.clear()  # the browser notes each refusal
