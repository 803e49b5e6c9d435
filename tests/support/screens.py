"""What a screen must be for everybody: as wide as the device and no wider, and readable by whoever uses it."""

from axe_playwright_python.sync_playwright import Axe

from tests.support.lengths import LONG

WIDTHS = (390, 820, 1280)
"""A phone, a tablet and a desk; the first two stand upright."""
HEIGHTS = {390: 844, 820: 1180}


def at_every_width(page, widths=WIDTHS):
    """Show the page as it stands at one width after the other, and give each: a page is opened once for all of them."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": HEIGHTS.get(width, 800)})
        yield width


def read_at(width, turn, widths=WIDTHS):
    """Whether axe reads a page at this width: in the long form at each, else at one, which is another on each turn."""
    return LONG or width == widths[turn % len(widths)]


def assert_fits(page, width, what=""):
    """Nothing scrolls sideways."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width, (what, width)


def violations(page):
    """What axe finds wrong with the page as it lies now: the rule, and the elements. Its script is given to a page once."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then((found) => found.violations)")
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


def assert_accessible(page):
    """Axe finds nothing wrong with the page as it lies now."""
    found = violations(page)
    assert found == [], found
