"""The floor's page of a table: menus by keyboard and through live changes, the desk, every width."""

import pytest
from playwright.sync_api import expect

from casino import roles
from tests.support.menu import press
from tests.support.screens import assert_accessible, assert_fits, at_every_width, read_at

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def full(game):
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    game.set_stack(4, 4000)
    game.sit_out(5)
    return game


def show(page, game):
    page.goto(f"{page.base}/floor/sessions/{game.session.pk}/")
    expect(page.locator("#live")).to_have_attribute("data-state", "live")


def fits(what, width):
    box = what.bounding_box()
    return box["x"] >= 0 and box["x"] + box["width"] <= width


@pytest.mark.parametrize("running", [pytest.param(False, marks=pytest.mark.long), True])
def test_the_page_its_menus_and_its_bar_fit_every_screen(window, full, running):
    if running:
        full.start()
    page = window("floor")
    show(page, full)
    for width in at_every_width(page):
        for menu in page.locator("details.menu").all():
            page.keyboard.press("Escape")
            menu.locator("summary").click()
            assert fits(menu.locator(".menu-list"), width)
            assert all(act.bounding_box()["height"] >= 44 for act in menu.locator(".menu-list .button").all())
        assert_fits(page, width)
        if read_at(width, running):
            assert_accessible(page)


def test_on_a_phone_somebody_with_many_roles_sees_all_ways_without_scrolling(window, game, floor):
    for role in ("dealer", "manager", "compliance"):
        roles.assign(floor, role)
    page = window("floor", width=390)
    page.goto(f"{page.base}/waiting/")
    nav = page.get_by_role("navigation", name="Main")
    assert nav.get_by_role("link").count() >= 8
    for link in nav.get_by_role("link").all():
        assert fits(link, 390)
        assert link.bounding_box()["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_menu_works_with_the_keyboard_and_stays_open_while_the_table_changes(window, full):
    page = window("floor")
    show(page, full)
    ann = full.sitting(1).pk
    more, menu = page.locator(f"#more-{ann}"), page.locator(f"#menu-{ann}")
    more.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator(f"#pay-{ann}")).to_be_focused()
    full.sit_out(2)
    expect(page.locator(f"#out-{full.sitting(2).pk}")).to_contain_text("Back in")
    expect(menu).to_have_attribute("open", "")
    expect(page.locator(f"#pay-{ann}")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(more).to_be_focused()
    for seat in (1, 3):
        page.locator(f"#more-{full.sitting(seat).pk}").press("Enter")
        expect(page.locator("details.menu[open]")).to_have_id(f"menu-{full.sitting(seat).pk}")


def test_an_act_in_a_menu_comes_into_the_desk_and_the_menu_goes(window, full):
    page = window("floor", width=390)
    show(page, full)
    press(page.get_by_role("link", name="Move Ann to another table", include_hidden=True))
    expect(page.locator("#desk")).to_contain_text("Move: Ann, seat 1")
    expect(page.locator("details.menu[open]")).to_have_count(0)


@pytest.mark.parametrize("name", ["Count the chips", "Cash out Dan"])
def test_escape_gives_up_the_form_of_an_act_and_goes_back_to_where_it_was_opened(window, full, name):
    page = window("floor")
    show(page, full)
    link = page.get_by_role("link", name=name, exact=True, include_hidden=True)
    press(link)
    form = page.locator("#desk form")
    expect(form).to_be_visible()
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    if not link.is_visible():  # in a menu, which has closed meanwhile
        link = page.locator("details.menu", has=link).locator("summary")
    expect(link).to_be_focused()


def test_the_desk_of_a_start_fits_every_screen_and_hears_that_the_dealer_was_faster(window, full):
    page = window("floor", width=390)
    show(page, full)
    page.get_by_role("link", name="Start round").click()
    button = page.locator("#desk").get_by_role("button", name="Start round 1")
    for width in at_every_width(page):
        expect(button).to_be_in_viewport()
        assert fits(button, width)
        if read_at(width, 2):
            assert_accessible(page)
    full.start()
    expect(page.locator("#desk")).to_be_empty()
    expect(page.locator("#table-live")).to_contain_text("Round 1 since")
