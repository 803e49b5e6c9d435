"""A waiting player's own page on a phone: scanned from the floor's screen, with nobody signed in."""

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.desk import Desk
from tests.support.screens import assert_accessible, assert_fits, at_every_width

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def desk(game):
    cache.clear()
    game.now = timezone.now()
    game.seat("Ann", "Bob")
    return Desk(game)


def test_the_code_is_one_press_away_and_shown_once(window, desk):
    desk.join("Dan de Vries")
    page = window("floor")
    page.goto(f"{page.base}/waiting/")
    page.get_by_role("button", name="QR code").click()
    expect(page.get_by_role("img", name="QR code of the address below")).to_be_visible()
    expect(page.locator("#content")).not_to_contain_text("Dan")
    for width in at_every_width(page):
        assert_fits(page, width)
    assert_accessible(page)


def test_a_player_is_called_and_answers_from_the_phone(window, stranger, desk, game):
    place = desk.join("Dan de Vries")
    floor = window("floor")
    floor.goto(f"{floor.base}/waiting/")
    floor.get_by_role("button", name="QR code").click()
    address = floor.locator("#address").inner_text()
    floor.goto(f"{floor.base}/waiting/")

    phone = stranger(**PHONE)
    phone.goto(address)
    expect(phone.get_by_text("You are next")).to_be_visible()
    assert_fits(phone, 390)
    assert_accessible(phone)

    game.now = timezone.now()
    desk.call(place, game, 4)
    expect(phone.get_by_role("alert")).to_contain_text(
        f"come to {game.session.table}, seat 4", timeout=20_000
    )
    expect(phone).to_have_title("You are called")
    assert_accessible(phone)
    phone.get_by_role("button", name="On my way").click()
    expect(phone.get_by_text("that you are on your way")).to_be_visible()
    phone.get_by_role("button", name="10 minutes more, please").click()
    expect(phone.get_by_text("The floor decides")).to_be_visible()
    assert_fits(phone, 390)
    assert_accessible(phone)
    listed = floor.locator(".waiting-place")
    expect(listed).to_contain_text("On my way")
    expect(listed).to_contain_text("Asks for more time")
    listed.get_by_role("button", name="Hold 10 minutes from now").click()
    expect(floor.locator(".waiting-place")).not_to_contain_text("Asks for more time")

    phone.get_by_text("Take me off the list").click()
    phone.get_by_role("button", name="Yes, take me off").click()
    expect(phone.get_by_text("You are off the list")).to_be_visible()
    expect(floor.locator(".waiting-place")).to_have_count(0)
    assert phone.context.cookies() == []


def test_it_works_without_scripts(browser, asgi, window, desk, game):
    desk.call(desk.join("Dan"), game, 4)
    floor = window("floor")
    floor.goto(f"{floor.base}/waiting/")
    floor.get_by_role("button", name="QR code").click()
    context = browser.new_context(viewport=PHONE, java_script_enabled=False)
    phone = context.new_page()
    phone.goto(floor.locator("#address").inner_text())
    phone.get_by_role("button", name="On my way").click()
    expect(phone.get_by_text("that you are on your way")).to_be_visible()
    phone.get_by_role("link", name="Look again").click()
    phone.get_by_text("Take me off the list").click()
    phone.get_by_role("button", name="Yes, take me off").click()
    expect(phone.get_by_text("You are off the list")).to_be_visible()
    context.close()


def test_a_page_that_is_over_says_so_by_itself(window, stranger, desk):
    place = desk.join("Dan")
    floor = window("floor")
    floor.goto(f"{floor.base}/waiting/")
    floor.get_by_role("button", name="QR code").click()
    phone = stranger(**PHONE)
    phone.goto(floor.locator("#address").inner_text())
    expect(phone.get_by_text("You are next")).to_be_visible()
    desk.leave(place)
    expect(phone.get_by_text("Ask at the desk")).to_be_visible(timeout=20_000)
    assert_accessible(phone)
    phone.errors.clear()  # the browser reports each 404 that it fetched
