"""The dispute page: tapped and typed cards, the answer beside them, the printed sheet, and no script."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.game import FULL_HOUSE, QUEENS

pytestmark = pytest.mark.django_db(transaction=True)

SEGMENTS = ("front", "middle", "back")
# Whatever can be earned, tied, cut and not declared: the longest answer there is.
LONGEST = (
    ("2s2h2d", "4s5s6s7s8s", "9sTsJsQsKs"),
    ("3s3h3d", "4h5h6h7h8h", "9hThJhQhKh"),
    ("AcAdAh", "4d5d6d7d8d", "9dTdJdQdKd"),
    ("2c3cAs", "4c5c6c7c8c", "9cTcJcQcKc"),
)


def address(game, hands, **more):
    words = {"game": game, "limit": "5.00", "button": "2"}
    for seat, cards in enumerate(hands, 1):
        words |= {f"seat{seat}": seat, f"stack{seat}": "45.00"}
        words |= {f"{name}{seat}": text for name, text in zip(SEGMENTS, cards, strict=True)}
    return "/dispute/?" + "&".join(f"{name}={value}" for name, value in (words | more).items())


def sheets_of_paper(page, paper):
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper)))


def type_hand(page, place, hand):
    for name in SEGMENTS:
        page.locator(f"#{name}{place}").fill(hand[name])


def test_cards_are_tapped_and_the_answer_comes_by_itself(window, game):
    page = window("dealer", width=820, height=1180)
    page.goto(f"{page.base}/dispute/")
    page.locator("#front1").click()
    for segment in SEGMENTS:
        for card in QUEENS[segment].split():
            page.locator(f".key[data-card='{card}']").click()
    expect(page.locator("#front1")).to_have_value("Qs Qh 2c")
    expect(page.locator("#back1")).to_have_value("Ad Kd 9d 4d 2d")
    expect(page.locator("#under-front1")).to_contain_text("Pair +7")
    expect(page.locator("#state1")).to_contain_text("All 13")
    expect(page.locator(".key[data-card='Qs']")).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".pad-aim")).to_have_text("Seat 2: front, card 1 of 3")
    expect(page.locator("#answer")).to_contain_text("Not complete yet")
    page.evaluate("window.never_reloaded = true")

    type_hand(page, 2, FULL_HOUSE)
    expect(page.locator(".dispute-step")).to_contain_text("Seat 2 pays seat 1")
    expect(page.locator(".payment-amount")).to_contain_text("$50.00")
    expect(page.locator("#said")).to_have_text("Seat 2 pays seat 1 $50.00.")
    expect(page).to_have_url(re.compile("front1=QsQh2c.*back2=TsThTc6h6c"))
    assert page.evaluate("window.never_reloaded") is True

    kept = page.url
    page.locator("#back2").fill("TsThTc6h2c")
    expect(page.locator("#under-back2 code")).to_have_text("duplicate_card")
    expect(page.locator("#back2")).to_have_value("TsThTc6h2c")
    page.goto(kept)
    expect(page.locator(".dispute-step")).to_contain_text("Seat 2 pays seat 1")


def test_a_card_is_taken_back_and_another_row_is_filled_next(window, game):
    page = window("dealer")
    page.goto(f"{page.base}/dispute/")
    page.locator("#middle2").click()
    page.locator(".key[data-card='As']").click()
    page.locator(".key[data-card='Ks']").click()
    page.get_by_role("button", name="Take back the last card").click()
    expect(page.locator("#middle2")).to_have_value("As")
    expect(page.locator(".key[data-card='Ks']")).not_to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Next hand").click()
    page.locator(".key[data-card='2d']").click()
    expect(page.locator("#front3")).to_have_value("2d")
    expect(page.locator("#front3")).to_be_visible()
    page.get_by_role("button", name="Close the pad").click()
    expect(page.locator(".pad")).not_to_be_visible()


def test_another_game_asks_for_other_things_and_keeps_the_cards(window, game):
    page = window("floor")
    page.goto(f"{page.base}/dispute/")
    type_hand(page, 1, QUEENS)
    expect(page.get_by_text("In fantasy land")).to_have_count(4)
    page.locator("#game").select_option("2-4@1")
    expect(page.get_by_text("In fantasy land")).to_have_count(0)
    expect(page.locator("#front1")).to_have_value("Qs Qh 2c")
    page.locator("#hand2").get_by_text("Surrenders").click()
    expect(page.locator("#answer")).to_contain_text("Seat 2 pays seat 1")
    expect(page.locator("#answer")).to_contain_text("A surrendered hand pays 3 points")


@pytest.mark.long
def test_the_longest_answer_is_one_sheet_of_paper(window, game):
    page = window("dealer")
    for game_code, more in (("face-up", {}), ("2-4", {}), ("1-6", {"royalties1": "back"}), ("eastern", {})):
        page.goto(page.base + address(game_code, LONGEST, **more))
        expect(page.locator(".dispute-step")).to_have_count(6)
        for paper in ("A4", "Letter"):
            assert sheets_of_paper(page, paper) == 1, (game_code, paper)


def test_without_a_script_the_form_does_it_all(browser, asgi, game):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{asgi}/sign-in/")
    page.fill("input[name=username]", "dealer")
    page.fill("input[name=password]", "dealer signs in")
    page.click("form button[type=submit]")
    page.goto(f"{asgi}/dispute/")
    page.locator("#game").select_option("2-4@1")
    page.get_by_role("button", name="Choose").click()
    expect(page.get_by_text("Surrenders").first).to_be_visible()
    type_hand(page, 1, QUEENS)
    type_hand(page, 2, FULL_HOUSE | {"front": "Ah Kc"})
    page.get_by_role("button", name="Show the result").click()
    expect(page.locator("#under-front2 code")).to_have_text("card_count")
    expect(page.locator("#front2")).to_have_value("Ah Kc")
    page.locator("#front2").fill("Ah Kc 8h")
    page.get_by_role("button", name="Show the result").click()
    expect(page.locator(".dispute-step")).to_contain_text("Seat 2 pays seat 1")
    assert "front2=AhKc8h" in page.url
    assert "front3" not in page.url
    assert page.url.endswith("#answer")
    context.close()
