"""The screens that take something back: the button for ten seconds, and the pages of two people."""

import re

import pytest

from ledger.cage import window
from ledger.models import JournalEntry, ReversalSlip
from tables.models import Charge, FeePayment
from tests.support.cast import PIN

pytestmark = pytest.mark.django_db


@pytest.fixture
def due(clock):
    """Ann and Bob owe $10 that their stacks can pay."""
    clock.seat("Ann", "Bob")
    clock.play()
    return clock.minute(41)


def pay(screen, game, **headers):
    """Ann's fee is taken from the stack."""
    form = {"key": "one-payment", "method": "stack"}
    address = f"/sittings/{game.sitting(1).pk}/pay/"
    return screen.post(address, form, headers=headers, follow=not headers).content.decode()


def button(text):
    """The form of the offer on a page: address and key."""
    found = re.search(r'action="(/[^"]+/undo/)" data-undo=.*?name="key" value="([^"]+)"', text, re.DOTALL)
    return found and found.groups()


def two(floor2, **other):
    return {"key": "back-by-two", "reason": "Bob paid it", "second": str(floor2), "second_pin": PIN} | other


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_the_screen_that_took_a_fee_offers_to_undo_it(at, floor, due, headers):
    screen = at(floor)
    text = pay(screen, due, **headers)
    assert "Undo, <span data-seconds>10</span> s" in text
    address, key = button(text)
    said = screen.post(address, {"key": key}, follow=True, headers=headers).content.decode()
    assert "Taken back: collection. The fee is due again. Reversal slip 1." in said
    assert Charge.objects.open().count() == 1
    assert button(said) is None


def test_after_ten_seconds_the_page_says_how_two_people_do_it(at, floor, floor2, due, codes_on):
    screen = at(floor)
    address, key = button(pay(screen, due))
    due.minute(41.2)
    answer = screen.post(address, {"key": key})
    assert (answer.status_code, codes_on(answer)) == (409, ["undo_too_late"])
    entry = FeePayment.objects.get(entry__key="one-payment").entry_id
    assert f'href="/entries/{entry}/back/"' in answer.content.decode()
    assert "Ann" in screen.get(f"/entries/{entry}/back/").content.decode()
    answer = screen.post(f"/entries/{entry}/back/", two(floor2), follow=True)
    assert "Reversal slip 1." in answer.content.decode()
    assert "Taken back, slip 1" in answer.content.decode()
    assert "Bob paid it" in answer.content.decode()


@pytest.mark.parametrize(
    ("other", "code"),
    [({"second_pin": "0000"}, "wrong_pin"), ({"reason": ""}, "bad_entry"), ({"second": ""}, "bad_entry")],
)
def test_what_is_wrong_stands_beside_what_was_typed(at, floor, floor2, due, codes_on, other, code):
    screen = at(floor)
    pay(screen, due)
    entry = FeePayment.objects.get(entry__key="one-payment").entry_id
    answer = screen.post(f"/entries/{entry}/back/", two(floor2) | other)
    assert code in codes_on(answer)
    assert ReversalSlip.objects.count() == 0


def test_nobody_undoes_what_somebody_else_took(at, floor, dealer, due, codes_on):
    address, key = button(pay(at(dealer), due, **{"HX-Request": "true"}))
    answer = at(floor).post(address, {"key": key})
    assert (answer.status_code, codes_on(answer)) == (403, ["not_your_act"])


def test_a_toke_has_the_button_too(at, dealer, due):
    screen = at(dealer)
    stack = due.stack(1)
    address, form = f"/sittings/{due.sitting(1).pk}/toke/", {"key": "one-toke", "amount": "5"}
    text = screen.post(address, form, headers={"HX-Request": "true"}).content.decode()
    address, key = button(text)
    screen.post(address, {"key": key})
    assert due.stack(1) == stack


def test_the_window_undoes_a_sale(at, cashier, evening):
    screen, before = at(cashier), window.holds(evening.site)
    text = screen.post(
        "/cashier/sell/", {"key": "one-sale-of-chips", "amount": "120"}, follow=True
    ).content.decode()
    address, key = button(text)
    assert address.startswith("/cashier/")
    said = screen.post(address, {"key": key}, follow=True).content.decode()
    assert "Taken back: sale of chips. Reversal slip 1." in said
    assert "undone within ten seconds" in said
    assert window.holds(evening.site) == before


def test_the_window_takes_a_redemption_back_by_two(at, cashier, floor2, evening):
    screen, before = at(cashier), window.holds(evening.site)
    screen.post("/cashier/redeem/", {"key": "one-redemption", "amount": "120"})
    entry = JournalEntry.objects.get(key="one-redemption")
    link = f"/cashier/entries/{entry.pk}/back/"
    assert link in screen.get("/cashier/").content.decode()
    assert "redemption of chips" in screen.get(link).content.decode()
    said = screen.post(link, two(floor2), follow=True).content.decode()
    assert "Reversal slip 1" in said
    assert "Bob paid it" in said
    assert window.holds(evening.site) == before


@pytest.mark.parametrize("person", ["counter1", "cashier"])
def test_the_pages_of_a_table_are_for_who_works_there(at, request, due, person):
    pay(at(request.getfixturevalue("dealer")), due)
    entry = FeePayment.objects.get(entry__key="one-payment").entry_id
    screen = at(request.getfixturevalue(person))
    for address in (f"/entries/{entry}/undo/", f"/entries/{entry}/back/"):
        assert screen.get(address).status_code == 403


def test_an_entry_of_another_kind_is_not_there(at, floor, cashier, due):
    bought = JournalEntry.objects.filter(kind="buy_in").first().pk
    assert at(floor).get(f"/entries/{bought}/back/").status_code == 404
    assert at(cashier).get(f"/cashier/entries/{bought}/undo/").status_code == 404
