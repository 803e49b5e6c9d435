"""Tokes at the window: the cashier pays, and the dealer signs by PIN."""

import pytest
from django.contrib.auth import get_user_model

from ledger.models import JournalEntry
from tables.seats import tokes
from tests.support.acting import acting
from tests.support.cast import PIN

KEY = "a key made by the page"


@pytest.fixture
def window(at, cashier, evening):
    """The cashier's own browser, with $5 of tokes waiting for the dealer."""
    give = {"actor": evening.dealer, "now": evening.now, "key": "a toke of Ann"}
    acting(tokes.give_toke, sitting_id=evening.sitting(1).pk, cents=500, **give)
    return at(cashier)


def address(evening):
    return f"/cashier/tokes/{evening.dealer.pk}/"


def paid():
    return JournalEntry.objects.filter(kind="toke_payout")


def cash():
    return JournalEntry.objects.filter(kind="chip_redemption").latest("pk")


def send(window, evening, **sent):
    entry = {
        "key": KEY,
        "cents": "500",
        "chips_500": "1",
        "second": evening.dealer.get_username(),
        "second_pin": PIN,
    }
    return window.post(address(evening), entry | sent)


def test_the_dealer_signs_with_the_own_pin_for_the_cash(window, evening):
    assert address(evening) in window.get("/cashier/").content.decode()
    page = window.get(address(evening))
    assert [name for name, _ in page.context["form"].fields["second"].widget.choices] == [
        "",
        evening.dealer.get_username(),
    ]
    assert "Pay $5.00 in cash" in page.content.decode()
    assert send(window, evening)["Location"] == "/cashier/"
    assert paid().get().approver == evening.dealer
    assert "Chips</dt><dd>1 × $5" in window.get(f"/cashier/receipts/{cash().pk}/").content.decode()
    assert "Nothing waits for" in window.get(address(evening)).content.decode()


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"second_pin": "111111"}, "wrong_pin"),
        ({"second_pin": ""}, "bad_entry"),
        ({"second": "floor"}, "wrong_pin"),
        ({"second": "", "second_pin": ""}, "bad_entry"),
        ({"cents": "400"}, "stale_page"),
        ({"chips_500": ""}, "pieces_missing"),
        ({"chips_500": "", "chips_100": "4"}, "pieces_differ"),
    ],
)
def test_without_the_dealer_nothing_is_paid(window, evening, codes_on, sent, code):
    answer = send(window, evening, **sent)
    assert code in codes_on(answer)
    assert not paid().exists()


def test_a_dealer_without_a_pin_cannot_sign_and_the_page_says_who_helps(window, evening):
    get_user_model().objects.filter(pk=evening.dealer.pk).update(pin="")
    page = window.get(address(evening)).content.decode()
    assert "has no PIN to sign with" in " ".join(page.split())
    assert send(window, evening).status_code == 400
    assert not paid().exists()
