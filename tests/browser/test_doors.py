"""Signing in and out, in a real browser against the real server."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(page, asgi, username, password):
    page.goto(f"{asgi}/sign-in/")
    page.fill("input[name=username]", username)
    page.fill("input[name=password]", password)
    with page.expect_navigation():
        page.click("form button[type=submit]")


def forget_answers(page, status):
    """Drop and count the reported answers of this status."""
    expected = [error for error in page.errors if f"status of {status}" in error]
    page.errors[:] = [error for error in page.errors if error not in expected]
    return len(expected)


def test_a_manager_signs_in_and_finds_the_house(asgi, page, site, manager):
    sign_in(page, asgi, "manager", "manager signs in")
    page.wait_for_url(f"{asgi}/house/")
    expect(page.locator("h1")).to_contain_text(site.name)


def test_a_wrong_password_is_told_beside_the_form(asgi, page, manager):
    sign_in(page, asgi, "manager", "not the password")
    expect(page.get_by_text("This name and password do not belong together.")).to_be_visible()
    assert forget_answers(page, 400) == 1


def test_after_too_many_wrong_passwords_the_page_says_to_wait(asgi, page, manager):
    for _ in range(6):
        sign_in(page, asgi, "manager", "not the password")
    expect(page.get_by_text("Too many wrong attempts.")).to_be_visible()
    assert (forget_answers(page, 400), forget_answers(page, 429)) == (5, 1)
