"""Take the pictures of the README again: `make pictures` writes docs/images/floor.png and dealer-review.png,
of a demo night of its own, in a browser without a window."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chromium import FLAGS, find
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
FLOOR, TABLET = {"width": 1280, "height": 800}, {"width": 1180, "height": 820}
# Four hands with a fantasy land, royalties and a foul, as they are dealt and set.
HANDS = (
    "QsQh2c 5c6d7h8s9s AdKd9d4d2d",
    "AhKs8h 3c3d7s7c4h TsTcTh6h6c",
    "AsJs8d 4c4sJh9h3h 5d5h5sKhQc",
    "AcJd6s 2h2sKcQd8c JcTd9c7d3s",
)


@contextmanager
def house(folder: str) -> Iterator[str]:
    """Serve a fresh demo from this folder, and yield its address."""
    environment = {**os.environ, "CASINO_DEMO": "1", "CASINO_VAR": folder, "PORT": "0"}
    serve = [sys.executable, "manage.py", "serve", "--prepare"]
    with subprocess.Popen(serve, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            for line in server.stdout or ():
                if address := re.search(r"http://localhost:\d+", line):
                    yield address[0]
                    return
            sys.exit("The demo did not start.")
        finally:
            server.terminate()


def window(browser: Browser, address: str, who: str, viewport: dict[str, int]) -> Page:
    page = browser.new_page(viewport=viewport, base_url=address)  # type: ignore[arg-type]
    page.goto("/sign-in/")
    page.get_by_label("Username").fill(who)
    page.get_by_label("Password").fill("demo")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(lambda url: "/sign-in/" not in url)
    return page


def live(page: Page) -> None:
    expect(page.locator("#live")).to_have_attribute("data-state", "live")


def board(page: Page) -> None:
    page.goto("/floor/?seats=on")
    live(page)
    page.screenshot(path=IMAGES / "floor.png")


def review(page: Page) -> None:
    """Finish the round that the night left half entered, and enter the next, up to who pays whom."""
    page.goto("/dealer/")
    expect(page.locator(".key[data-card]").first).to_be_visible()
    left = [
        key.get_attribute("data-card") or ""
        for key in page.locator(".key[data-card]:not([aria-disabled])").all()
    ]
    page.locator(".deal-type").first.press_sequentially("".join(left[:13]))
    page.locator("#confirm").click()
    page.get_by_role("button", name=re.compile("^Start round")).click()
    page.get_by_role("button", name="Misdeal").wait_for()
    page.reload()  # without the message about the last round
    expect(page.locator(".key[data-card='As']")).to_be_enabled()
    for field, hand in zip(page.locator(".deal-type").all(), HANDS, strict=False):
        field.press_sequentially(hand.replace(" ", ""))
    page.locator("#confirm").wait_for()
    page.screenshot(path=IMAGES / "dealer-review.png")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, house(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=FLAGS)
        board(window(browser, address, "floor", FLOOR))
        review(window(browser, address, "dealer", TABLET))
        browser.close()
