"""The network fails or the session ends while a form is sent: nothing is lost, nothing counts twice."""

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from casino.models import Staff
from ledger.models import JournalEntry
from tables.models import Sitting

pytestmark = pytest.mark.django_db(transaction=True)

NOT_SENT = "Not sent; press again, it counts once."


@pytest.fixture
def typed_buy_in(window, game):
    game.now = timezone.now()
    page = window("floor")
    page.goto(f"{page.base}/floor/sessions/{game.session.pk}/")
    page.locator("#buy-in-3").click()
    desk = page.locator("#desk")
    expect(desk).to_contain_text("seat 3")
    desk.locator("input[name=name]").fill("Ann")
    desk.locator("input[name=amount]").fill("300")
    return page


@pytest.fixture
def typed_sale(window, game):
    page = window("cashier")
    page.goto(f"{page.base}/cashier/")
    form = page.locator("form[action*='sell']")
    form.locator("input[name=amount]").fill("500")
    form.get_by_text("Who it is").click()
    form.locator("input[name=name]").fill("Ann")
    return page


def sign_in_again(page, username):
    client = Client()
    client.force_login(Staff.objects.get(username=username))
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": page.base}])
    page.context.request.get(f"{page.base}/pin/")  # brings a new token


def sales():
    return JournalEntry.objects.filter(kind="chip_sale").count()


def test_a_buy_in_that_was_not_sent_keeps_what_was_typed_and_counts_once(typed_buy_in):
    page = typed_buy_in
    desk = page.locator("#desk")
    page.context.set_offline(True)
    desk.locator("button[type=submit]").click()
    expect(desk).to_contain_text(NOT_SENT)
    expect(desk.locator("input[name=amount]")).to_have_value("300")
    page.context.set_offline(False)
    desk.locator("button[type=submit]").click()
    expect(desk).to_be_empty()
    assert Sitting.objects.count() == 1
    page.errors.clear()  # the browser notes that it was away


def test_a_sale_that_was_not_sent_keeps_what_was_typed_and_counts_once(typed_sale):
    page = typed_sale
    form = page.locator("form[action*='sell']")
    page.context.set_offline(True)
    form.get_by_role("button").click()
    expect(form).to_contain_text(NOT_SENT)
    expect(form.locator("input[name=amount]")).to_have_value("500")
    assert sales() == 0
    page.context.set_offline(False)
    form.get_by_role("button").click()
    form.get_by_role("button", name="Cash in, chips out: $500.00").click()
    expect(page.get_by_text("Chips for $500.00 sold.")).to_be_visible()
    assert sales() == 1
    page.errors.clear()


def test_a_buy_in_of_a_session_that_has_ended_goes_on_after_sign_in(typed_buy_in):
    page = typed_buy_in
    desk = page.locator("#desk")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    desk.locator("button[type=submit]").click()
    expect(desk).to_contain_text("you are signed out")
    expect(desk.get_by_role("link", name="Sign in")).to_have_attribute("target", "_blank")
    expect(desk.locator("input[name=name]")).to_have_value("Ann")
    sign_in_again(page, "floor")
    desk.locator("button[type=submit]").click()
    expect(desk).to_be_empty()
    assert Sitting.objects.count() == 1
    page.errors.clear()


def test_a_sale_of_a_session_that_has_ended_goes_on_after_sign_in(typed_sale):
    page = typed_sale
    form = page.locator("form[action*='sell']")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    form.get_by_role("button").click()
    expect(form).to_contain_text("you are signed out")
    expect(form.locator("input[name=amount]")).to_have_value("500")
    sign_in_again(page, "cashier")
    form.get_by_role("button").click()
    form.get_by_role("button", name="Cash in, chips out: $500.00").click()
    expect(page.get_by_text("Chips for $500.00 sold.")).to_be_visible()
    assert sales() == 1
    page.errors.clear()


def test_a_half_typed_form_stays_while_its_page_hears_that_the_session_ended(typed_buy_in):
    page = typed_buy_in
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.evaluate("document.body.dispatchEvent(new CustomEvent('live-poll'))")  # the page asks for its seats
    desk = page.locator("#desk")
    expect(desk).to_contain_text("What you typed stays here")
    expect(desk.locator("input[name=amount]")).to_have_value("300")
    page.errors.clear()


def test_a_half_typed_form_of_a_table_is_there_again_after_a_reload_with_its_key(typed_buy_in):
    page = typed_buy_in
    key = page.locator("#desk input[name=key]").input_value()
    page.reload()
    expect(page.locator("#desk input[name=name]")).to_have_value("Ann")
    expect(page.locator("#desk input[name=amount]")).to_have_value("300")
    expect(page.locator("#desk input[name=key]")).to_have_value(key)
    page.keyboard.press("Escape")
    expect(page.locator("#desk form")).to_have_count(0)
    page.reload()
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    expect(page.locator("#desk form")).to_have_count(0)


def test_a_half_typed_sale_is_there_after_a_reload_and_after_back_and_for_nobody_who_comes_anew(typed_sale):
    page = typed_sale
    form = page.locator("form[action*='sell']")
    path = page.url
    page.reload()
    expect(form.locator("input[name=amount]")).to_have_value("500")
    expect(form.locator("input[name=name]")).to_have_value("Ann")
    page.goto(f"{page.base}/pin/")
    page.go_back()
    expect(form.locator("input[name=amount]")).to_have_value("500")
    page.goto(path)
    expect(form.locator("input[name=amount]")).to_have_value("")
