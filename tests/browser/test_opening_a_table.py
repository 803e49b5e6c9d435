"""Opening a table: the rules of the chosen game appear beside the form; and rules on paper."""

import re

import pytest
from playwright.sync_api import expect

from tables.models import Table, TableSession
from tables.rules.game.rounds import library
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
    page = window("floor")
    for sheet in library():
        page.goto(f"{page.base}/floor/games/{sheet.code}/")
        for paper in ("A4", "Letter"):
            printed = page.pdf(format=paper)
            assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 2, (sheet.code, paper)


def test_the_rules_fit_every_screen_and_everybody_can_read_them(window, game):
    page = window("floor")
    for turn, address in enumerate(("games/face-up/", "games/western/", "games/", "open/?game=eastern")):
        page.goto(f"{page.base}/floor/{address}")
        for width in at_every_width(page):
            assert_fits(page, width, address)
            if read_at(width, turn):
                assert_accessible(page)
