"""The dealer's round, from the seats to the settlement, while the floor's browser watches."""

import re

import pytest
from playwright.sync_api import expect

from tables.models import CorrectionRequest, Round, Settlement
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS

pytestmark = pytest.mark.django_db(transaction=True)

JACK = {**QUEENS, "front": "Qs Jc 2c"}


def buy_in(page, seat, name, amount):
    page.locator(f"#buy-in-{seat}").click()
    desk = page.locator("#desk")
    expect(desk).to_contain_text(f"seat {seat}")
    desk.locator("input[name=name]").fill(name)
    desk.locator("input[name=amount]").fill(amount)
    desk.locator("button[type=submit]").click()
    expect(page.locator("#seat-list")).to_contain_text(name)
    expect(desk).to_be_empty()


def type_hand(page, seat, hand, which="Cards of"):
    """Fill a hand in by segments; test_last_cards.py and test_a_first_day.py type it key by key."""
    field = page.locator(f".deal-type[aria-label*='{which}'][aria-label$='seat {seat}']")
    for segment in ("front", "middle", "back"):
        field.fill(hand[segment].replace(" ", ""))


def deal(page, game):
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    page.get_by_role("button", name="Start round").click()
    expect(page.locator(".key[data-card='As']")).to_be_visible()


def confirm(page):
    page.locator("#confirm").click()
    expect(page.get_by_role("button", name="Start round")).to_be_visible()


def test_from_the_seats_to_the_settlement_while_the_floor_watches(window, tonight, floor):
    dealer = window("dealer", width=820, height=1180)
    dealer.goto(f"{dealer.base}/dealer/sessions/{tonight.session.pk}/")
    buy_in(dealer, 1, "Ann", "300")
    buy_in(dealer, 2, "Bob", "300")

    watching = window("floor")
    watching.goto(f"{watching.base}/floor/")
    card = watching.locator(f"#card-{tonight.session.pk}")
    expect(card).to_contain_text("$300.00")
    watching.evaluate("window.never_reloaded = true")

    dealer.get_by_role("button", name="Start round").click()
    expect(card).to_contain_text("$290.00")  # the fee has left both stacks
    for segment in ("front", "middle", "back"):
        for text in QUEENS[segment].split():
            dealer.locator(f".key[data-card='{text}']").click()
    expect(dealer.locator("[aria-label='Ann, front']")).to_contain_text("+7")
    assert dealer.locator(".key[data-card='Qs']").get_attribute("aria-disabled") == "true"
    type_hand(dealer, 2, FULL_HOUSE)
    expect(dealer.locator(".payment")).to_contain_text("Bob pays Ann")
    expect(dealer.locator(".payment")).to_contain_text("10 points")
    dealer.locator("#confirm").dblclick()
    expect(card).to_contain_text("$340.00")
    expect(card).to_contain_text("$240.00")
    assert watching.evaluate("window.never_reloaded") is True
    expect(dealer.get_by_role("button", name="Start round 2")).to_be_visible()
    assert Settlement.objects.count() == 1
    assert tonight.stacks() == {1: 34_000, 2: 24_000}


def test_a_wrong_card_is_corrected_with_the_floors_approval(window, tonight):
    tonight.seat("Ann", "Bob")
    dealer = window("dealer")
    deal(dealer, tonight)
    type_hand(dealer, 1, QUEENS)
    type_hand(dealer, 2, FULL_HOUSE)
    confirm(dealer)
    dealer.get_by_role("button", name=re.compile("correct", re.IGNORECASE)).click()
    dealer.locator(
        "[aria-label^='queen of hearts: take back'], [aria-label^='Queen of hearts: take back']"
    ).click()
    dealer.locator(".key[data-card='Jc']").click()
    dealer.locator("#correction-reason").fill("the jack was read as a queen")
    dealer.get_by_role("button", name=re.compile("Ask", re.IGNORECASE)).click()
    expect(dealer.get_by_text("Waiting for the floor")).to_be_visible()
    assert tonight.stacks() == {1: 34_000, 2: 24_000}

    floor = window("floor")
    floor.goto(f"{floor.base}/floor/sessions/{tonight.session.pk}/")
    asked = floor.locator(".compare")
    expect(asked).to_contain_text("the jack was read as a queen")
    asked.get_by_role("link", name="Approve").click()
    floor.locator("#desk").get_by_role("button", name="Approve").click()
    expect(asked).to_have_count(0)
    assert Settlement.objects.count() == 2
    assert tonight.stacks() == {1: 29_000 + 500, 2: 29_000 - 500}


def test_r54_two_hands_each_are_agreed_entered_and_settled_as_four_hands(window, tonight, regulator):
    tonight.seat("Ann", "Bob", "Cat")
    dealer = window("dealer", width=820, height=1180)
    dealer.goto(f"{dealer.base}/dealer/sessions/{tonight.session.pk}/")
    expect(dealer.get_by_role("button", name="Start round")).to_be_enabled()
    ann, bob = (dealer.get_by_label(f"{name} agrees") for name in ("Ann", "Bob"))
    expect(ann).to_have_count(0)  # three are dealt in
    passes = dealer.get_by_label("Declines this round: Cat")
    passes.check()
    title = dealer.locator(".plan-title").first
    ann.check()
    expect(title).to_have_text("Dealt in: 2 hands")  # one of them is not both
    bob.check()
    expect(title).to_have_text("Dealt in: 4 hands")
    passes.uncheck()
    expect(title).to_have_text("Dealt in: 3 hands")  # the agreement is gone
    expect(ann).to_have_count(0)
    passes.check()
    expect(ann).not_to_be_checked()
    expect(bob).not_to_be_checked()
    ann.check()
    bob.check()
    expect(title).to_have_text("Dealt in: 4 hands")
    dealer.get_by_role("button", name="Start round").click()

    expect(dealer.locator(".deal-hand h2")).to_have_text(
        ["Ann, first hand", "Ann, second hand", "Bob, first hand", "Bob, second hand"]
    )
    type_hand(dealer, 1, QUEENS, "first hand")
    type_hand(dealer, 1, PLAIN, "second hand")
    key = dealer.locator(".key[data-card='As']")
    expect(key).to_have_attribute("aria-label", re.compile("front of Ann.s second hand"))
    expect(dealer.locator("#kept")).to_have_text("Saved")
    dealer.reload()  # each hand comes back to its own place
    expect(dealer.locator("[aria-label='Ann, first hand, front']")).to_contain_text("+7")
    expect(dealer.locator("[aria-label='Ann, second hand, back']")).to_contain_text("Three of a kind")
    type_hand(dealer, 2, FULL_HOUSE, "first hand")
    type_hand(dealer, 2, LOW, "second hand")

    expect(dealer.locator(".deal-result .net")).to_have_count(2)
    expect(dealer.locator(".deal-result .net").nth(1)).to_contain_text("second hand foul")
    expect(dealer.locator(".payment-hands").first).to_have_text("first hand to first hand")
    dealer.locator("#confirm").click()
    expect(dealer.get_by_role("button", name="Start round 2")).to_be_visible()
    assert Settlement.objects.get().round.hands.count() == 4
    assert sum(tonight.stacks().values()) == 3 * 29_000

    dealer.get_by_role("button", name=re.compile("correct", re.IGNORECASE)).click()
    dealer.get_by_label("Mis-set: Ann, second hand").check()
    dealer.locator("#correction-reason").fill("the second hand lay wrong")
    dealer.get_by_role("button", name=re.compile("Ask", re.IGNORECASE)).click()
    expect(dealer.get_by_text("Waiting for the floor")).to_be_visible()
    second = CorrectionRequest.objects.get().hands[1]
    assert (second["seat"], second["position"], second["misset"]) == (1, 3, True)

    reading = window("regulator")
    reading.goto(f"{reading.base}/rounds/{Round.objects.get().pk}/")
    expect(reading.get_by_text("second hand, position 4")).to_be_visible()


def test_r57_a_reload_in_mid_entry_loses_nothing(window, tonight):
    tonight.seat("Ann", "Bob")
    dealer = window("dealer")
    deal(dealer, tonight)
    type_hand(dealer, 1, QUEENS)
    expect(dealer.locator("#kept")).to_have_text("Saved")
    dealer.reload()
    expect(dealer.locator("[aria-label='Ann, front']")).to_contain_text("+7")
    assert dealer.locator(".key[data-card='Qs']").get_attribute("aria-disabled") == "true"


def test_r57_a_lost_connection_keeps_the_entry_and_settles_once_when_it_is_back(window, tonight):
    tonight.seat("Ann", "Bob")
    dealer = window("dealer")
    deal(dealer, tonight)
    type_hand(dealer, 1, QUEENS)
    type_hand(dealer, 2, FULL_HOUSE)
    expect(dealer.locator("#confirm")).to_be_visible()
    dealer.context.set_offline(True)
    dealer.locator("#confirm").click()
    expect(dealer.locator("#notices")).to_contain_text("onnect")
    dealer.context.set_offline(False)
    expect(dealer.get_by_role("button", name="Start round 2")).to_be_visible()
    # A draft whose answer was lost with the network is refused the second time: the house has it.
    known = ("ERR_INTERNET_DISCONNECTED", "409 (Conflict)")
    dealer.errors[:] = [error for error in dealer.errors if not any(word in error for word in known)]
    assert Settlement.objects.count() == 1


@pytest.mark.parametrize("hears", [True, False])
def test_a_round_that_somebody_else_settled_is_told_and_shown(window, tonight, hears):
    tonight.seat("Ann", "Bob")
    dealer = window("dealer")
    if not hears:
        dealer.deaf = True
        dealer.route("**/live/?*", lambda route: route.fulfill(status=204))
    deal(dealer, tonight)
    type_hand(dealer, 1, QUEENS)
    type_hand(dealer, 2, FULL_HOUSE)
    expect(dealer.locator("#confirm")).to_be_visible()
    tonight.settle(Round.objects.get(), [QUEENS, FULL_HOUSE])
    if not hears:
        dealer.locator("#confirm").click()
    expect(dealer.get_by_role("button", name="Start round 2")).to_be_visible()
    if not hears:
        dealer.errors.clear()  # the browser notes that the stream is shut, and the refusal
    assert Settlement.objects.count() == 1
