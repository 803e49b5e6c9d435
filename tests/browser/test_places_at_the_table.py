"""The tablet mirrors the table: seats keep their place, results lie under their hands, focus follows."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser.test_a_round import deal
from tests.support.game import FULL_HOUSE, HANDS, QUEENS
from tests.support.screens import assert_fits, at_every_width

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def four(game):
    game.now = timezone.now()
    game.seat("Ann", "Bob", "Cat", "Dan")
    return game


def hands_shown(page):
    return page.locator(".deal-hand h2").all_inner_texts()


def test_seats_keep_their_place_whatever_the_button_does(window, four):
    page = window("dealer")
    names = ["Ann", "Bob", "Cat", "Dan"]
    for number in (1, 2, 3):
        page.goto(f"{page.base}/dealer/sessions/{four.session.pk}/")
        expect(page.get_by_role("button", name=f"Start round {number}")).to_be_visible()
        assert page.locator(".plan-list .seat-name").all_inner_texts() == names
        four.now = timezone.now()
        round_ = four.start()
        expect(page.locator("#round-title")).to_have_text(f"Round {number}")
        assert hands_shown(page) == names
        assert page.locator(".deal-hand[data-active] h2").inner_text() == "Ann"
        page.keyboard.type("As")
        laid = page.get_by_role("region", name="Ann").get_by_label("ace of spades")
        expect(laid).to_have_attribute("aria-label", "ace of spades: take back from Ann’s front")
        expect(page.locator("#kept")).to_have_text("Saved")
        four.now = timezone.now()
        four.settle(round_, HANDS)
        expect(page.get_by_role("button", name=f"Start round {number + 1}")).to_be_visible()


def test_each_result_stands_under_its_hand(window, four):
    page = window("dealer")
    deal(page, four)
    page.locator(".deal-type").first.fill(" ".join(" ".join(hand.values()) for hand in HANDS))
    expect(page.locator("#confirm")).to_be_visible()
    for width in at_every_width(page):
        if width == 390:
            for tab in page.locator(".hand-tab-count").all():
                expect(tab).to_have_text(re.compile(r"^[+−]\$[0-9.]+( foul)?$"))
            expect(page.locator(".hand-tab-count").last).to_contain_text("foul")
        else:
            for hand in page.locator(".deal-hand").all():
                cards, tile = hand.locator(".deal-segments").first, hand.locator(".net--tile")
                expect(tile).to_be_in_viewport()
                above, below = cards.bounding_box(), tile.bounding_box()
                assert below["y"] >= above["y"] + above["height"]
                assert above["x"] <= below["x"] + 5
        expect(page.locator(".deal-result .net").nth(3)).to_contain_text("foul")
        expect(page.locator("#confirm")).to_be_in_viewport()
        assert_fits(page, width)


def test_focus_goes_to_the_next_act_and_tab_follows_the_work(window, game):
    game.now = timezone.now()
    game.seat("Ann", "Bob")
    page = window("dealer")
    deal(page, game)
    expect(page.get_by_role("heading", name="Ann", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Front of Ann")).to_be_focused()
    page.keyboard.type("".join(QUEENS.values()).replace(" ", ""))
    field = page.locator(".deal-type[aria-label$='seat 2']")
    expect(field).to_be_focused()
    page.keyboard.type("".join(FULL_HOUSE.values()).replace(" ", ""))
    expect(page.locator("#confirm")).to_be_focused()
    expect(page.locator("body")).not_to_have_attribute("data-resting", "")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Start round 2")).to_be_focused()
