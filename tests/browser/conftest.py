"""Windows of a real browser for people who are signed in, beside `page` of a test that needs only one."""

import pytest


@pytest.fixture
def window(browser, asgi):
    """Open a window for somebody who signs in: `window("dealer")`. Fails the test where a script reported an error."""
    windows = []

    def open_window(username, **viewport):
        context = browser.new_context(viewport={"width": 1280, "height": 800} | viewport, timezone_id="UTC")
        page = context.new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda said: page.errors.append(said.text) if said.type == "error" else None)
        windows.append((context, page))
        page.goto(f"{asgi}/sign-in/")
        page.fill("input[name=username]", username)
        page.fill("input[name=password]", f"{username} signs in")
        page.click("form button[type=submit]")
        page.wait_for_url(lambda url: "/sign-in/" not in url)
        page.base = asgi
        return page

    yield open_window
    errors = [error for _, page in windows for error in page.errors]
    for context, _ in windows:
        context.close()
    assert errors == []
