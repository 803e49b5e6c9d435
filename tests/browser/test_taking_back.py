"""A wrongly taken fee: undone on the same screen within ten seconds, later taken back by two people."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tables.models import Charge, FeePayment
from tests.support.cast import PIN
from tests.support.menu import press

pytestmark = pytest.mark.django_db(transaction=True)

IS_UNCOVERED = """button => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""


@pytest.fixture
def due(game):
    """Ann and Bob in their second down, which they have not paid for."""
    game.now = timezone.now() - timedelta(minutes=45)
    game.seat("Ann", "Bob")
    game.play()
    game.now = timezone.now() - timedelta(seconds=11)
    return game


def take_the_fee(page):
    press(page.get_by_role("link", name="Fee of Ann", exact=True, include_hidden=True))
    page.get_by_role("button", name="Take the fee").click()


@pytest.fixture
def time_to_undo(monkeypatch):
    """Minutes instead of ten seconds, which a busy machine may take for one press."""
    for module in ("ledger.rules.undoing", "tables.reports.undo_offers"):
        monkeypatch.setattr(f"{module}.ALONE_FOR", timedelta(minutes=5))


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
@pytest.mark.usefixtures("time_to_undo")
def test_a_fee_is_undone_on_the_screen_that_took_it(window, due, width, height):
    page = window("floor", width=width, height=height)
    page.goto(f"{page.base}/floor/sessions/{due.session.pk}/")
    take_the_fee(page)
    undo = page.get_by_role("button", name=re.compile(r"^Undo, \d+ s$"))
    seats = page.locator("#seat-actions .seats > li")
    for seat in (seats.first, seats.last):
        seat.evaluate("seat => seat.scrollIntoView()")
        expect(undo).to_be_in_viewport(ratio=1)
        assert undo.evaluate(IS_UNCOVERED), "something stands above it"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    undo.click()
    again = "Nothing is owed unless a round of its down starts with Ann at the table."
    expect(page.get_by_text(f"Taken back: fee. {again} Reversal slip 1.")).to_be_visible()
    expect(undo).to_have_count(0)
    expect(page.get_by_role("link", name="Fee of Ann", exact=True, include_hidden=True)).to_be_attached()
    assert Charge.objects.open().count() == 1


def test_after_ten_seconds_two_people_take_it_back(window, due, floor2):
    (paid,) = due.pay(1, "stack", actor=due.floor)
    page = window("floor")
    page.goto(f"{page.base}/floor/sessions/{due.session.pk}/fees/")
    page.get_by_role("link", name="Take back the fee of Ann, down 2").click()
    page.get_by_label("What was wrong").fill("Bob paid it")
    page.get_by_label("Second person").select_option("floor2")
    page.get_by_label("Their PIN").fill(PIN)
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("Reversal slip 1.")).to_be_visible()
    expect(page.get_by_text("Taken back, slip 1")).to_be_visible()
    assert not FeePayment.objects.get(pk=paid.pk).in_force
