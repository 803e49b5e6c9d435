"""A screen that lost the other processes says so at once, and fetches everything when they are back."""

import pytest
from playwright.sync_api import expect

from tables.live.hub import hub

pytestmark = pytest.mark.django_db(transaction=True)


def hears(answer):
    hub._loop.call_soon_threadsafe(hub.now_hears, answer)


@pytest.fixture(autouse=True)
def _hears_afterwards():
    yield
    hub.hears = True


def test_the_board_says_that_it_is_not_live_and_comes_back_whole(game, window):
    page = window("floor")
    page.goto(f"{page.base}/floor/")
    sign = page.locator("#live")
    hears(False)
    expect(sign).to_have_attribute("data-state", "away")
    expect(sign).to_contain_text("Not live since")
    with page.expect_response(lambda answer: answer.url.endswith("/floor/") and answer.ok):
        hears(True)
    expect(sign).to_have_attribute("data-state", "live")


def test_a_board_that_is_opened_meanwhile_says_so_too(game, window):
    hub.hears = False
    page = window("floor")
    page.deaf = True
    page.goto(f"{page.base}/floor/")
    expect(page.locator("#live")).to_have_attribute("data-state", "away")
