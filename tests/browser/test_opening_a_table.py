"""Opening a table: the rules of the chosen game appear beside the form; and rules on paper."""

import io
import re
import unicodedata

import pypdf
import pytest
from playwright.sync_api import expect

from tables.models import Table, TableSession
from tables.rules.game.rounds import library
from tests.support.cast import PIN
from tests.support.lengths import LONG
from tests.support.menu import press
from tests.support.screens import assert_accessible, assert_fits, at_every_width, read_at

pytestmark = pytest.mark.django_db(transaction=True)


def test_choosing_a_game_shows_its_rules_and_keeps_what_was_typed(window, game):
    free = Table.objects.create(site=game.site, number=7)
    page = window("floor")
    page.goto(f"{page.base}/floor/open/")
    rules = page.locator("#game-rules")
    expect(rules.get_by_role("heading")).to_have_text("Rules of the games")
    page.get_by_label("Table", exact=True).select_option(str(free.pk))
    page.get_by_label("Maximum buy-in").fill("6,000")
    for code, words in (("western", "right of the puck"), ("face-up", "the button wins even ones")):
        page.get_by_label("Game", exact=True).select_option(code)
        expect(rules).to_contain_text(words)
        expect(rules.get_by_role("heading")).to_have_text(library().find(code).title)
    page.get_by_label("Game", exact=True).select_option("")
    expect(rules.get_by_role("heading")).to_have_text("Rules of the games")
    page.get_by_label("Game", exact=True).select_option("first-to-11")
    expect(rules).to_contain_text("first to 11")
    expect(page.get_by_label("Maximum buy-in")).to_have_value("6,000")
    page.get_by_label("Limit and fee").select_option(str(game.rate.pk))
    page.get_by_role("button", name="Open the table").click()
    page.wait_for_url(re.compile(r"/floor/sessions/\d+/$"))
    assert TableSession.objects.get(table=free).sheet.code == "first-to-11"


def test_the_rules_of_every_game_print_on_two_sheets_at_most(window, game):
    """In the short form those of the room's own game, and the longest sheet."""
    longest = max(library(), key=lambda sheet: len(sheet.raw))
    page = window("floor")
    for sheet in library() if LONG else (library().find("face-up"), longest):
        page.goto(f"{page.base}/floor/games/{sheet.code}/")
        for paper in ("A4", "Letter"):
            printed = page.pdf(format=paper)
            pages = [one.extract_text() for one in pypdf.PdfReader(io.BytesIO(printed)).pages]
            assert 1 <= len(pages) <= 2, (sheet.code, paper)
            assert all(f"{number} / {len(pages)}" in text for number, text in enumerate(pages, 1))


def test_every_later_sheet_says_on_top_what_it_is_of(window, game):
    page = window("floor")
    page.goto(f"{page.base}/floor/games/face-up/")
    sheets = pypdf.PdfReader(io.BytesIO(page.pdf(format="A6"))).pages
    first, *later = [" ".join(unicodedata.normalize("NFKC", one.extract_text()).split()) for one in sheets]
    assert later
    assert not first.startswith(page.title())
    assert [text for text in later if not text.startswith(page.title())] == []


def test_the_rules_fit_every_screen_and_everybody_can_read_them(window, game):
    page = window("floor")
    for turn, address in enumerate(("games/face-up/", "games/western/", "games/", "open/?game=eastern")):
        page.goto(f"{page.base}/floor/{address}")
        for width in at_every_width(page):
            assert_fits(page, width, address)
            if read_at(width, turn):
                assert_accessible(page)


def test_a_count_that_is_asked_for_again_is_open_where_it_was_typed(window, game, floor2):
    page = window("floor")
    page.goto(f"{page.base}/floor/sessions/{game.session.pk}/")
    press(page.get_by_role("link", name="Close the table", exact=True))
    desk = page.locator("#desk")
    desk.locator("[name=chips_100]").fill("1500")
    desk.get_by_text("The second person's count").click()
    desk.locator("[name=second_chips_100]").fill("1500")
    desk.locator("[name=second]").select_option("floor2")
    desk.locator("[name=second_pin]").fill(PIN)
    for _ in ("asked", "asked for the second count"):
        desk.get_by_role("button", name="Close the table").click()
        expect(desk.locator(".field-error").first).to_be_visible()
    page.errors.clear()  # the browser reports the refusal's status
