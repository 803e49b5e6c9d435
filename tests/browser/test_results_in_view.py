"""Who pays whom, where the dealer looks: a line each, seen whole, and kept until the next round starts."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_a_round import confirm, deal, type_hand
from tests.support.game import HANDS

pytestmark = pytest.mark.django_db(transaction=True)

SIZES = ((820, 1180), (1024, 768), (1180, 820), (1280, 800))


SEATED = ("Ann", "Bob", "Cat", "Dan")


def out_of_view(page, selector):
    """Return what the screen does not show whole: above it, below it, or under the bar of buttons."""
    return page.evaluate(
        """selector => [...document.querySelectorAll(selector)].filter((one) => {
          const { left, right, top, bottom } = one.getBoundingClientRect();
          const shown = document.elementsFromPoint((left + right) / 2, bottom - 2)[0];
          return top < 0 || bottom > innerHeight || !(one.contains(shown) || shown?.contains(one));
        }).map((one) => one.textContent)""",
        selector,
    )


def in_every_size(page, selector, count):
    expect(page.locator(selector)).to_have_count(count)
    hidden = {}
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        if missing := out_of_view(page, selector):
            hidden[width, height] = missing
    return hidden


def test_six_payments_are_seen_whole_before_the_dealer_confirms_and_until_the_next_start(window, tonight):
    dealer = window("dealer", width=820, height=1180)
    deal(dealer, tonight)
    for seat, hand in enumerate(HANDS, start=1):
        type_hand(dealer, seat, hand)
    assert in_every_size(dealer, ".settle .payment-top", 6) == {}
    first = dealer.locator(".settle .payment").first
    expect(first.locator(".payment-lines")).to_be_hidden()
    first.locator("summary").click()
    expect(first.locator(".payment-lines")).to_be_visible()
    confirm(dealer)
    assert in_every_size(dealer, "#last .payment-top", 6) == {}
