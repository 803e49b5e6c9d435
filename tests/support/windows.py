"""Browser windows that tests use one after the other: opening one takes more than most tests do in it."""

from tests.support.screens import note_errors

DESK = {"width": 1280, "height": 800}
QUIET = "/static/pyodide/LICENCES.txt"
KEPT = 4
"""Windows that wait for the next test."""
SPENDS = {"add_init_script", "close", "emulate_media", "new_cdp_session", "new_page", "on", "route"}
SPENDS |= {"set_offline"}
"""What nothing here takes back: a window in which a test does this is used once, and so is a tablet's, whose
service worker may still be ending while the next test opens its page. Routes that are given up still hold
requests for seconds."""


class Windows:
    def __init__(self, browser):
        self._browser, self._free = browser, []

    def open(self, viewport):
        """Return a page in a window with nobody signed in, in which nothing is kept."""
        page = self._free.pop() if self._free else self._new(viewport)
        page.errors, page.deaf, page.goto = [], False, page.as_made
        page.set_viewport_size(viewport)
        return page

    def _new(self, viewport):
        context = self._browser.new_context(viewport=viewport, locale="en-US", timezone_id="UTC")
        page = context.new_page()
        note_errors(page)
        page.spent, page.as_made, page.devtools = False, page.goto, context.new_cdp_session(page)
        for owner in (page, context):
            for name in SPENDS & set(dir(owner)):
                setattr(owner, name, _spending(page, getattr(owner, name)))
        return page

    def leave(self, page, base):
        """Take a window back from a test; return what a script or the console reported as an error."""
        errors = [*page.errors]
        elsewhere = page.is_closed() or not page.url.startswith(base)
        if page.spent or elsewhere or page.context.service_workers or len(self._free) == KEPT:
            page.context.close()
            return errors
        page.as_made(f"{base}{QUIET}")  # what the test's page does ends here
        page.evaluate("sessionStorage.clear()")
        page.devtools.send("Storage.clearDataForOrigin", {"origin": base, "storageTypes": "all"})
        page.context.clear_cookies()
        self._free.append(page)
        return errors

    def close(self):
        for page in self._free:
            page.context.close()


def _spending(page, act):
    def spend(*given, **named):
        page.spent = True
        return act(*given, **named)

    return spend
