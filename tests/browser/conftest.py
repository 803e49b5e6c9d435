"""Browser windows of signed-in people, beside `page` for a test that needs only one."""

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from casino.models import Staff
from tests.support.screens import note_errors


def heard(page, goto):
    """Wrap `page.goto` to wait until a live page's stream is open."""

    def go(url, **options):
        goto(url, **options)
        if page.locator("body[sse-connect]").count() and not getattr(page, "deaf", False):
            expect(page.locator("#live")).to_have_attribute("data-state", "live")

    return go


@pytest.fixture
def stranger(browser, asgi):
    """`stranger()`: open a window with nobody signed in. The test fails if a script reported an error."""
    windows = []

    def open_window(base=asgi, **viewport):
        context = browser.new_context(viewport={"width": 1280, "height": 800} | viewport, timezone_id="UTC")
        page = context.new_page()
        note_errors(page)
        windows.append((context, page))
        page.base = base
        page.goto = heard(page, page.goto)
        return page

    yield open_window
    errors = [error for _, page in windows for error in page.errors]
    for context, _ in windows:
        context.close()
    assert errors == []


@pytest.fixture
def window(stranger):
    """`window("dealer")`: open a window of somebody signed in; test_doors.py tries signing in."""

    def open_window(username, **viewport):
        page = stranger(**viewport)
        client = Client()
        client.force_login(Staff.objects.get(username=username))
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": page.base}])
        return page

    return open_window


@pytest.fixture
def tonight(game, request):
    """The game at the real time, with those at its table whom the file names (`SEATED`)."""
    game.now = timezone.now()
    if seated := getattr(request.module, "SEATED", ()):
        game.seat(*seated)
    return game
