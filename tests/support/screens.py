"""Screens fit the device's width and are accessible."""

from axe_playwright_python.sync_playwright import Axe

from tests.support.lengths import LONG

REPLACED = ("htmx:afterRequest", "htmx:sendAbort")
"""What htmx says of a request that a newer one has replaced, which is no error."""

WIDTHS = (390, 820, 1280)
"""A phone, a tablet (both upright) and a desk."""
HEIGHTS = {390: 844, 820: 1180}

BEYOND = """() => ["page", ...document.querySelectorAll("body *")]
    .filter((one) => one === "page" || one.getBoundingClientRect().right > innerWidth + 0.5)
    .map((one) => `${one.tagName ?? one}.${one.className ?? ""}`)"""


def note_errors(page):
    """Have `page.errors` hear what a script or the console reports as an error."""
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))

    def hear(said):
        if said.type == "error" and not said.text.startswith(REPLACED):
            page.errors.append(f"{said.text} {said.location['url']}")

    page.on("console", hear)


def at_every_width(page, widths=WIDTHS):
    """Show the open page at one width after the other, yielding each."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": HEIGHTS.get(width, 800)})
        yield width


def read_at(width, turn, widths=WIDTHS):
    """Return whether axe checks a page at this width: always in the long form, else at one width a turn."""
    return LONG or width == widths[turn % len(widths)]


def beyond(page, width):
    """Return what makes the page scroll sideways: the first elements that end beyond its edge."""
    if page.evaluate("document.documentElement.scrollWidth") <= width:
        return []
    return page.evaluate(BEYOND)[:5]


def assert_fits(page, width, what=""):
    assert page.evaluate("document.documentElement.scrollWidth") <= width, (what, width)


def violations(page):
    """Return axe's violations on the page: rule and elements. Its script is loaded once a page."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then((found) => found.violations)")
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


def assert_accessible(page):
    found = violations(page)
    assert found == [], found
