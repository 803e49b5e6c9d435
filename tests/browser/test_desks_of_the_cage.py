"""The cashier's three desks: what is seen without scrolling, worked with few keys, and printed unfolded."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from ledger.cage import boxes
from ledger.journal.acts import Act
from ledger.models import JournalEntry, Receipt
from tests.support.counting import count_box
from tests.support.screens import assert_accessible, assert_fits, at_every_width

pytestmark = pytest.mark.django_db(transaction=True)

DESKS = ("/cashier/", "/cashier/vault/", "/cashier/day/")
SELL = ("3", "0", "0", "Enter", "Enter")
NOW = timedelta(minutes=1)
REDEEM = ("Tab", "Tab", "Tab", "3", "0", "0", "Enter", "Tab", "Enter")


@pytest.fixture
def desk(window, game):
    """The cashier's window in an evening with fees due and acts done."""
    game.now = timezone.now() - timedelta(minutes=45)
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.now = timezone.now()
    page = window("cashier")
    page.goto(f"{page.base}/cashier/")
    expect(page.get_by_label("Amount").first).to_be_focused()
    return page


def day_of_fees():
    """Return the gaming day of the evening's fees, which is yesterday's if it has just begun."""
    return JournalEntry.objects.filter(kind="collection").latest("pk").gaming_day


def begun(page):
    """Wait until the cursor is where the page begins."""
    page.wait_for_function("() => document.activeElement !== document.body")


def type_keys(page, keys):
    for key in keys:
        if key != "Enter":
            page.keyboard.press(key)
            continue
        with page.expect_navigation():
            page.keyboard.press(key)
        begun(page)
    page.wait_for_url(f"{page.base}/cashier/")
    page.errors.clear()  # the browser reports the status of the question which chips


def test_chips_are_sold_and_redeemed_in_fewer_than_ten_keys(desk):
    """The guide says how many: the digits, Enter, and Enter for the chips that the page proposes; for a
    redemption three times Tab before, and Tab to the button that says which chips."""
    assert max(len(SELL), len(REDEEM)) < 10
    type_keys(desk, SELL)
    expect(desk.get_by_text("Chips for $300.00 sold.")).to_be_visible()
    expect(desk.get_by_label("Amount").first).to_be_focused()
    type_keys(desk, REDEEM)
    expect(desk.get_by_text("Chips for $300.00 redeemed")).to_be_visible()
    last = JournalEntry.objects.order_by("-pk").values_list("kind", flat=True)[:2]
    assert list(last) == ["chip_redemption", "chip_sale"]


def test_one_digit_too_many_is_asked_once_more_and_enter_alone_does_not_confirm_it(desk):
    for key in ("3", "0", "0", "0", "Enter"):
        desk.keyboard.press(key)
    expect(desk.get_by_text("Is it three thousand dollars?")).to_be_visible()
    begun(desk)
    with desk.expect_navigation():
        desk.keyboard.press("Enter")
    expect(desk.get_by_text("Is it three thousand dollars?")).to_be_visible()
    assert not JournalEntry.objects.filter(kind="chip_sale", recorded_at__gte=timezone.now() - NOW).exists()
    for width in at_every_width(desk):
        assert_fits(desk, width, "/cashier/")
    assert_accessible(desk)
    desk.get_by_label("Name").first.fill("Ann")
    desk.get_by_role("button", name="Cash in, chips out: $3,000.00").click()
    expect(desk.get_by_text("Chips for $3,000.00 sold.")).to_be_visible()
    desk.errors.clear()  # the browser reports the status of both refusals


def test_a_receipt_is_found_from_what_was_done_and_printed(desk):
    type_keys(desk, SELL)
    expect(desk.get_by_text("Chips for $300.00 sold.")).to_be_visible()
    desk.get_by_text("Done at the window").click()
    desk.get_by_role("link", name="receipt").first.click()
    expect(desk.get_by_role("heading", level=1)).to_have_text(f"{Receipt.objects.latest('number')}")
    for width in at_every_width(desk):
        assert_fits(desk, width, "receipt")
    assert_accessible(desk)
    desk.emulate_media(media="print")
    expect(desk.get_by_text("Chips sold for cash")).to_be_visible()
    expect(desk.get_by_role("button", name="Print")).to_be_hidden()


def test_after_a_refusal_the_cursor_is_where_the_mistake_is(desk):
    for key in ("Tab", "Tab", "Tab", "9", "9", "9", "9", "9", "Enter"):
        desk.keyboard.press(key)
    wrong = desk.locator("form[action*=redeem] [name=amount]")
    expect(wrong).to_have_value("99999")
    expect(wrong).to_be_focused()
    desk.errors.clear()  # the browser reports the refusal's status


def test_selling_redeeming_and_the_drawer_are_seen_without_scrolling(desk):
    desk.set_viewport_size({"width": 1280, "height": 800})
    for name in ("Cash in, chips out", "Chips in, cash out"):
        expect(desk.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    for name in ("Take from the vault", "Give back", "Close it"):
        expect(desk.get_by_role("link", name=name)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("address", DESKS)
def test_a_desk_fits_every_width_is_short_and_accessible(desk, address):
    desk.goto(f"{desk.base}{address}")
    for width in at_every_width(desk):
        assert_fits(desk, width, address)
    assert desk.evaluate("document.documentElement.scrollHeight") <= 1600
    assert_accessible(desk)


def test_the_tabs_are_reached_by_the_keyboard(desk):
    current = desk.locator("nav[aria-label='Desks of the cage'] [aria-current=page]")
    for name in ("Vault and drawers", "Day", "Window"):
        desk.get_by_role("navigation", name="Desks of the cage").get_by_role("link", name=name).focus()
        desk.keyboard.press("Enter")
        expect(current).to_have_text(name)


@pytest.fixture
def told(desk, game, dealer, counter1, counter2):
    """The desk once the evening's box is counted: before that it has no sums of fees."""
    box, act = game.session.box, Act(actor=game.floor, now=game.now, key="the box is pulled")
    boxes.pull_box(box=box, second=dealer, act=act)
    count_box(box, (counter1, counter2), game.now)
    return desk


def test_what_is_folded_is_printed_and_folds_again(told):
    desk = told
    desk.goto(f"{desk.base}/cashier/day/?day={day_of_fees()}")
    folded = desk.get_by_role("table").filter(has_text="Cash at table")
    expect(folded).to_have_count(0)
    desk.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(folded).to_have_count(1)
    desk.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(folded).to_have_count(0)


def test_a_link_into_a_fold_opens_it(told):
    told.goto(f"{told.base}/cashier/day/?day={day_of_fees()}#collections")
    expect(told.get_by_text("Cash at table").first).to_be_visible()
