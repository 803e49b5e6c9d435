"""The tablet saves taps: the last cards fill in by themselves, and the result and its button share a page."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tables.models import Round, Settlement
from tests.browser.test_a_round import deal, type_hand
from tests.browser.test_quick_hands import Held
from tests.support.game import FULL_HOUSE, HANDS, LOW, PLAIN, QUEENS

pytestmark = pytest.mark.django_db(transaction=True)

COUNTS = """window.taps = 0; window.keys = 0;
addEventListener("click", (event) => { window.taps += event.detail > 0; }, true);
addEventListener("keydown", () => { window.keys += 1; }, true);"""


@pytest.fixture
def four(game):
    game.now = timezone.now()
    game.seat("Ann", "Bob", "Cat", "Dan")
    return game


def cards_of(page):
    """Return the cards to enter, in the order in which the tablet asks for them."""
    seats = [
        int(label[-1])
        for label in page.locator(".deal-type").evaluate_all("all => all.map((one) => one.ariaLabel)")
    ]
    return [
        card
        for seat in seats
        for segment in ("front", "middle", "back")
        for card in HANDS[seat - 1][segment].split()
    ]


def settled():
    assert Settlement.objects.count() == 1
    return {
        hand["seat"]: set(" ".join(hand[segment] for segment in ("front", "middle", "back")).split())
        for hand in Round.objects.get().draft
    }


def test_a_round_of_four_takes_forty_eight_taps(window, four):
    page = window("dealer", width=820, height=1180)
    deal(page, four)
    cards = cards_of(page)
    page.evaluate(COUNTS)
    for card in cards[:47]:
        page.locator(f".key[data-card='{card}']").click()
    expect(page.locator(".settle-filled")).to_contain_text("The 5 cards that were left")
    expect(page.get_by_role("heading", name="Round 1: who pays whom")).to_be_visible()
    expect(page.locator(".payment").first).to_be_visible()
    confirm = page.get_by_role("button", name=re.compile(r"^Confirm round 1: \$[0-9.]+ changes hands$"))
    assert page.evaluate("window.taps") == 47
    confirm.click()
    expect(page.get_by_role("button", name="Start round 2")).to_be_visible()
    assert page.evaluate("window.taps") == 48
    assert settled() == {seat: set(" ".join(hand.values()).split()) for seat, hand in enumerate(HANDS, 1)}


def test_a_round_of_four_is_started_entered_and_confirmed_by_keys_alone(window, four):
    page = window("dealer")
    page.goto(f"{page.base}/dealer/sessions/{four.session.pk}/")
    page.get_by_role("button", name="Start round").focus()
    page.evaluate(COUNTS)
    page.keyboard.press("Enter")
    expect(page.locator(".key[data-card='As']")).to_be_visible()
    page.keyboard.type("".join(cards_of(page)[:47]))
    confirm = page.locator("#confirm")
    expect(confirm).to_be_focused()
    expect(page.locator("body")).not_to_have_attribute("data-resting", "")
    answer = Held(page, "**/settle", "POST")
    page.keyboard.press("Enter")
    answer.come()
    page.keyboard.press("Enter")  # one too many starts nothing
    answer.go_on()
    start = page.get_by_role("button", name="Start round 2")
    expect(start).to_be_focused()
    assert page.evaluate("window.taps") == 0
    assert page.evaluate("window.keys") == 1 + 94 + 2
    assert Round.objects.count() == 1
    settled()


def test_the_last_five_typed_as_well_are_only_confirmed_and_go_back_together(window, four):
    page = window("dealer")
    deal(page, four)
    cards = cards_of(page)
    answer = Held(page, "**/draft", "PUT")
    page.keyboard.type("".join(cards))
    answer.go_on()  # what it comes to is shown after the last key, however long they took
    expect(page.locator("#confirm")).to_be_focused()
    expect(page.locator("#toasts")).to_be_empty()
    page.get_by_role("button", name="Cards", exact=True).click()
    page.get_by_role("button", name="Take back the last card").click()
    left = page.get_by_role("button", name="Lay the 5 cards that are left")
    expect(left).to_be_visible()
    for card in cards[47:]:
        expect(page.locator(f".key[data-card='{card}']")).not_to_have_attribute("aria-disabled", "true")
    left.click()
    expect(page.locator("#confirm")).to_be_visible()


@pytest.mark.parametrize("by", ["taps", "keys"])
def test_two_cards_change_places(window, four, by):
    page = window("dealer", width=390, height=844) if by == "taps" else window("dealer")
    deal(page, four)
    page.locator(".deal-type").first.fill("".join(cards_of(page)))
    expect(page.locator("#confirm")).to_be_visible()
    page.get_by_role("button", name="Cards", exact=True).click()
    if by == "taps":
        page.get_by_role("button", name="Swap two cards").click()
        page.locator(".key[data-card='Qs']").click()
        page.locator(".key[data-card='Ac']").click()
    else:
        page.keyboard.type("xQsAc")
    expect(page.locator("#confirm")).to_be_visible()  # all cards are in: the page goes on by itself
    page.locator("#confirm").click()
    expect(page.get_by_role("button", name="Start round 2")).to_be_visible()
    hands = settled()
    assert "Ac" in hands[1]
    assert "Qs" in hands[4]


def test_a_card_of_the_pad_takes_the_place_of_a_wrong_one(window, four):
    page = window("dealer")
    deal(page, four)
    type_hand(page, 1, QUEENS)
    page.get_by_role("button", name="Swap two cards").click()
    page.get_by_label("queen of hearts: take back").click()
    expect(page.locator(".pad-aim")).to_have_text("Swap the queen of hearts with which card?")
    page.locator(".key[data-card='Jc']").click()
    expect(page.get_by_label("jack of clubs: take back from Ann’s front")).to_be_visible()
    expect(page.locator(".key[data-card='Qh']")).not_to_have_attribute("aria-disabled", "true")


def test_a_hand_is_cleared_at_once_and_put_back_if_that_was_a_slip(window, four):
    page = window("dealer")
    deal(page, four)
    type_hand(page, 2, FULL_HOUSE)
    type_hand(page, 3, PLAIN)
    page.locator(".deal-type[aria-label$='seat 3']").focus()
    page.keyboard.press("Delete")
    hand = page.get_by_role("region", name="Cat")
    expect(hand).to_contain_text("0 of 13")
    page.get_by_role("button", name="Put back the cards of Cat").click()
    expect(hand).to_contain_text("All 13")
    page.get_by_role("button", name="Clear the cards of Cat").click()
    type_hand(page, 3, LOW)
    expect(page.get_by_role("region", name="Bob")).to_contain_text("All 13")
    expect(hand).to_contain_text("Foul")
